/* SPDX-License-Identifier: MIT */
/*
 * Steps pump and drain slice launches as the settings say, and report a queue that is too small for drain. Which step a
 * device can take is in unit ladder.
 *
 * Path: meson test -> this -> lib/device/capability.c, device.c, lib/node/launch.c, lib/pump/pump.c
 */
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

static struct gravel_config with_step(const char *step)
{
    char setting[32];
    snprintf(setting, sizeof setting, "step=%s", step);
    return loopback_with(2, setting);
}

static struct gravel *open_or_skip(const struct gravel_config *config)
{
    struct gravel *gravel;
    const int code = gravel_open(&gravel, config, NULL);
    if (!code)
        return gravel;
    expect_error(code, GRAVEL_ECAPABILITY, " take step ");
    skip_because(gravel_last_error());
}

/* ---- slices ---------------------------------------------------------------------------------- */

TEST(slice_that_leaves_the_pump_no_compute_unit_is_refused)
{
    struct gravel_config config = with_step("pump");
    OK(gravel_close(open_or_skip(&config)));
    config.slice_groups = UINT32_MAX;
    expect_no_open(&config, NULL, GRAVEL_ECONFIG, "GRAVEL_SLICE");
}

/* What would count one slice only does not build, rather than count wrong; on svm, whose launches are whole, it does. */
TEST(counts_of_a_whole_launch_build_where_it_is_whole)
{
    const char *const calls[] = {"get_global_size(0)", "get_num_groups(0)",
                                 "get_global_linear_id()"};
    const char *const steps[] = {"pump", "drain", "svm"};
    for (int step = 0; step < 3; step++) {
        struct gravel_config config = with_step(steps[step]);
        config.build_options[0] = 0; /* what the library says alone */
        struct gravel *gravel = open_or_skip(&config);
        for (int i = 0; i < 6; i++) {
            char source[256];
            cl_program program = NULL;
            snprintf(source, sizeof source,
                     i < 3 ? "ulong asked(void) { return %s; }\n#include \"gravel.cl.h\"\n"
                           : "#include \"gravel.cl.h\"\nulong asked(void) { return %s; }\n",
                     calls[i % 3]);
            int code = gravel_program_build(gravel, "size.cl", source, NULL, &program);
            expect_error(code, step < 2 ? GRAVEL_EBUILD : 0, "launches_are_sliced");
            clReleaseProgram(program);
        }
        OK(gravel_close(gravel));
    }
}

/* ---- drain: no kernel waits ------------------------------------------------------------------ */

#define SLOT 9280u

/* Groups of 64 work-items that send 8 packages each, by a queue of so many slots. */
static void expect_sent(uint32_t n_slots, uint32_t slice_groups, size_t n_groups, bool fits)
{
    struct gravel_config config = with_step("drain");
    config.queue_bytes = (uint64_t)n_slots * SLOT;
    config.slot_bytes = SLOT;
    config.slice_groups = slice_groups;
    config.timeout_ms = 2000;
    struct gravel *gravel = open_or_skip(&config);
    uint64_t word = alloc_or_die(gravel, 64);
    double begin = seconds_now();
    int code =
        run_body(gravel, BODY("for (uint n = 0; n < 8; n++) gravel_inc_uint_wg(g, a, 0, 1);"),
                 64 * n_groups, 64, word, 0, 0);
    const int due = fits ? 0 : GRAVEL_EKERNEL;
    expect_error(code, due, "found queue 0 full");
    if (code) {
        assert_true(is_within(begin, 5));
        assert_non_null(strstr(gravel_last_error(), "GRAVEL_QUEUE"));
        assert_non_null(strstr(gravel_last_error(), "GRAVEL_SLICE"));
    } else {
        assert_int_equal(word32(gravel, 1, word), n_groups * 64 * 8);
    }
    expect_error(gravel_quiet(gravel), due, "GRAVEL_QUEUE");
    expect_error(gravel_close(gravel), due, "GRAVEL_QUEUE");
}

TEST(drain_fits_slices_to_the_queue)
{
    expect_sent(8, 0, 1, true);
    expect_sent(8, 0, 100, true);
    expect_sent(512, 0, 100, true);
}

TEST(queue_too_small_for_a_group_or_a_slice_is_told)
{
    expect_sent(4, 0, 1, false);
    expect_sent(4, 0, 100, false);
    expect_sent(64, 100, 100, false);
}

const struct fixture fixture = {.limit_s = 120};
