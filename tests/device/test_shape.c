/* SPDX-License-Identifier: MIT */
/*
 * Launches of every shape: group sizes, last groups that are smaller, two and three dimensions, groups larger
 * than a slot or than GRAVEL_MAX_GROUP, slots and buffers as small as they can be.
 *
 * Path: meson test -> this -> cl/device/workgroup.cl.h, cl/device/send.cl.h
 */
#include <stdio.h>

#include "expect.h"

/* Work-item i sends i + 1 to word i of node i % n: by all, by one in three, and alone; then a loop whose
 * length differs from item to item. */
#define SENDS                                                   \
    "uint n = gravel_n_nodes(g);"                               \
    "gravel_add_uint_wg(g, a, i, i + 1, i % n);"                \
    "gravel_add_uint_wg_if(g, i % 3 == 0, b, i, i + 1, i % n);" \
    "if (i % 5 == 0) gravel_add_uint_wi(g, b, i, 1, i % n);"    \
    "GRAVEL_FOR_WG(g, e, active, i % 7) { gravel_inc_uint_wg_if(g, active, c, i, (i + e) % n); }"

/* What SENDS must have left. */
static void expect_sent(struct gravel *gravel, size_t n_items, const uint64_t tables[3])
{
    uint32_t n = gravel_n_nodes(gravel);
    for (uint32_t node = 0; node < n; node++) {
        const uint32_t *words[3];
        for (int t = 0; t < 3; t++)
            words[t] = read_map(gravel, node, tables[t], n_items * 4);
        for (uint32_t i = 0; i < n_items; i++) {
            bool is_mine = i % n == node;
            uint32_t all = is_mine ? i + 1 : 0, loops = 0;
            uint32_t some = is_mine ? (i % 3 == 0 ? i + 1 : 0) + (i % 5 == 0) : 0;
            for (uint32_t e = 0; e < i % 7; e++)
                loops += (i + e) % n == node;
            assert_int_equal(words[0][i], all);
            assert_int_equal(words[1][i], some);
            assert_int_equal(words[2][i], loops);
        }
        for (int t = 0; t < 3; t++)
            unmap(gravel, words[t]);
    }
}

/* @return false if the device takes no such launch. */
static bool run_shape(struct gravel *gravel, cl_uint n_dimensions, const size_t *global_size,
                      const size_t *local_size)
{
    size_t n_items = 1;
    uint64_t tables[3];
    for (cl_uint d = 0; d < n_dimensions; d++)
        n_items *= global_size[d];
    for (int t = 0; t < 3; t++)
        tables[t] = alloc_or_die(gravel, n_items * 4);
    cl_kernel kernel = body_kernel(gravel, BODY(SENDS), tables);
    set_body_size(kernel, global_size[0], n_dimensions > 1 ? global_size[1] : 1);
    int code = gravel_launch(gravel, kernel, n_dimensions, global_size, local_size, 0, NULL, NULL);
    clReleaseKernel(kernel);
    OK(gravel_barrier(gravel));
    if (code == 0)
        expect_sent(gravel, n_items, tables);
    else /* which a driver may find at the last group, when the others have sent */
        expect_words(gravel, 0, tables[0], 0, (uint32_t)n_items);
    for (int t = 0; t < 3; t++)
        OK(gravel_free(gravel, tables[t]));
    return code == 0;
}

/* Group sizes, which the driver compiles each; its own choice, which PoCL makes one group; two and three dimensions; a smaller
 * last group, where it is taken. */
TEST(every_shape_sends_all)
{
    static const struct {
        cl_uint n_dimensions;
        size_t global[3], local[3];
        bool may_be_refused;
    } rows[] = {{1, {5}, {1}, false},
                {1, {35}, {7}, false},
                {1, {5000}, {1000}, false},
                {1, {1000}, {0}, false},
                {2, {24, 20}, {8, 5}, false},
                {3, {12, 8, 6}, {4, 4, 2}, false},
                {3, {12, 8, 6}, {1, 8, 1}, false},
                {1, {1000}, {64}, true}};
    struct gravel *gravel = scoped_loopback(3, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool was_taken = run_shape(gravel, rows[i].n_dimensions, rows[i].global,
                                         *rows[i].local ? rows[i].local : NULL);
        assert_true(was_taken || rows[i].may_be_refused);
        expect_works(gravel);
    }
}

/* No leader waits on step drain: the queue must hold all that a group sends. */
static bool is_drained(const struct gravel_config *config)
{
    return !strcmp(config->step, "drain");
}

/* A group takes as many slots as its messages need; buffers may be smaller than a package. */
TEST(group_larger_than_a_slot_sends_all)
{
    static const char *const sizes[] = {
        "slot_bytes=9280 queue_bytes=37120 buffer_bytes=64k n_buffers=1",
        "slot_bytes=768 queue_bytes=24k buffer_bytes=256 n_buffers=2",
        "slot_bytes=832 queue_bytes=64k buffer_bytes=320 n_buffers=3",
        "slot_bytes=2112 queue_bytes=4M buffer_bytes=4k n_buffers=4"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct gravel_config config = loopback_with(3, sizes[i]);
        struct gravel *gravel;
        config.queue_bytes *= is_drained(&config) ? 512 : 1;
        OK(gravel_open(&gravel, &config, NULL));
        const size_t global_size = 4096, local_size = 1024, few = 100, one = 1;
        assert_true(run_shape(gravel, 1, &global_size, &local_size));
        assert_true(run_shape(gravel, 1, &few, &one));
        OK(gravel_close(gravel));
    }
}

/* With one slot, what fits one goes; what does not is told, and nothing hangs. */
TEST(group_larger_than_the_queue_is_told)
{
    const struct gravel_config config = loopback_with(2, "slot_bytes=768 queue_bytes=768");
    struct gravel *gravel = scoped_node(&config, NULL);
    const size_t global_size = 160, local_size = 16;
    if (!is_drained(&config))
        assert_true(run_shape(gravel, 1, &global_size, &local_size));
    uint64_t word = alloc_or_die(gravel, 64);
    expect_error(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, 0, 1);"), 1024, 256, word, 0, 0),
                 GRAVEL_EKERNEL, "raise GRAVEL_QUEUE");
    closes_with(gravel, GRAVEL_EKERNEL, "raise GRAVEL_QUEUE");
}

static const char *const max_group_source =
    "#include \"gravel.cl.h\"\n"
    "kernel void every(GRAVEL_ARENA, ulong a) {\n"
    "    GRAVEL_OPEN(g); gravel_inc_uint_wg(g, a, 0, 0); }\n"
    "kernel void predicate(GRAVEL_ARENA, ulong a) {\n"
    "    GRAVEL_OPEN(g); gravel_inc_uint_wg_if(g, 1, a, 0, 0); }\n"
    "kernel void loop(GRAVEL_ARENA, ulong a) {\n"
    "    GRAVEL_OPEN(g); GRAVEL_FOR_WG(g, e, active, 3) gravel_inc_uint_wg_if(g, active, a, 0, 0); "
    "}\n";

/* Either all is sent or the group's size is told; memory of the group is too small for more than that. */
TEST(group_larger_than_max_group_is_told)
{
    const char *const names[] = {"every", "predicate", "loop"};
    for (size_t i = 0; i < 3; i++) {
        struct gravel *gravel = open_loopback(1, NULL);
        cl_program program = build_or_die(gravel, max_group_source, "-DGRAVEL_MAX_GROUP=64");
        cl_kernel kernel = kernel_or_die(gravel, program, names[i]);
        uint64_t word = alloc_or_die(gravel, 64);
        SET(kernel, 1, word);
        OK(run_kernel(gravel, kernel, 128, 64));
        assert_int_equal(word32(gravel, 0, word), i == 2 ? 384 : 128);
        int code = run_kernel(gravel, kernel, 256, 128);
        if (i > 0 || code)
            expect_error(code, GRAVEL_EKERNEL, "128 work-items");
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        expect_error(gravel_close(gravel), code, "");
    }
}

/* A size that calls with a predicate can take, which the driver's choice may not be. */
TEST(groups_are_chosen_where_none_are_given)
{
    static const size_t sizes[] = {65536, 12345, 1009, 4099, 1000, 20, 1};
    struct gravel *gravel = scoped_loopback(1, NULL);
    cl_kernel kernel = scoped_kernel(gravel, max_group_source, NULL, "predicate");
    uint64_t word = alloc_or_die(gravel, 64);
    uint32_t sum = 0;
    SET(kernel, 1, word);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        OK(gravel_launch(gravel, kernel, 1, &sizes[i], NULL, 0, NULL, NULL));
        OK(gravel_quiet(gravel));
        sum += (uint32_t)sizes[i];
        assert_int_equal(word32(gravel, 0, word), sum);
    }
}

TEST(launch_of_nothing_succeeds)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    const uint64_t arguments[3] = {alloc_or_die(gravel, 64)};
    const size_t none[3] = {64, 0, 64}, local[3] = {64, 1, 1};
    cl_event end = NULL;
    cl_kernel kernel = scoped_body(gravel, BODY("gravel_inc_uint_wg(g, a, 0, 0);"), arguments[0],
                                   arguments[1], arguments[2]);
    OK(gravel_launch(gravel, kernel, 1, none + 1, NULL, 0, NULL, NULL));
    OK(gravel_launch(gravel, kernel, 3, none, local, 0, NULL, &end));
    assert_non_null(end);
    OK(gravel_launch(gravel, kernel, 1, none + 1, NULL, 1, &end, NULL));
    OK(gravel_barrier(gravel));
    assert_int_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    assert_int_equal(word32(gravel, 0, arguments[0]), 0);
    clReleaseEvent(end);
}

static const char required_source[] =
    "#include \"gravel.cl.h\"\n"
    "kernel __attribute__((reqd_work_group_size(32, 1, 1))) void k(GRAVEL_ARENA, ulong a)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    gravel_inc_uint_wg(g, a, 0, 0);\n"
    "}\n";

TEST(kernels_own_group_size_is_kept)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    cl_kernel kernel = scoped_kernel(gravel, required_source, NULL, "k");
    uint64_t word = alloc_or_die(gravel, 64);
    const size_t global = 320, odd = 330, local = 32, other = 64;
    SET(kernel, 1, word);
    expect_error(gravel_launch(gravel, kernel, 1, &global, &other, 0, NULL, NULL), GRAVEL_EINVAL,
                 "the kernel requires 32");
    expect_error(gravel_launch(gravel, kernel, 1, &odd, NULL, 0, NULL, NULL), GRAVEL_EINVAL,
                 "330 work-items");
    OK(gravel_launch(gravel, kernel, 1, &global, NULL, 0, NULL, NULL));
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
    OK(gravel_barrier(gravel));
    assert_int_equal(word32(gravel, 0, word), 640);
}

const struct fixture fixture = {.limit_s = 180};
