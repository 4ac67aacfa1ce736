/* SPDX-License-Identifier: MIT */
/*
 * Flows whose rounds the groups of a launch choose: they process what the host's do, in launches that end with their slice;
 * members that do not come back. And what ends the waits of every scheduler: gravel_abort, and GRAVEL_KERNEL_LIMIT.
 *
 * usage: test_flow_resident         on a device of at least two compute units
 *        test_flow_resident late    members and elements that do not end, which takes seconds
 *        test_flow_resident abort   runs of a node that is given up
 *
 * Path: meson test -> this -> lib/settings/scheduler.c, lib/self_test/meet.c, cl/device/round.cl.h
 */
#include "expect.h"

#include <gravel/flow.h>

#include <stdio.h>
#include <unistd.h>

/* turn -> turn: counts down; each time `looks` steps of a chain of numbers, whose last is the output. */
struct turn {
    cl_uint n, looks, seed;
};

extern const char flow_turns_cl[]; /* kernels/flow_turns.cl */

#define WIDTH 64u
#define GROUP_ITEMS 8u
static const struct gravel_edge turn_edges[] = {{"turn", 1}, {"out", 1}};
static const struct gravel_channel channels[] = {
    {"turn", sizeof(struct turn), GRAVEL_STREAM, WIDTH, 2, turn_edges},
    {"out", sizeof(cl_uint), GRAVEL_OUTPUT, WIDTH, 0, NULL}};
static const struct gravel_channel_graph graph =
    GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = 1, .group_items = GROUP_ITEMS);

static struct gravel *open_scheduled(const char *scheduler, uint32_t n_groups, uint32_t slice_ms,
                                     uint32_t timeout_ms)
{
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    snprintf(config.scheduler, sizeof config.scheduler, "%s", scheduler);
    config.flow_groups = n_groups;
    config.flow_slice_ms = slice_ms;
    config.timeout_ms = timeout_ms ? timeout_ms : config.timeout_ms;
    OK(gravel_open(&gravel, &config, NULL));
    return gravel;
}

static struct gravel_flow *make(struct gravel *gravel)
{
    struct gravel_flow *flow;
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_flow_build(flow, "turns.cl", flow_turns_cl, NULL, "turns"));
    return flow;
}

static cl_uint chain(cl_uint number, uint64_t n)
{
    while (n--)
        number = number * 1664525u + 1013904223u;
    return number;
}

/* ---- schedulers ------------------------------------------------------------------------------ */

/* What each processes in how many launches: one a round, or one for many. */
static void expect_run(const char *scheduler, uint32_t n_groups, uint32_t slice_ms,
                       uint32_t n_turns)
{
    struct gravel *gravel = open_scheduled(scheduler, n_groups, slice_ms, 0);
    struct gravel_flow *flow = make(gravel);
    struct gravel_flow_stats stats;
    struct turn turns[WIDTH / 2];
    cl_uint out[WIDTH], n, sum = 0;
    for (uint32_t i = 0; i < WIDTH / 2; i++) {
        turns[i] = (struct turn){n_turns, 100, i};
        sum -= chain(i, (n_turns + 1) * 100);
    }
    OK(gravel_flow_push(flow, "turn", turns, WIDTH / 2));
    OK(gravel_flow_run(flow));
    OK(gravel_flow_take(flow, "out", out, WIDTH, &n));
    OK(gravel_flow_stats_read(flow, &stats, sizeof stats));
    assert_int_equal(n, WIDTH / 2);
    for (uint32_t i = 0; i < n; i++)
        sum += out[i];
    assert_int_equal(sum, 0);
    assert_int_equal(stats.elements, (n_turns + 1) * (WIDTH / 2));
    if (!strcmp(scheduler, "host"))
        assert_true(stats.launches >= stats.rounds);
    else if (n_groups != 1)
        assert_true(stats.launches < stats.rounds);
    if (slice_ms == 1) /* more rounds than fit a slice */
        assert_true(stats.launches > 1);
    OK(gravel_flow_destroy(flow));
    OK(gravel_close(gravel));
}

/* A group that is alone needs no proof that groups meet. */
TEST(schedulers_process_the_same)
{
    expect_run("host", 0, 100, 20);
    expect_run("resident", 0, 1, 1000);
    expect_run("resident", 1, 100, 20);
}

/* ---- members that do not come back ----------------------------------------------------------- */

/* Of two members one has an element that takes far longer than the other waits. @return what the run returned. */
static int run_late(uint32_t looks, const char *part)
{
    struct gravel *gravel = open_scheduled("resident", 2, 100, 100);
    struct gravel_flow *flow = make(gravel);
    struct turn turns[2 * GROUP_ITEMS] = {{0}};
    turns[GROUP_ITEMS].looks = looks;
    OK(gravel_flow_push(flow, "turn", turns, 2 * GROUP_ITEMS));
    int code = gravel_flow_run(flow);
    if (code)
        expect_error(code, GRAVEL_ETIMEOUT, part);
    if (code)
        expect_error(gravel_flow_run(flow), GRAVEL_ETIMEOUT, "failed before");
    OK(gravel_flow_destroy(flow));
    expect_works(gravel);
    OK(gravel_close(gravel));
    return code;
}

/* A device may have started one group only by the time the list is closed; then no group waits. */
TEST_OF("late", late_member_is_told)
{
    int code = 0;
    for (uint32_t i = 0; i < 10 && !code; i++)
        code = run_late(1000000000u, "node 'turn', level 0: 1 of 2 work-groups that choose rounds");
    assert_int_equal(code, GRAVEL_ETIMEOUT);
}

/* Which ends at last, so that the test does. */
TEST_OF("late", element_that_does_not_end_is_named)
{
    const struct turn turn = {0, 3000000000u, 1};
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    config.kernel_limit_ms = 1000;
    snprintf(config.scheduler, sizeof config.scheduler, "host");
    OK(gravel_open(&gravel, &config, NULL));
    struct gravel_flow *flow = make(gravel);
    OK(gravel_flow_push(flow, "turn", &turn, 1));
    expect_error(gravel_flow_run(flow), GRAVEL_EKERNEL, "node 'turn', level 0, on: ");
    clFinish(gravel_cl_queue(gravel));
    expect_error(gravel_flow_run(flow), GRAVEL_EKERNEL, "failed before");
    OK(gravel_flow_destroy(flow));
    OK(gravel_close(gravel));
}

/* ---- a node that is given up ------------------------------------------------------------------ */

#define WHY "KeyError: 23"

/* Abort while the run of these elements waits. Closing says it too, and waits for nobody. */
static void expect_abort(const char *scheduler, uint32_t n_groups, const struct turn *turns,
                         uint32_t n)
{
    struct gravel *gravel = open_scheduled(scheduler, n_groups, 100, 0);
    struct gravel_flow *flow = make(gravel);
    OK(gravel_flow_push(flow, "turn", turns, n));
    OK(gravel_flow_start(flow));
    usleep(100000);
    OK(gravel_abort(gravel, WHY));
    double begin = seconds_now();
    expect_error(gravel_flow_wait(flow), GRAVEL_EABORT, WHY);
    expect_error(gravel_flow_run(flow), GRAVEL_EABORT, "failed before");
    OK(gravel_flow_destroy(flow));
    expect_error(gravel_close(gravel), GRAVEL_EABORT, WHY);
    assert_true(is_within(begin, 10));
}

/* Rounds that would go on for minutes: the wait for a launch, or for its slice. */
TEST_OF("abort", abort_ends_a_run_between_rounds)
{
    struct turn turns[2 * GROUP_ITEMS];
    for (uint32_t i = 0; i < 2 * GROUP_ITEMS; i++)
        turns[i] = (struct turn){100000000, 1, i};
    expect_abort("host", 2, turns, 2 * GROUP_ITEMS);
    expect_abort("resident", 1, turns, 1);
    expect_abort("resident", 2, turns, 2 * GROUP_ITEMS);
}

/* One member waits for another whose element takes part of a second, on a GPU some. */
TEST_OF("abort", abort_ends_a_run_in_which_a_member_waits)
{
    struct turn turns[2 * GROUP_ITEMS] = {{0}};
    turns[GROUP_ITEMS] = (struct turn){100000000, 300000000, 1};
    expect_abort("resident", 2, turns, 2 * GROUP_ITEMS);
    expect_abort("resident", 1, turns + GROUP_ITEMS,
                 1); /* which waits for nobody, in a launch of many rounds */
}

const struct fixture fixture = {.limit_s = 90};
