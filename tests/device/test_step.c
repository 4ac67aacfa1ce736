/* SPDX-License-Identifier: MIT */
/*
 * The steps of the capability ladder: one the device cannot take is refused with what is missing;
 * on pump and drain launches are sliced as told, a queue that is too small for drain ends in an
 * error, and a launch that leaves the pump no compute unit does too.
 *
 * usage: test_step any | single    what the environment leaves the device: compute units, or a
 * single one
 *
 * Path: meson test -> this -> lib/device/ladder.c, device.c, lib/node/launch.c, lib/pump/pump.c
 */
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

static struct gravel_config with_step(const char *step)
{
    struct gravel_config config = loopback_config(2);
    snprintf(config.step, sizeof config.step, "%s", step);
    return config;
}

/* NULL if the device lacks something for it. */
static struct gravel *try_open(const struct gravel_config *config)
{
    struct gravel *gravel;
    int code = gravel_open(&gravel, config, NULL);
    if (code)
        expect_error(code, GRAVEL_ECAPABILITY, " take step ");
    return gravel;
}

static struct gravel *open_or_skip(const struct gravel_config *config)
{
    struct gravel *gravel = try_open(config);
    if (!gravel) {
        print_message("skipped: %s\n", gravel_last_error());
        skip();
    }
    return gravel;
}

static const char *const sliced[] = {"pump", "drain"};

/* ---- which step ------------------------------------------------------------------------------ */

TEST(forced_step_is_taken_or_names_what_is_missing)
{
    const char *const steps[] = {"svm", "usm", "pump", "drain"};
    const char *const missing[] = {"CL_DEVICE_SVM_CAPABILITIES", "cl_intel_unified_shared_memory",
                                   "single compute unit", "no compiler"};
    for (int i = 0; i < 4; i++) {
        const struct gravel_config config = with_step(steps[i]);
        struct gravel *gravel = try_open(&config);
        if (gravel) {
            assert_string_equal(gravel_step(gravel), steps[i]);
            expect_works(gravel);
        } else {
            print_message("%s\n", gravel_last_error());
            assert_non_null(strstr(gravel_last_error(), steps[i]));
            assert_non_null(strstr(gravel_last_error(), missing[i]));
        }
        OK(gravel_close(gravel));
    }
}

/* All cores but one are kept for the host. */
TEST(pump_with_all_cores_kept_says_so)
{
    struct gravel_config config = with_step("pump");
    config.host_cores = 1024;
    struct gravel *gravel = try_open(&config);
    if (gravel) { /* not a CPU */
        OK(gravel_close(gravel));
        skip();
    }
    assert_non_null(strstr(gravel_last_error(), "a single compute unit"));
}

TEST_OF("single", pump_on_a_single_compute_unit_is_refused)
{
    struct gravel_config config = with_step("pump"), drain = with_step("drain");
    struct gravel *gravel;
    OK(gravel_open(&gravel, &drain, NULL));
    bool is_single = n_compute_units(gravel) == 1;
    OK(gravel_close(gravel));
    if (!is_single) {
        print_message("skipped: the device has several compute units, and does not heed "
                      "POCL_MAX_PTHREAD_COUNT\n");
        skip();
    }
    config.host_cores = 0;
    expect_no_open(&config, NULL, GRAVEL_ECAPABILITY, "a single compute unit");
}

TEST_OF("single", other_steps_work_on_a_single_compute_unit)
{
    const char *const steps[] = {"auto", "drain"};
    for (int i = 0; i < 2; i++) {
        const struct gravel_config config = with_step(steps[i]);
        struct gravel *gravel;
        OK(gravel_open(&gravel, &config, NULL));
        expect_works(gravel);
        OK(gravel_close(gravel));
    }
}

/* ---- limits of memory ------------------------------------------------------------------------ */

TEST(queue_beyond_the_devices_limit_tells_the_numbers)
{
    for (int i = 0; i < 2; i++) {
        struct gravel_config config = with_step(sliced[i]);
        OK(gravel_close(open_or_skip(&config)));
        config.queue_bytes = UINT64_C(1) << 40;
        config.slot_bytes = 1 << 24;
        expect_no_open(&config, NULL, GRAVEL_ENOMEM, "queues 1099511627776");
        assert_non_null(strstr(gravel_last_error(), "largest allocation"));
    }
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Work-item i, by its place in the whole launch, adds i + 1 to word i of node i % 2. */
static void expect_launched_whole(struct gravel *gravel, uint32_t n_dimensions,
                                  const size_t *global, const size_t *local)
{
    const size_t width = global[0], height = n_dimensions > 1 ? global[1] : 1;
    const size_t n_items = width * height * (n_dimensions > 2 ? global[2] : 1);
    const uint64_t arguments[3] = {alloc_or_die(gravel, n_items * 4)};
    cl_kernel kernel =
        body_kernel(gravel, BODY("gravel_add_uint_wg(g, a, i, i + 1, i % 2);"), arguments);
    set_body_size(kernel, width, height);
    OK(gravel_launch(gravel, kernel, n_dimensions, global, local, 0, NULL, NULL));
    OK(gravel_barrier(gravel));
    for (uint32_t node = 0; node < 2; node++) {
        const uint32_t *words = read_map(gravel, node, arguments[0], n_items * 4);
        for (uint32_t i = 0; i < n_items; i++)
            assert_int_equal(words[i], i % 2 == node ? i + 1 : 0);
        unmap(gravel, words);
    }
    clReleaseKernel(kernel);
    OK(gravel_free(gravel, arguments[0]));
}

TEST(slices_of_any_size_launch_all)
{
    const uint32_t most[] = {1, 2, 3, 7, 0};
    const size_t global_1[] = {960}, local_1[] = {64};
    const size_t global_2[] = {24, 20}, local_2[] = {8, 5};
    const size_t global_3[] = {12, 8, 6}, local_3[] = {4, 4, 2};
    for (int i = 0; i < 2; i++)
        for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
            struct gravel_config config = with_step(sliced[i]);
            if (!strcmp(sliced[i], "pump") &&
                most[m] > 2) /* one of three compute units stays free */
                continue;
            config.slice_groups = most[m];
            struct gravel *gravel = open_or_skip(&config);
            expect_launched_whole(gravel, 1, global_1, local_1);
            expect_launched_whole(gravel, 1, global_1, NULL);
            expect_launched_whole(gravel, 2, global_2, local_2);
            expect_launched_whole(gravel, 3, global_3, local_3);
            OK(gravel_close(gravel));
        }
}

TEST(slice_that_leaves_the_pump_no_compute_unit_is_refused)
{
    struct gravel_config config = with_step("pump");
    OK(gravel_close(open_or_skip(&config)));
    config.slice_groups = UINT32_MAX;
    expect_no_open(&config, NULL, GRAVEL_ECONFIG, "GRAVEL_SLICE");
}

static int build_call(struct gravel *gravel, const char *call, bool is_ahead)
{
    char source[256];
    cl_program program = NULL;
    snprintf(source, sizeof source,
             is_ahead ? "ulong asked(void) { return %s; }\n"
                        "#include \"gravel.cl.h\"\n"
                        "kernel void size(GRAVEL_ARENA, global ulong *to) { *to = asked(); }\n"
                      : "#include \"gravel.cl.h\"\n"
                        "kernel void size(GRAVEL_ARENA, global ulong *to) { *to = %s; }\n",
             call);
    int code = gravel_program_build(gravel, "size.cl", source, NULL, &program);
    clReleaseProgram(program);
    return code;
}

/* What would count one slice only does not build, rather than count wrong; on svm, whose launches are whole, it does. */
TEST(counts_of_a_whole_launch_build_where_it_is_whole)
{
    const char *const calls[] = {"get_global_size(0)", "get_num_groups(0)",
                                 "get_global_linear_id()"};
    const char *const steps[] = {"pump", "drain", "svm"};
    for (int i = 0; i < 3; i++) {
        struct gravel_config config = with_step(steps[i]);
        config.build_options[0] = 0; /* what the library says alone */
        struct gravel *gravel = open_or_skip(&config);
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
            if (i < 2) {
                expect_error(build_call(gravel, calls[c], false), GRAVEL_EBUILD,
                             "launches_are_sliced");
                expect_error(build_call(gravel, calls[c], true), GRAVEL_EBUILD,
                             "launches_are_sliced");
            } else if (c == 0) { /* one program will do */
                OK(build_call(gravel, calls[c], true));
            }
        }
        OK(gravel_close(gravel));
    }
}

/* ---- drain: no kernel waits ------------------------------------------------------------------ */

#define SLOT 9280u

/* Groups of 64 work-items that send 8 packages each. */
static int send_8_each(struct gravel *gravel, size_t n_groups, uint64_t word)
{
    return run_body(gravel, BODY("for (uint n = 0; n < 8; n++) gravel_inc_uint_wg(g, a, 0, 1);"),
                    64 * n_groups, 64, word, 0, 0);
}

static struct gravel *open_drain(uint32_t n_slots, uint32_t slice_groups)
{
    struct gravel_config config = with_step("drain");
    config.queue_bytes = (uint64_t)n_slots * SLOT;
    config.slot_bytes = SLOT;
    config.slice_groups = slice_groups;
    config.timeout_ms = 2000;
    return open_or_skip(&config);
}

TEST(drain_fits_slices_to_the_queue)
{
    const uint32_t n_slots[] = {8, 16, 64, 1024};
    for (size_t i = 0; i < sizeof n_slots / sizeof *n_slots; i++) {
        struct gravel *gravel = open_drain(n_slots[i], 0);
        uint64_t word = alloc_or_die(gravel, 64);
        OK(send_8_each(gravel, 100, word));
        OK(send_8_each(gravel, 1, word));
        assert_int_equal(word32(gravel, 1, word), 101 * 64 * 8);
        OK(gravel_close(gravel));
    }
}

static void expect_full_queue_is_told(struct gravel *gravel, size_t n_groups)
{
    uint64_t word = alloc_or_die(gravel, 64);
    double begin = seconds_now();
    expect_error(send_8_each(gravel, n_groups, word), GRAVEL_EKERNEL, "found queue 0 full");
    assert_true(is_within(begin, 5));
    print_message("%s\n", gravel_last_error());
    assert_non_null(strstr(gravel_last_error(), "GRAVEL_QUEUE"));
    assert_non_null(strstr(gravel_last_error(), "GRAVEL_SLICE"));
    expect_error(gravel_quiet(gravel), GRAVEL_EKERNEL, "GRAVEL_QUEUE");
    expect_error(gravel_close(gravel), GRAVEL_EKERNEL, "GRAVEL_QUEUE");
}

TEST(queue_too_small_for_a_group_is_told)
{
    expect_full_queue_is_told(open_drain(4, 0), 1);
    expect_full_queue_is_told(open_drain(4, 0), 100);
}

TEST(slice_too_large_for_the_queue_is_told)
{
    expect_full_queue_is_told(open_drain(64, 100), 100);
}

/* ---- pump: kernels wait ---------------------------------------------------------------------- */

/* The caller's own launches are not sliced: leaders that wait may hold every unit. They give up, by the count of their
 * looks where the host's clock cannot reach them, and it is told. @param n_sends  of each group. @param limit_s  by when. */
static void expect_full_device_is_told(const struct gravel_config *config, uint64_t n_sends,
                                       double limit_s)
{
    struct gravel *gravel = open_or_skip(config);
    uint64_t word = alloc_or_die(gravel, 64);
    const uint64_t arguments[3] = {word, n_sends};
    const size_t global_size = 64 * 32, local_size = 64;
    cl_kernel kernel = body_kernel(
        gravel, BODY("for (uint n = 0; n < b; n++) gravel_inc_uint_wg(g, a, 0, 1);"), arguments);
    double begin = seconds_now();
    MUST(clEnqueueNDRangeKernel(gravel_cl_queue(gravel), kernel, 1, NULL, &global_size, &local_size,
                                0, NULL, NULL) == CL_SUCCESS);
    MUST(clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
    clReleaseKernel(kernel);
    print_message("the kernel took %.2f s\n", seconds_now() - begin);
    int code = gravel_barrier(gravel);
    /* A device with more units than groups that wait gets through; else copies pass the kernel, or they do not. */
    const char *part = code == GRAVEL_EKERNEL ? "room in queue 0" : "the device did not answer";
    if (code)
        expect_error(code, code == GRAVEL_EKERNEL ? code : GRAVEL_ETIMEOUT, part);
    else
        assert_int_equal(word32(gravel, 1, word), n_sends * global_size);
    assert_true(is_within(begin, limit_s));
    expect_error(gravel_close(gravel), code, code ? part : "");
}

TEST(launch_that_leaves_no_compute_unit_is_told)
{
    struct gravel_config config = with_step("pump");
    config.queue_bytes = config.slot_bytes = SLOT;
    config.timeout_ms = 200;
    expect_full_device_is_told(&config, 8, 20);
}

/* A long queue: leaders on a CPU device sleep between looks. */
TEST(launch_that_sleeps_on_every_compute_unit_is_told)
{
    struct gravel_config config = with_step("pump");
    config.timeout_ms = 200;
    config.slot_bytes = 768;
    config.queue_bytes = 1024 * 768;
    config.n_aggregators = 1;
    expect_full_device_is_told(&config, 100, 20);
}

const struct fixture fixture = {.limit_s = 170};
