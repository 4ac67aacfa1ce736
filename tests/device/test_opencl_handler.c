/* SPDX-License-Identifier: MIT */
/*
 * Handlers written in OpenCL C: host functions run behind them, they run while kernels wait for the room that they make,
 * those that are asked run once. What they do is shown by gravel-conformance, what they see by histories, what is refused by
 * unit decode_rows.
 *
 * Path: meson test -> this -> lib/serve/calls.c, lib/device/device.c, lib/node/agree.c, lib/network/resolving.c
 */
#include <stdlib.h>
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

static int ignore(struct gravel *node, void *user, uint32_t source, const uint64_t *args)
{
    (void)node, (void)user, (void)source, (void)args;
    return 0;
}

enum { TURN, DRAW, NARROW }; /* by position */

static struct gravel_handler handlers[] = {
    {.name = "turn", .n_args = 2},
    {.name = "draw", .n_args = 2, .n_answers = 1, .serve = {.n_keys = 1}},
    {.name = "narrow", .n_args = 2, .arg_bytes = 4, .function = ignore},
    {.name = "tally", .n_args = 2},
    {.name = "nothing", .n_args = 0},
    {.name = "note_run", .n_args = 0, .function = note_run},
    {.name = "wide", .n_args = 2, .function = ignore},
};

static struct gravel_bindings table =
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

/* ---- those that are asked -------------------------------------------------------------------- */

#define N_KEYS 7u
#define N_ASKED 3072u

/* Message i is for node i % N_KEYS % N_NODES and key i % N_KEYS: each got a number of its own. If two handlers ran at once, or an
 * answer went to a wrong place, a number would come twice or not at all. */
static void expect_drawn(struct gravel *node, uint64_t numbers, uint64_t answers, uint32_t bytes)
{
    static unsigned char seen[N_KEYS][N_ASKED];
    const void *got = read_map(node, 0, answers, (uint64_t)N_ASKED * bytes);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < N_ASKED; i++) {
        const uint64_t answer = bytes == 4 ? ((const cl_uint *)got)[i] : ((const cl_ulong *)got)[i];
        const uint32_t key = i % N_KEYS, number = (uint32_t)answer & 0xffff;
        assert_int_equal(answer >> 16, key % N_NODES | key << 8);
        assert_in_range(number, 0, (N_ASKED - key - 1) / N_KEYS);
        assert_int_equal(seen[key][number]++, 0);
    }
    unmap(node, got);
    for (uint32_t key = 0; key < N_KEYS; key++)
        assert_int_equal(word32(node, key % N_NODES, numbers + 4 * key),
                         (N_ASKED - key - 1) / N_KEYS + 1);
}

/* Servers as they are derived; with lists, as on a GPU; with owners of the program's choice. */
TEST(groups_ask)
{
    static const struct {
        uint32_t n_servers, server_items, arg_bytes;
        const char *options;
    } rows[] = {
        {0, 0, 8, ""}, {5, 32, 4, "-DGRAVEL_FORM_SCAN"}, {3, 0, 8, "-DGRAVEL_OWNER(key,n)=(key)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gravel_config config = loopback_config(N_NODES);
        handlers[DRAW].arg_bytes = rows[i].arg_bytes;
        table.device_code.options = rows[i].arg_bytes == 4 ? "-DNUMBER=uint" : NULL;
        config.timeout_ms *= patience();
        config.n_servers = rows[i].n_servers;
        config.server_items = rows[i].server_items;
        config.buffer_bytes = 1u << 20; /* runs so long that groups that serve run side by side */
        if (*rows[i].options)
            strcpy(config.build_options, rows[i].options);
        struct gravel *node = scoped_node(&config, &table);
        const uint64_t numbers = alloc_or_die(node, 4 * N_KEYS);
        const uint64_t answers = alloc_or_die(node, 8 * N_ASKED), signal = alloc_or_die(node, 64);
        OK(run_body(node,
                    BODY("struct gravel_reply reply = {b, c};"
                         "gravel_ask2_wg(g, GRAVEL_HANDLER(draw), i % 7, a, reply, "
                         "(uint)i, i % 7 % 3);"),
                    N_ASKED, 64, numbers, answers, signal));
        expect_drawn(node, numbers, answers, rows[i].arg_bytes);
        assert_int_equal(word32(node, 0, signal), N_ASKED);
    }
}

static uint64_t sent_bytes(void)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, 1));
    return stats.buffer_bytes;
}

TEST(of_narrow_arguments_half_as_much_travels)
{
    const uint64_t before = sent_bytes(), args[] = {7, UINT64_C(1) << 32};
    OK(run_body(gravel, BODY("gravel_am2_wg(g, GRAVEL_HANDLER(wide), i, 2, 1);"), N_ASKED, 64, 0, 0,
                0));
    const uint64_t between = sent_bytes();
    OK(run_body(gravel, BODY("gravel_am2_wg(g, GRAVEL_HANDLER(narrow), i, 2, 1);"), N_ASKED, 64, 0,
                0, 0));
    assert_in_range(between - before, 16 * N_ASKED, 18 * N_ASKED);
    assert_in_range(sent_bytes() - between, 8 * N_ASKED, 9 * N_ASKED);
    expect_error(gravel_am(gravel, NARROW, args, 2, 1), GRAVEL_EINVAL,
                 "handler narrow takes arguments of 4 bytes, and argument 1 is 4294967296");
    expect_error(run_body(gravel, BODY("gravel_am2_wg(g, 2, i, 2, 1);"), 64, 64, 0, 0, 0),
                 GRAVEL_EHANDLER, "(narrow) takes arguments of 4 bytes, the message has them of 8");
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
