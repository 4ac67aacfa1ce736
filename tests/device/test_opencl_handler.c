/* SPDX-License-Identifier: MIT */
/*
 * Handlers written in OpenCL C: host functions run behind them, they run while kernels wait for the room that they make,
 * and what is refused. What they do is shown by gravel-conformance, what they see by histories.
 *
 * Path: meson test -> this -> lib/serve/calls.c, lib/device/device.c, lib/node/agree.c
 */
#include <unistd.h>

#include "expect.h"

#define N_NODES 3u

extern const char opencl_handler_cl[]; /* kernels/opencl_handler.cl */

static _Atomic bool has_run;

static int note_run(struct gravel *node, void *user, uint32_t from,
                    const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)from, (void)args;
    has_run = true;
    return 0;
}

#define TURN 2u /* by position */

static const struct gravel_handler handlers[] = {
    {.name = "tally", .n_args = 2},
    {.name = "nothing", .n_args = 0},
    {.name = "turn", .n_args = 2},
    {.name = "note_run", .n_args = 0, .function = note_run},
};

static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = opencl_handler_cl, .device_code.name = "tally.cl");

static struct gravel *gravel;
static uint64_t words; /* heap: uint [4096] */

static void open_node(void)
{
    gravel = open_loopback(N_NODES, &table);
    words = alloc_or_die(gravel, 4096 * 4);
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

static void reset(void)
{
    for (uint32_t node = 0; node < N_NODES; node++)
        fill(gravel, node, words, 0, 4096 * 4);
    OK(gravel_barrier(gravel));
}

/* ---- what they do ---------------------------------------------------------------------------- */

/* Behind a handler of the device that takes its time, and an update, all in one node buffer. */
TEST(host_function_runs_after_what_was_sent_before_it)
{
    const size_t n = 64;
    cl_kernel kernel =
        scoped_body(gravel,
                    BODY("gravel_am2_wg_if(g, i == 0, GRAVEL_HANDLER(turn), a, b, 0);"
                         "gravel_inc_uint_wg(g, a, 0, 0);"
                         "gravel_am0_wg_if(g, i == 0, GRAVEL_HANDLER(note_run), 0);"),
                    words, 4000000, 0);
    for (uint32_t round = 1; round <= 5; round++) {
        has_run = false;
        OK(gravel_launch(gravel, kernel, 1, &n, &n, 0, NULL, NULL));
        while (!has_run)
            usleep(100);
        assert_int_equal(word32(gravel, 0, words), round * (1 + n));
        OK(gravel_barrier(gravel));
    }
}

/* Two million calls without arguments need no room on the wire: long runs. */
TEST(long_runs_of_empty_messages_end)
{
    OK(gravel_stats_reset(gravel));
    OK(run_body(gravel,
                BODY("for (uint n = 0; n < 32; n++) gravel_am0_wg(g, GRAVEL_HANDLER(nothing), 0);"),
                65536, 256, 0, 0, 0));
    const struct gravel_stats stats = stats_of(gravel);
    assert_int_equal(stats.resolved_messages, 32 * 65536);
}

/* ---- room that handlers must make ------------------------------------------------------------ */

/* One slot and small buffers: groups wait for room until calls have been run, again and again. */
TEST(handlers_run_while_kernels_wait_for_room)
{
    struct gravel_config config = loopback_config(2);
    config.n_aggregators = 1;
    config.slot_bytes = config.queue_bytes = 9280;
    config.buffer_bytes = 1024;
    config.n_buffers = 1;
    struct gravel *node = scoped_node(&config, &table);
    if (takes_step(node, "drain"))
        skip_because("no kernel waits on step drain");
    uint64_t counters = alloc_or_die(node, 4096);
    OK(run_body(node,
                BODY("for (uint n = 0; n < 8; n++)"
                     "    gravel_am2_wg(g, GRAVEL_HANDLER(tally), a, (i + n) % 32, i % 2);"),
                8192, 256, counters, 0, 0));
    const struct gravel_stats stats = stats_of(node);
    assert_true(stats.queue_full_waits > 0);
    uint32_t sum = 0;
    for (uint32_t key = 0; key < 32; key++)
        sum += word32(node, 0, counters + 4 * key) + word32(node, 1, counters + 4 * key);
    assert_int_equal(sum, 8 * 8192);
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Where launches are cut for the handlers' sake, a slice that leaves them no room is refused. */
TEST(slices_without_room_are_refused)
{
    struct gravel_config config = loopback_config(1);
    config.slice_groups = 1000000;
    struct gravel *node;
    int code = gravel_open(&node, &config, &table);
    if (!code) { /* drain, or cores beside: all groups may be launched at once */
        const char *step = gravel_step(node);
        assert_true(!strcmp(step, "drain") || !strcmp(step, "svm") || !strcmp(step, "usm"));
        OK(gravel_close(node));
        return;
    }
    expect_error(code, GRAVEL_ECONFIG, "GRAVEL_SLICE=1000000");
}

/* ---- one that does not end ------------------------------------------------------------------- */

/* It turns for seconds, not for ever, so that this process can end: divisions that wait for each other. */
TEST(endless_handler_is_named)
{
    struct gravel_config config = loopback_config(2);
    struct gravel *node;
    config.timeout_ms = 1000;
    OK(gravel_open(&node, &config, &table));
    const uint64_t few[2] = {alloc_or_die(node, 64), 1000}, many[2] = {few[0], 300000000};
    OK(gravel_am(node, TURN, few, 2, 1));
    OK(gravel_barrier(node));
    assert_int_equal(word32(node, 1, few[0]), 1);
    double begin = seconds_now();
    OK(gravel_am(node, TURN, many, 2, 1));
    int code = gravel_barrier(node);
    expect_error(code, GRAVEL_EKERNEL, "handler turn has not ended within 0.5 s");
    expect_error(gravel_close(node), GRAVEL_EKERNEL, "handler turn");
    print_message("told after %.2f s\n", seconds_now() - begin);
}

const struct fixture fixture = {.open = open_node, .close = close_node, .before = reset};
