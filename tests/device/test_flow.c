/* SPDX-License-Identifier: MIT */
/*
 * Channel-flow graphs: streams, against plain C, on every step; runs and counters; what calls refuse, and that the text says
 * why. Stacks and every form of a call are in test_flow_calls.c, nodes that break a rule in flow_faults.c.
 *
 * Path: meson test -> this -> lib/flow, cl/flow.cl.h
 */
#include "expect.h"

#include <gravel/flow.h>

/* ---- forms ----------------------------------------------------------------------------------- */

/*
 * in -> out: each number n >= 1 gives n % 4 elements n * 10 + i, by one of five forms.
 * loop -> loop, out: counts down, and says when it is there.
 * whole -> out: a group adds up what its work-items make of one number.
 */
struct number {
    cl_uint n, form;
};
extern const char flow_forms_cl[]; /* kernels/flow_forms.cl */

static const struct gravel_edge in_edges[] = {{"out", 3}};
static const struct gravel_edge loop_edges[] = {{"loop", 1}, {"out", 1}};
static const struct gravel_edge whole_edges[] = {{"out", 1}};
static const struct gravel_channel forms_channels[] = {
    {"in", sizeof(struct number), GRAVEL_STREAM, 64, 1, in_edges},
    {"loop", sizeof(struct number), GRAVEL_STREAM, 64, 2, loop_edges},
    {"whole", sizeof(struct number), GRAVEL_STREAM | GRAVEL_GROUP_NODE, 64, 1, whole_edges},
    {"out", sizeof(struct number), GRAVEL_OUTPUT, 128, 0, NULL}};
#define GROUP_ITEMS 24u

static struct gravel *gravel;
static struct gravel_flow *forms;

static struct gravel_flow *make(const struct gravel_graph *graph, const char *source,
                                const char *function)
{
    struct gravel_flow *flow;
    OK(gravel_flow_create(&flow, gravel, graph));
    OK(gravel_flow_build(flow, "test.cl", source, NULL, function));
    return flow;
}

static void open_all(void)
{
    const struct gravel_graph graph =
        GRAVEL_GRAPH(forms_channels, 4, .depth = 1, .group_items = GROUP_ITEMS);
    gravel = open_loopback(1, NULL);
    forms = make(&graph, flow_forms_cl, "forms");
}

static void close_all(void)
{
    OK(gravel_flow_destroy(forms));
    OK(gravel_close(gravel));
}

/* Empty the output, and count each number in seen[n_seen]. @return how many there were. */
static uint32_t take_numbers(uint32_t *seen, uint32_t n_seen)
{
    struct number taken[32];
    uint32_t n, all = 0;
    do {
        OK(gravel_flow_take(forms, "out", taken, 32, &n));
        for (uint32_t i = 0; i < n; i++) {
            assert_in_range(taken[i].n, 0, n_seen - 1);
            seen[taken[i].n]++;
        }
        all += n;
    } while (n);
    return all;
}

/* In five runs more than the widths, so that all indices wrap; each run by each form of reserving. */
TEST(streams_carry_each_element_once)
{
    static uint32_t seen[1000];
    for (uint32_t run = 0; run < 5; run++) {
        struct number numbers[40];
        uint32_t n_expected = 0;
        memset(seen, 0, sizeof seen);
        for (uint32_t i = 0; i < 40; i++) {
            numbers[i] = (struct number){1 + i + run, (i + run) % 3};
            n_expected += numbers[i].n % 4;
        }
        OK(gravel_flow_push(forms, "in", numbers, 25));
        OK(gravel_flow_push(forms, "in", numbers + 25, 15));
        OK(gravel_flow_run(forms));
        assert_int_equal(take_numbers(seen, 1000), n_expected);
        for (uint32_t i = 0; i < 40; i++)
            for (uint32_t k = 0; k < numbers[i].n % 4; k++)
                assert_int_equal(seen[numbers[i].n * 10 + k], 1);
    }
}

TEST(full_output_stops_the_run_which_goes_on_after_take)
{
    static uint32_t seen[10000];
    struct number numbers[64];
    uint32_t n_taken = 0, n_stuck = 0;
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < 64; i++)
        numbers[i] = (struct number){4 * i + 3, i % 3};
    OK(gravel_flow_push(forms, "in", numbers, 64));
    int code = gravel_flow_run(forms);
    for (; code; code = gravel_flow_run(forms), n_stuck++) {
        expect_error(code, GRAVEL_ESTUCK, "in, level 0: ");
        n_taken += take_numbers(seen, 10000);
    }
    n_taken += take_numbers(seen, 10000);
    assert_int_equal(n_taken, 192);
    assert_int_equal(n_stuck, 1);
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(seen[(4 * i + 3) * 10 + k], 1);
}

TEST(channel_that_feeds_itself_runs_to_its_end)
{
    static uint32_t seen[64];
    struct number numbers[40];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < 40; i++)
        numbers[i] = (struct number){7 * i % 41, i};
    OK(gravel_flow_push(forms, "loop", numbers, 40));
    OK(gravel_flow_run(forms));
    assert_int_equal(take_numbers(seen, 64), 40);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(seen[i], 1);
}

/* What comes from outside leaves it room to work in, so that no run is stuck; posts wait on the host meanwhile. */
TEST(channel_that_feeds_itself_keeps_room_for_that)
{
    static uint32_t seen[100];
    struct number numbers[100];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < 100; i++)
        numbers[i] = (struct number){i % 3, i};
    expect_error(
        gravel_flow_push(forms, "loop", numbers, 64), GRAVEL_ERANGE,
        "64 elements for channel 'loop', which has 0 of 64, and keeps 16 for what it makes "
        "itself: room for 48");
    OK(gravel_flow_push(forms, "loop", numbers, 40));
    OK(gravel_flow_post(forms, "loop", numbers + 40, 60));
    OK(gravel_flow_run(forms));
    uint32_t n_taken = take_numbers(seen, 100);
    OK(gravel_flow_run(forms));
    assert_int_equal(n_taken + take_numbers(seen, 100), 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(seen[i], 1);
}

/* One element, which a lone group may take, and more elements than a group has work-items. */
TEST(group_node_gives_each_group_one_element)
{
    for (uint32_t n = 1; n <= 40; n += 39) {
        static uint32_t seen[2000];
        struct number numbers[40];
        struct gravel_flow_stats before, after;
        memset(seen, 0, sizeof seen);
        for (uint32_t i = 0; i < n; i++)
            numbers[i] = (struct number){i, 4};
        OK(gravel_flow_stats_read(forms, &before, sizeof before));
        OK(gravel_flow_push(forms, "whole", numbers, n));
        OK(gravel_flow_run(forms));
        OK(gravel_flow_stats_read(forms, &after, sizeof after));
        assert_int_equal(take_numbers(seen, 2000), n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(seen[i * GROUP_ITEMS + GROUP_ITEMS * (GROUP_ITEMS - 1) / 2], 1);
        assert_int_equal(after.lanes - before.lanes, n);
        assert_int_equal(after.small_rounds - before.small_rounds, n == 1);
    }
}

/* Counters of a run are a moment old, and whole. */
static void expect_counters_beside_a_run(struct gravel_flow_stats *last)
{
    struct gravel_flow_stats stats;
    uint32_t peak;
    OK(gravel_flow_stats_read(forms, &stats, sizeof stats));
    OK(gravel_flow_channel_read(forms, "loop", NULL, &peak));
    assert_true(stats.run_ns >= last->run_ns && stats.rounds >= last->rounds);
    assert_true(stats.scheduler_ns <= stats.run_ns);
    assert_in_range(peak, 1, 64);
    *last = stats;
}

TEST(run_beside_the_caller_refuses_push_and_take)
{
    struct number number = {1000, 0};
    uint32_t n, seen[64] = {0};
    expect_error(gravel_flow_wait(forms), GRAVEL_EINVAL, "no run");
    OK(gravel_flow_push(forms, "loop", &number, 1));
    OK(gravel_flow_start(forms));
    expect_error(gravel_flow_push(forms, "in", &number, 1), GRAVEL_EINVAL, "under way");
    expect_error(gravel_flow_take(forms, "out", &number, 1, &n), GRAVEL_EINVAL, "under way");
    expect_error(gravel_flow_run(forms), GRAVEL_EINVAL, "under way");
    expect_error(gravel_flow_start(forms), GRAVEL_EINVAL, "under way");
    struct gravel_flow_stats last = {0};
    for (double begin = seconds_now(); seconds_now() - begin < 0.05;)
        expect_counters_beside_a_run(&last);
    OK(gravel_flow_wait(forms));
    expect_counters_beside_a_run(&last);
    assert_int_equal(take_numbers(seen, 64), 1);
}

/* Ten elements, of which number i goes round i times. @return what that adds to the counters */
static struct gravel_flow_stats count_rounds(void)
{
    struct gravel_flow_stats stats;
    struct number numbers[10];
    uint32_t seen[10] = {0};
    for (uint32_t i = 0; i < 10; i++)
        numbers[i] = (struct number){i, i};
    OK(gravel_flow_stats_reset(forms));
    OK(gravel_flow_push(forms, "loop", numbers, 10));
    OK(gravel_flow_run(forms));
    OK(gravel_flow_stats_read(forms, &stats, sizeof stats));
    assert_int_equal(take_numbers(seen, 10), 10);
    return stats;
}

TEST(counters_count)
{
    struct gravel_flow_stats stats = count_rounds();
    uint32_t width, peak;
    assert_int_equal(stats.elements, 55);
    assert_int_equal(stats.runs, 1);
    assert_in_range(stats.rounds, 10, 55);
    assert_in_range(stats.small_rounds, 1, stats.rounds);
    assert_true(stats.lanes >= stats.elements && stats.lanes % GROUP_ITEMS == 0);
    assert_true(stats.run_ns >= stats.scheduler_ns);
    OK(gravel_flow_channel_read(forms, "loop", &width, &peak));
    assert_int_equal(width, 64);
    assert_in_range(peak, 10, 64);
    expect_error(gravel_flow_channel_read(forms, "loops", &width, &peak), GRAVEL_EINVAL, "'loops'");
}

TEST(counters_begin_again_but_bytes)
{
    struct gravel_flow_stats before = count_rounds(), after;
    OK(gravel_flow_stats_reset(forms));
    OK(gravel_flow_stats_read(forms, &after, sizeof after));
    assert_int_equal(after.elements | after.rounds | after.run_ns | after.launches | after.runs, 0);
    assert_int_equal(after.bytes, before.bytes);
}

TEST(bad_calls_are_refused)
{
    struct number numbers[65] = {{1, 1}};
    cl_uint result[32];
    uint32_t n = 0;
    expect_error(gravel_flow_push(forms, "inn", numbers, 1), GRAVEL_EINVAL, "no channel 'inn'");
    expect_error(gravel_flow_push(forms, "out", numbers, 1), GRAVEL_EINVAL, "'out' is an output");
    expect_error(gravel_flow_push(forms, "in", numbers, 65), GRAVEL_ERANGE,
                 "65 elements for channel 'in', which has 0 of 64");
    expect_error(gravel_flow_take(forms, "in", numbers, 1, &n), GRAVEL_EINVAL, "not an output");
    expect_error(gravel_flow_call(forms, "in", numbers, 3, result, 4), GRAVEL_EINVAL, "byte 3");
    expect_error(gravel_flow_call(forms, "in", numbers, 8, result, 4), GRAVEL_EINVAL, "byte 8");
    expect_error(gravel_flow_call(forms, "in", numbers, 4, result, 68), GRAVEL_EINVAL, "68 bytes");
    expect_error(gravel_flow_build(forms, "a", flow_forms_cl, NULL, "forms"), GRAVEL_EINVAL,
                 "already");
    OK(gravel_flow_push(forms, "in", NULL, 0));
    OK(gravel_flow_run(forms));
}

/* ---- refused graphs and programs ------------------------------------------------------------- */

TEST(flow_that_does_not_fit_is_refused)
{
    struct gravel_flow *flow;
    struct gravel_channel channel = {"a", 8, GRAVEL_SPAWN, 1 << 20, 0, NULL};
    const struct gravel_graph graph = GRAVEL_GRAPH(&channel, 1, .depth = 4, .max_bytes = 1 << 20);
    expect_error(gravel_flow_create(&flow, gravel, &graph), GRAVEL_ENOMEM, "a: 2 words x 1048576");
    assert_null(flow);
    channel.kind = 9;
    expect_error(gravel_flow_create(&flow, gravel, &graph), GRAVEL_EINVAL, "kind 9");
}

TEST(program_of_another_record_does_not_build)
{
    static const char source[] = "#include \"gravel.cl.h\"\n"
                                 "struct a { uint n; };\n"
                                 "GRAVEL_RECORD(a)\n"
                                 "kernel void run(GRAVEL_ARENA, GRAVEL_FLOW) {}\n";
    struct gravel_flow *flow;
    struct gravel_channel channel = {"a", 8, GRAVEL_STREAM, 64, 0, NULL};
    const struct gravel_graph graph = GRAVEL_GRAPH(&channel, 1, .depth = 1);
    OK(gravel_flow_create(&flow, gravel, &graph));
    expect_error(gravel_flow_run(flow), GRAVEL_EINVAL, "no kernel yet");
    expect_error(gravel_flow_build(flow, "a.cl", source, NULL, "run"), GRAVEL_EBUILD,
                 "gravelp_record_a_has_record_bytes_of_its_channel");
    OK(gravel_flow_destroy(flow));
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
    struct gravel_graph graph = GRAVEL_GRAPH(&wide[0].channel, 2, .depth = 1);
    struct gravel_flow *flow;
    uint32_t width = 0;
    graph.channel_bytes = sizeof *wide;
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_flow_channel_read(flow, "out", &width, NULL));
    assert_int_equal(width, 32);
    OK(gravel_flow_destroy(flow));
    wide[1].later = 1;
    expect_error(gravel_flow_create(&flow, gravel, &graph), GRAVEL_EINVAL,
                 "graph.channel_bytes is 40, and this library");
    graph.channel_bytes = 0;
    expect_error(gravel_flow_create(&flow, gravel, &graph), GRAVEL_EINVAL,
                 "graph.channel_bytes is 0, and struct gravel_channel has 32 bytes here");
    graph.bytes = 0;
    expect_error(gravel_flow_create(&flow, gravel, &graph), GRAVEL_EINVAL,
                 "graph.bytes is 0, and struct gravel_graph has ");
    assert_null(flow);
}

/* A text longer than the one that a node keeps. */
TEST(run_beside_the_caller_tells_all_that_is_left)
{
    static char name[1200], source[8000];
    memset(name, 'a', sizeof name - 1);
    snprintf(source, sizeof source,
             "#include \"gravel.cl.h\"\n"
             "struct in { uint n; };\n"
             "struct %s { uint n; };\n"
             "GRAVEL_RECORD(in)\n"
             "GRAVEL_RECORD(%s)\n"
             "kernel void fill(GRAVEL_ARENA, GRAVEL_FLOW)\n"
             "{\n"
             "    GRAVEL_FLOW_OPEN(f);\n"
             "    GRAVEL_ROUNDS(f) {\n"
             "        GRAVEL_NODE(f, in) gravel_push_%s_wg_if(f, f.active, (struct %s){1});\n"
             "    }\n"
             "}\n",
             name, name, name, name);
    const struct gravel_edge edge = {name, 1};
    const struct gravel_channel channels[] = {{"in", 4, GRAVEL_STREAM, 64, 1, &edge},
                                              {name, 4, GRAVEL_OUTPUT, 32, 0, NULL}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = 1);
    struct gravel_flow *flow = make(&graph, source, "fill");
    uint32_t numbers[64] = {0};
    OK(gravel_flow_push(flow, "in", numbers, 64));
    OK(gravel_flow_start(flow));
    expect_error(gravel_flow_wait(flow), GRAVEL_ESTUCK, "in, level 0: ");
    assert_non_null(strstr(gravel_last_error(), "a, level 0: "));
    OK(gravel_flow_start(flow));
    expect_error(gravel_flow_destroy(flow), GRAVEL_ESTUCK, "in, level 0: ");
}

const struct fixture fixture = {.open = open_all, .close = close_all};
