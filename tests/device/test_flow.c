/* SPDX-License-Identifier: MIT */
/*
 * Channel-flow graphs: each call of the device interface in each form, with groups of an odd size, on every step; runs and
 * counters; nodes that break a rule; what calls refuse, and that the text says why.
 *
 * Path: meson test -> this -> lib/flow, cl/flow.cl.h
 */
#include "expect.h"

#include <gravel/flow.h>

#define GROUP_ITEMS 7u
#define WIDTH 64u

/* Rules that nodes break: as in kernels/flow_calls.cl. */
enum fault { NONE, MANY, NO_EDGE, DEEP, BAD_SLOT, TASK_SLOT, OPEN };

extern const char flow_calls_cl[]; /* kernels/flow_calls.cl */

struct call {
    cl_uint n;
    gravel_slot to;
};
struct loop {
    cl_uint n, number;
};

static const struct gravel_edge call_edges[] = {{"leaf", 1}, {"sums", 1}, {"out", 1}};
static const struct gravel_edge loop_edges[] = {{"loop", 1}, {"out", 1}};
#define CALL_CHANNEL(name)                                            \
    {                                                                 \
        name, sizeof(struct call), GRAVEL_SPAWN, WIDTH, 3, call_edges \
    }
static const struct gravel_channel channels[] = {
    CALL_CHANNEL("by_wg"),
    CALL_CHANNEL("by_wg_if"),
    CALL_CHANNEL("by_wi"),
    CALL_CHANNEL("by_sg"),
    CALL_CHANNEL("by_fork"),
    {"leaf", 24, GRAVEL_SPAWN, WIDTH, 1, call_edges},
    {"sums", 64, GRAVEL_AFTER, WIDTH, 0, NULL},
    {"loop", sizeof(struct loop), GRAVEL_STREAM, WIDTH, 2, loop_edges},
    {"whole", 4, GRAVEL_STREAM | GRAVEL_GROUP_NODE, WIDTH, 1, loop_edges + 1},
    {"out", 4, GRAVEL_OUTPUT, WIDTH, 0, NULL}};

static struct gravel *gravel;
static struct gravel_flow *flow;

static struct gravel_flow *make(enum fault fault)
{
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 10, .depth = 2, .group_items = GROUP_ITEMS);
    const cl_uint row = WIDTH, number = fault; /* row: words from a field to the next */
    struct gravel_flow *made;
    OK(gravel_flow_create(&made, gravel, &graph));
    OK(gravel_flow_build(made, "calls.cl", flow_calls_cl, NULL, "calls"));
    OK(gravel_flow_set_argument(made, 2, sizeof row, &row));
    OK(gravel_flow_set_argument(made, 3, sizeof number, &number));
    return made;
}

static void open_all(void)
{
    gravel = open_loopback(1, NULL);
    flow = make(NONE);
}

static void close_all(void)
{
    OK(gravel_flow_destroy(flow));
    OK(gravel_close(gravel));
}

/* Takes n numbers, each from `first` on by `step` once. */
static void expect_numbers(struct gravel_flow *of, uint32_t n, uint32_t first, uint32_t step)
{
    cl_uint numbers[WIDTH], n_taken;
    uint64_t seen = 0;
    OK(gravel_flow_take(of, "out", numbers, WIDTH, &n_taken));
    assert_int_equal(n_taken, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (numbers[i] - first) / step;
        assert_int_equal(numbers[i], first + at * step);
        assert_true(at < n && !(seen >> at & 1));
        seen |= UINT64_C(1) << at;
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Elements of one channel, whose results add up to their number. */
static void expect_calls(const char *channel, uint32_t n, uint32_t first)
{
    struct call calls[WIDTH] = {{0}};
    cl_uint result[2];
    for (uint32_t i = 0; i < n; i++)
        calls[i] = (struct call){first + i, 1};
    if (n > 1)
        OK(gravel_flow_push(flow, channel, calls, n - 1)); /* to the caller's second word */
    OK(gravel_flow_call(flow, channel, &calls[n - 1], offsetof(struct call, to), result,
                        sizeof result));
    assert_int_equal(result[0], 1);
    assert_int_equal(result[1], n - 1);
    expect_numbers(flow, n, first, 1);
}

TEST(every_call_works_in_every_form)
{
    for (uint32_t n = GROUP_ITEMS; n < WIDTH; n += 3 * GROUP_ITEMS)
        expect_calls("by_wg", n, 1000 + n);
    static const char *const forms[] = {"by_wg_if", "by_wi", "by_sg", "by_fork"};
    for (uint32_t c = 0; c < 4; c++) /* leaves are of full groups */
        expect_calls(forms[c], 2 * GROUP_ITEMS, 17 * c);
}

/* One element, which a lone group may take, and more elements than a group has work-items. */
TEST(group_node_gives_each_group_one_element)
{
    for (uint32_t n = 1; n <= 40; n += 39) {
        cl_uint numbers[40];
        struct gravel_flow_stats stats;
        for (uint32_t i = 0; i < n; i++)
            numbers[i] = i;
        OK(gravel_flow_stats_reset(flow));
        OK(gravel_flow_push(flow, "whole", numbers, n));
        OK(gravel_flow_run(flow));
        OK(gravel_flow_stats_read(flow, &stats, sizeof stats));
        expect_numbers(flow, n, GROUP_ITEMS * (GROUP_ITEMS - 1) / 2, GROUP_ITEMS);
        assert_int_equal(stats.lanes, n);
        assert_int_equal(stats.small_rounds, n == 1);
    }
}

/* Elements `from` to `to` - 1, of which number i goes round i % 8 times. */
static void push_loops(struct gravel_flow *into, uint32_t from, uint32_t to)
{
    struct loop loops[2 * WIDTH];
    for (uint32_t i = from; i < to; i++)
        loops[i - from] = (struct loop){i % 8, i};
    OK(gravel_flow_push(into, "loop", loops, to - from));
}

/* What comes from outside leaves it room to work in, so that no run is stuck; posts wait on the host meanwhile. */
TEST(channel_that_feeds_itself_runs_to_its_end)
{
    struct loop loops[WIDTH] = {{0, 40}};
    for (uint32_t i = 1; i < 20; i++)
        loops[i] = (struct loop){i % 3, 40 + i};
    expect_error(gravel_flow_push(flow, "loop", loops, WIDTH), GRAVEL_ERANGE,
                 "64 elements for channel 'loop', which has 0 of 64, and keeps 7 for what it "
                 "makes itself: room for 57");
    push_loops(flow, 0, 40);
    OK(gravel_flow_post(flow, "loop", loops, 20));
    OK(gravel_flow_run(flow));
    OK(gravel_flow_run(flow));
    expect_numbers(flow, 60, 0, 1);
}

/* Of a run beside the caller, of which waiting and destroying say what is left. */
TEST(full_output_stops_the_run_which_goes_on_after_take)
{
    struct gravel_flow *other = make(NONE);
    for (uint32_t run = 0; run < 2; run++) {
        push_loops(other, 0, 40);
        OK(gravel_flow_run(other));
        push_loops(other, 40, 80);
        OK(gravel_flow_start(other));
        if (run)
            break;
        expect_error(gravel_flow_wait(other), GRAVEL_ESTUCK, "loop, level 0: 16 of 64");
        assert_non_null(strstr(gravel_last_error(), "out, level 0: 64 of 64"));
        cl_uint numbers[WIDTH], n;
        OK(gravel_flow_take(other, "out", numbers, WIDTH, &n));
        OK(gravel_flow_run(other));
        OK(gravel_flow_take(other, "out", numbers + n % WIDTH, WIDTH, &n));
        assert_int_equal(n, 16);
    }
    expect_error(gravel_flow_destroy(other), GRAVEL_ESTUCK, "loop, level 0: 16 of 64");
}

TEST(two_flows_run_at_once)
{
    struct gravel_flow *flows[2] = {flow, make(NONE)};
    for (uint32_t run = 1; run <= 5; run++) {
        for (uint32_t i = 0; i < 2; i++)
            push_loops(flows[i], 100 * run + i, 100 * run + 40);
        for (uint32_t i = 0; i < 2; i++)
            OK(gravel_flow_start(flows[i]));
        for (uint32_t i = 0; i < 2; i++)
            OK(gravel_flow_wait(flows[i]));
        for (uint32_t i = 0; i < 2; i++)
            expect_numbers(flows[i], 40 - i, 100 * run + i, 1);
    }
    OK(gravel_flow_destroy(flows[1]));
}

/* ---- runs and counters ----------------------------------------------------------------------- */

/* Counters of a run are a moment old, and whole. */
static void expect_counters_beside_a_run(struct gravel_flow_stats *last)
{
    struct gravel_flow_stats stats;
    uint32_t peak;
    OK(gravel_flow_stats_read(flow, &stats, sizeof stats));
    OK(gravel_flow_channel_read(flow, "loop", NULL, &peak));
    assert_true(stats.run_ns >= last->run_ns && stats.rounds >= last->rounds);
    assert_true(stats.scheduler_ns <= stats.run_ns);
    assert_in_range(peak, 1, WIDTH);
    *last = stats;
}

TEST(run_beside_the_caller_refuses_push_and_take)
{
    struct loop loop = {1000, 0};
    cl_uint number, n;
    expect_error(gravel_flow_wait(flow), GRAVEL_EINVAL, "no run");
    OK(gravel_flow_push(flow, "loop", &loop, 1));
    OK(gravel_flow_start(flow));
    expect_error(gravel_flow_push(flow, "loop", &loop, 1), GRAVEL_EINVAL, "under way");
    expect_error(gravel_flow_take(flow, "out", &number, 1, &n), GRAVEL_EINVAL, "under way");
    expect_error(gravel_flow_run(flow), GRAVEL_EINVAL, "under way");
    expect_error(gravel_flow_start(flow), GRAVEL_EINVAL, "under way");
    struct gravel_flow_stats last = {0};
    for (double begin = seconds_now(); seconds_now() - begin < 0.05;)
        expect_counters_beside_a_run(&last);
    OK(gravel_flow_wait(flow));
    expect_counters_beside_a_run(&last);
    expect_numbers(flow, 1, 0, 1);
}

TEST(counters_count_and_begin_again_but_bytes)
{
    struct gravel_flow_stats stats, after;
    uint32_t width, peak;
    OK(gravel_flow_stats_reset(flow));
    push_loops(flow, 0, 16);
    OK(gravel_flow_run(flow));
    OK(gravel_flow_stats_read(flow, &stats, sizeof stats));
    expect_numbers(flow, 16, 0, 1);
    assert_int_equal(stats.elements, 16 + 2 * (1 + 2 + 3 + 4 + 5 + 6 + 7));
    assert_int_equal(stats.runs, 1);
    assert_in_range(stats.rounds, 8, stats.elements);
    assert_in_range(stats.small_rounds, 1, stats.rounds);
    assert_true(stats.lanes >= stats.elements && stats.lanes % GROUP_ITEMS == 0);
    assert_true(stats.run_ns >= stats.scheduler_ns);
    OK(gravel_flow_channel_read(flow, "loop", &width, &peak));
    assert_int_equal(width, WIDTH);
    assert_in_range(peak, 16, WIDTH);
    OK(gravel_flow_stats_reset(flow));
    OK(gravel_flow_stats_read(flow, &after, sizeof after));
    assert_int_equal(after.elements | after.rounds | after.run_ns | after.launches | after.runs, 0);
    assert_int_equal(after.bytes, stats.bytes);
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(node_that_breaks_a_rule_ends_the_run_with_its_name)
{
    static const char *const texts[] = {
        [MANY] = "node 'by_wg_if', level 0: 21 elements made at least 7 of channel 'out' more than "
                 "the 1 each",
        [NO_EDGE] =
            "node 'by_wg_if', level 0: 21 elements made at least 7 of channel 'loop' more than "
            "the 0",
        [DEEP] =
            "node 'leaf', level 1: a group spawned 7 of channel 'leaf' at the last of 2 levels",
        [BAD_SLOT] = "node 'by_wg_if', level 0: a result for slot 4294967280",
        [TASK_SLOT] = "node 'by_wg_if', level 0: a result for slot ",
        [OPEN] = "node 'by_wg_if', level 0: 3 calls of gravel_talloc of channel 'out' more than"};
    const struct call calls[3 * GROUP_ITEMS] = {{0}};
    for (enum fault fault = MANY; fault <= OPEN; fault++) {
        struct gravel_flow *other = make(fault);
        OK(gravel_flow_push(other, "by_wg_if", calls, 3 * GROUP_ITEMS));
        expect_error(gravel_flow_run(other), GRAVEL_EKERNEL, texts[fault]);
        expect_error(gravel_flow_run(other), GRAVEL_EKERNEL, "failed before");
        expect_error(gravel_flow_push(other, "by_wg_if", calls, 1), GRAVEL_EKERNEL,
                     "failed before");
        OK(gravel_flow_destroy(other));
    }
    expect_works(gravel);
}

TEST(bad_calls_are_refused)
{
    struct loop loops[WIDTH + 1] = {{0}};
    expect_error(gravel_flow_push(flow, "sums", loops, 1), GRAVEL_EINVAL, "continuations");
    expect_error(gravel_flow_build(flow, "a", flow_calls_cl, NULL, "calls"), GRAVEL_EINVAL,
                 "already");
    OK(gravel_flow_push(flow, "loop", NULL, 0));
    OK(gravel_flow_run(flow));
}

TEST(program_of_another_record_does_not_build)
{
    static const char source[] = "#include \"gravel.cl.h\"\n"
                                 "struct a { uint n; };\n"
                                 "GRAVEL_RECORD(a)\n"
                                 "kernel void run(GRAVEL_ARENA, GRAVEL_FLOW) {}\n";
    struct gravel_flow *other;
    struct gravel_channel channel = {"a", 8, GRAVEL_STREAM, 64, 0, NULL};
    const struct gravel_channel_graph graph = GRAVEL_CHANNEL_GRAPH(&channel, 1, .depth = 1);
    OK(gravel_flow_create(&other, gravel, &graph));
    expect_error(gravel_flow_run(other), GRAVEL_EINVAL, "no kernel yet");
    expect_error(gravel_flow_build(other, "a.cl", source, NULL, "run"), GRAVEL_EBUILD,
                 "gravelp_record_a_has_record_bytes_of_its_channel");
    OK(gravel_flow_destroy(other));
}

/* A channel as a later version may have it. */
struct wide_channel {
    struct gravel_channel channel;
    uint64_t later;
};

TEST(sizes_of_another_version_are_read_or_refused_by_name)
{
    struct wide_channel wide[] = {{{"a", 8, GRAVEL_STREAM, 64, 0, NULL}, 0},
                                  {{"out", 4, GRAVEL_OUTPUT, 32, 0, NULL}, 0}};
    struct gravel_channel_graph graph = GRAVEL_CHANNEL_GRAPH(&wide[0].channel, 2, .depth = 1);
    struct gravel_flow *other;
    uint32_t width = 0;
    graph.channel_bytes = sizeof *wide;
    OK(gravel_flow_create(&other, gravel, &graph));
    OK(gravel_flow_channel_read(other, "out", &width, NULL));
    assert_int_equal(width, 32);
    OK(gravel_flow_destroy(other));
    wide[1].later = 1;
    expect_error(gravel_flow_create(&other, gravel, &graph), GRAVEL_EINVAL,
                 "graph.channel_bytes is 40, and this library");
    graph.channel_bytes = 0;
    expect_error(gravel_flow_create(&other, gravel, &graph), GRAVEL_EINVAL,
                 "graph.channel_bytes is 0, and struct gravel_channel has 32 bytes here");
    graph.bytes = 0;
    expect_error(gravel_flow_create(&other, gravel, &graph), GRAVEL_EINVAL,
                 "graph.bytes is 0, and struct gravel_channel_graph has ");
    assert_null(other);
}

const struct fixture fixture = {.open = open_all, .close = close_all};
