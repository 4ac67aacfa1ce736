/* SPDX-License-Identifier: MIT */
/*
 * Checked mode: a call that not all work-items of a group make, or not alike, is told by kernel, line and group, and
 * nothing of it is sent. Of host calls the heap is not shown before what
 * was launched is applied, a write to a map that is to be read is named, and threads that launch and wait side by side are
 * not accused.
 *
 * Path: meson test -> this -> cl/device/check.cl.h, lib/aggregate/check.c, lib/node/launches.c, lib/node/maps.c
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

#define GROUP 64u
#define N 256u

static int nothing(struct gravel *node, void *user, uint32_t source,
                   const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source, (void)args;
    return 0;
}

static const struct gravel_handler handlers[] = {{.name = "one", .n_args = 1, .function = nothing},
                                                 {.name = "two", .n_args = 1, .function = nothing}};
static struct gravel *gravel;
static unsigned n_come; /* records and lines, of which there should be none */

static int take_records(struct gravel *node, void *user, uint32_t source, const void *records,
                        uint32_t n)
{
    (void)node, (void)user, (void)source, (void)records;
    n_come += n;
    return 0;
}

static int take_lines(void *user, const char *text, size_t bytes)
{
    (void)user, (void)text, (void)bytes;
    n_come++;
    return 0;
}

static const struct gravel_stream streams[] = {{"some", 4, take_records, NULL},
                                               {"other", 4, take_records, NULL}};

static void open_node(void)
{
    setenv("GRAVEL_CHECK", "1", 1);
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2, .streams = streams, .n_streams = 2,
                        .print = take_lines);
    gravel = open_loopback(2, &bindings);
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

/* a: N words at both nodes, b: N more. */
struct words {
    uint64_t a, b;
};

static struct words make_words(void)
{
    return (struct words){alloc_or_die(gravel, 4 * N), alloc_or_die(gravel, 4 * N)};
}

static void free_words(const struct words *words)
{
    OK(gravel_free(gravel, words->a));
    OK(gravel_free(gravel, words->b));
}

/* The body fails, the error names kernel, group and what is wrong; no word of a or b has changed; the node goes on. */
static void expect_told(const char *body, const char *group, const char *part)
{
    const struct words words = make_words();
    int code = run_body(gravel, body, N, GROUP, words.a, words.b, 0);
    expect_error(code, GRAVEL_EKERNEL, "kernel body");
    expect_error(code, GRAVEL_EKERNEL, group);
    expect_error(code, GRAVEL_EKERNEL, part);
    for (uint32_t node = 0; node < 2; node++) {
        expect_words(gravel, node, words.a, 0, N);
        expect_words(gravel, node, words.b, 0, N);
    }
    expect_works(gravel);
    free_words(&words);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

TEST(calls_that_not_all_make_alike_are_told)
{
    const struct {
        const char *body, *group, *part;
    } rows[] = {
        {BODY("if (i % 64 >= 10) gravel_inc_uint_wg(g, a, i, i % 2);"), "work-group at (",
         "54 of 64 work-items made the call"},
        {BODY("if (i == 130) gravel_inc_uint_wg(g, a, i, 1);"), "work-group at (128)",
         "line 7: 1 of 64 work-items made the call"},
        {BODY("if (i % 2) gravel_add_uint_wg_if(g, i % 3, a, i, 7, 1);"), "work-group at (",
         "32 of 64 work-items made the call"},
        {BODY("if (i % 64 >= 44) return; gravel_put_uint_wg(g, a, i, 1, 1);"), "work-group at (",
         "44 of 64 work-items made the call"},
        {BODY("if (i % 2)\n gravel_inc_uint_wg(g, a, i, 1);\n"
              "else\n gravel_inc_uint_wg(g, b, i, 1);"),
         "work-group at (", "others make that of line"},
        {BODY("gravel_inc_uint_wg(g, i % 64 == 5 ? b : a, i, 1);"), "work-group at (",
         "line 7: the base differs between work-items"},
        {BODY("gravel_am1_wg(g, i % 64 == 63 ? GRAVEL_HANDLER(two) : GRAVEL_HANDLER(one), 0, 1);"),
         "work-group at (", "the handler differs between work-items, 0 and 1"},
        {BODY("if (i % 2) gravel_add_uint_wg(g, a, i, 1, 1);"
              "else gravel_max_uint_wg(g, a, i, 1, 1);"),
         "work-group at (", "the operation differs between work-items, "},
        {BODY("struct gravel_reply reply = {b, a + 4 * (i % 64 / 32)};"
              "gravel_get_uint_wg(g, b, i, reply, i, 1);"),
         "work-group at (", "the signal differs between work-items"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_told(rows[i].body, rows[i].group, rows[i].part);
}

TEST(call_in_a_loop_of_uneven_length_is_told)
{
    const struct words words = make_words();
    int code = run_body(
        gravel, BODY("for (uint n = 0; n < 2 + (i == 70); n++) gravel_inc_uint_wg(g, a, i, 1);"), N,
        GROUP, words.a, words.b, 0);
    expect_error(code, GRAVEL_EKERNEL, "work-group at (64), line 7: 1 of 64 work-items made");
    expect_words(gravel, 1, words.a, 2, N); /* what all have sent twice */
    free_words(&words);
}

/* Of one line of the program, and so of one call. */
TEST(records_that_differ_are_told)
{
    static const struct {
        const char *even, *odd, *part;
    } cases[] = {
        {"gravel_append_wg(g, some, i, 0)", "gravel_append_wg(g, other, i, 0)", "stream differs"},
        {"gravel_printf_wg(g, \"a\")", "gravel_printf_wg(g, \"%u\", i)", "number of words differs"},
        {"gravel_printf_wg(g, \"a\")", "gravel_printf_wg(g, \"sixteen and a 0.\")",
         "text's room differs"},
        {"gravel_printf_wg(g, \"a\")", "gravel_printf_wg(g, \"b\")",
         "text differs between work-items; none of the call was sent"},
        {"gravel_printf_wg(g, \"%u\", i)", "gravel_printf_wg(g, \"%u\", (int)i)",
         "list of argument types differs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "#include \"gravel.cl.h\"\n#include \"print.cl.h\"\n"
                 "kernel void differ(GRAVEL_ARENA)\n"
                 "{ GRAVEL_OPEN(g); uint i = (uint)get_global_id(0);\n"
                 "if (i %% 2) %s; else %s; }\n",
                 cases[i].odd, cases[i].even);
        cl_kernel kernel = scoped_kernel(gravel, text, "", "differ");
        const int code = run_kernel(gravel, kernel, N, GROUP);
        expect_error(code, GRAVEL_EKERNEL, "kernel differ, work-group at (");
        expect_error(code, GRAVEL_EKERNEL, ", line 5: the ");
        expect_error(code, GRAVEL_EKERNEL, cases[i].part);
    }
    assert_int_equal(n_come, 0);
    expect_works(gravel);
}

TEST(group_of_two_dimensions_is_named)
{
    static const struct {
        size_t global[2];
        const char *part;
    } cases[] = {{{16, 16}, "work-group at (8, 8, 0), line 7: 1 of 64"},
                 {{16, 65544}, "work-group at (8, 65535 or more, 0), line 7: 1 of 64"}};
    const size_t local[] = {8, 8};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct words words = make_words();
        const uint64_t arguments[3] = {words.a, words.b, cases[c].global[1] - 1};
        cl_kernel kernel = body_kernel(gravel,
                                       BODY("if (get_global_id(0) == 9 && get_global_id(1) == c) "
                                            "gravel_inc_uint_wg(g, a, 0, 1);"),
                                       arguments);
        set_body_size(kernel, 16, 1);
        OK(gravel_launch(gravel, kernel, 2, cases[c].global, local, 0, NULL, NULL));
        clReleaseKernel(kernel);
        expect_error(gravel_barrier(gravel), GRAVEL_EKERNEL, cases[c].part);
        free_words(&words);
    }
}

TEST(call_of_a_sub_group_in_a_branch_is_told)
{
    const struct words words = make_words();
    int code = run_body(gravel,
                        BODY("\n#ifdef GRAVEL_HAS_SUBGROUPS\n"
                             "if (i != 70) gravel_inc_uint_sg(g, a, i, 1);"
                             "\n#endif\n"),
                        N, GROUP, words.a, words.b, 0);
    free_words(&words);
    if (code == 0)
        skip_because("the device has no sub-groups");
    expect_error(code, GRAVEL_EKERNEL, "work-group at (64), sub-group ");
    expect_error(code, GRAVEL_EKERNEL, "work-items made the call");
}

/* ---- calls of the host ------------------------------------------------------------------------ */

/* @param n_calls  of each work-item, which makes them all before its neighbour's first, where groups are loops. */
static cl_kernel count_kernel(uint64_t words, uint64_t n_calls)
{
    cl_kernel kernel =
        scoped_body(gravel, BODY("for (uint n = 0; n < b; n++) gravel_inc_uint_wg(g, a, i, 1);"),
                    words, n_calls, 0);
    set_body_size(kernel, N, 1);
    return kernel;
}

static void launch(cl_kernel kernel)
{
    const size_t global = N, local = GROUP;
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
}

static void expect_no_map(uint64_t words, const char *part)
{
    void *pointer;
    expect_error(gravel_map(gravel, words, 4, CL_MAP_READ, 1, &pointer), GRAVEL_EINVAL, part);
    assert_null(pointer);
}

TEST(map_of_what_may_not_be_applied_is_refused)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    cl_kernel kernel = count_kernel(words, 1);
    launch(kernel);
    expect_no_map(words, "gravel_map: kernel body");
    OK(gravel_fence(gravel));
    expect_no_map(words, "gravel_map: kernel body");
    OK(gravel_quiet(gravel));
    expect_words(gravel, 1, words, 1, N);
    launch(kernel);
    expect_no_map(words, "gravel_map: kernel body");
    OK(gravel_free(gravel, words)); /* a barrier */
}

TEST(write_to_a_map_to_be_read_is_told)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    uint32_t *map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ);
    map[N - 1] = 1;
    expect_error(gravel_unmap(gravel, map), GRAVEL_EINVAL, "is CL_MAP_READ and was written");
    map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ | CL_MAP_WRITE);
    map[0] = 1;
    OK(gravel_unmap(gravel, map));
    map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ);
    assert_int_equal(map[0], 1);
    OK(gravel_unmap(gravel, map));
    OK(gravel_free(gravel, words));
}

/* Not the host's write: a kernel's, which a map that points into the heap may show. */
TEST(map_that_others_change_is_no_fault)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    cl_kernel kernel = count_kernel(words, 1);
    uint32_t *map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ);
    launch(kernel);
    OK(gravel_barrier(gravel));
    OK(gravel_unmap(gravel, map));
    OK(gravel_free(gravel, words));
}

/* ---- threads -------------------------------------------------------------------------------- */

static _Atomic int is_over;

static void *wait_again_and_again(void *unused)
{
    while (!atomic_load_explicit(&is_over, memory_order_relaxed))
        if (gravel_fence(gravel))
            return (void *)gravel_last_error();
    return unused;
}

/* Calls of a kernel that runs while another thread waits are not final. */
TEST(threads_that_wait_beside_launches_accuse_none)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    cl_kernel kernel = count_kernel(words, 64);
    void *error;
    pthread_t thread;
    atomic_store_explicit(&is_over, 0, memory_order_relaxed);
    assert_int_equal(pthread_create(&thread, NULL, wait_again_and_again, NULL), 0);
    for (int i = 0; i < 150; i++) {
        launch(kernel);
        OK(gravel_fence(gravel));
    }
    atomic_store_explicit(&is_over, 1, memory_order_relaxed);
    assert_int_equal(pthread_join(thread, &error), 0);
    if (error)
        fail_msg("%s", (const char *)error);
    OK(gravel_barrier(gravel));
    expect_words(gravel, 1, words, 150 * 64, N);
    OK(gravel_free(gravel, words));
}

const struct fixture fixture = {.open = open_node, .close = close_node};
