/* SPDX-License-Identifier: MIT */
/*
 * Conformance of flows: each call of the device interface in each form, with groups of an odd size; stacks of a single
 * level; tasks that send messages; two flows of a node at once; a task that never ends.
 *
 * Path: meson test -> this -> cl/flow.cl.h, lib/flow
 */
#include "expect.h"

#include <gravel/flow.h>

#include <stdlib.h>

#define GROUP_ITEMS 7u

static struct gravel *gravel;

static void open_all(void)
{
    gravel = open_loopback(2, NULL);
}

static void close_all(void)
{
    OK(gravel_close(gravel));
}

static struct gravel_flow *make(const struct gravel_graph *graph, const char *source,
                                const char *function)
{
    struct gravel_flow *flow;
    OK(gravel_flow_create(&flow, gravel, graph));
    OK(gravel_flow_build(flow, "test.cl", source, NULL, function));
    return flow;
}

/* ---- every call in every form ------------------------------------------------------------------ */

extern const char flow_calls_cl[]; /* kernels/flow_calls.cl */

struct call {
    cl_uint n;
    gravel_slot to;
};
static const struct gravel_edge call_edges[] = {{"leaf", 1}, {"sums", 1}, {"out", 1}};
#define CALL_CHANNEL(name)                                         \
    {                                                              \
        name, sizeof(struct call), GRAVEL_SPAWN, 64, 3, call_edges \
    }
static const struct gravel_channel call_channels[] = {CALL_CHANNEL("by_wg"),
                                                      CALL_CHANNEL("by_wg_if"),
                                                      CALL_CHANNEL("by_wi"),
                                                      CALL_CHANNEL("by_sg"),
                                                      CALL_CHANNEL("by_fork"),
                                                      {"leaf", 24, GRAVEL_SPAWN, 64, 0, NULL},
                                                      {"sums", 64, GRAVEL_AFTER, 64, 0, NULL},
                                                      {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};

/* Elements of one channel, whose results add up to their number. */
static void expect_calls(struct gravel_flow *flow, const char *channel, uint32_t n, uint32_t first)
{
    struct call calls[64] = {{0}};
    cl_uint numbers[64], result[2], n_taken;
    for (uint32_t i = 0; i < n; i++)
        calls[i] = (struct call){first + i, 1};
    if (n > 1)
        OK(gravel_flow_push(flow, channel, calls, n - 1)); /* to the caller's second word */
    OK(gravel_flow_call(flow, channel, &calls[n - 1], offsetof(struct call, to), result,
                        sizeof result));
    assert_int_equal(result[0], 1);
    assert_int_equal(result[1], n - 1);
    OK(gravel_flow_take(flow, "out", numbers, 64, &n_taken));
    assert_int_equal(n_taken, n);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_in_range(numbers[i], first, first + n - 1);
        seen |= UINT64_C(1) << (numbers[i] - first);
    }
    assert_true(seen == (UINT64_C(2) << (n - 1)) - 1);
}

TEST(every_call_works_in_every_form)
{
    const struct gravel_graph graph =
        GRAVEL_GRAPH(call_channels, 8, .depth = 2, .group_items = GROUP_ITEMS);
    struct gravel_flow *flow = make(&graph, flow_calls_cl, "calls");
    const cl_uint row = 64; /* words from a field to the next: the width */
    OK(gravel_flow_set_argument(flow, 2, sizeof row, &row));
    expect_error(gravel_flow_push(flow, "sums", &row, 1), GRAVEL_EINVAL, "continuations");
    for (uint32_t n = GROUP_ITEMS; n < 64; n += 3 * GROUP_ITEMS)
        expect_calls(flow, "by_wg", n, 1000 + n);
    OK(gravel_flow_destroy(flow));
    flow = make(&graph, flow_calls_cl, "calls");
    OK(gravel_flow_set_argument(flow, 2, sizeof row, &row));
    static const char *const channels[] = {"by_wg_if", "by_wi", "by_sg", "by_fork"};
    for (uint32_t c = 0; c < 4; c++) /* leaves are of full groups */
        expect_calls(flow, channels[c], 2 * GROUP_ITEMS, 17 * c);
    OK(gravel_flow_destroy(flow));
}

/* ---- one level, messages, two flows ------------------------------------------------------------- */

extern const char flow_sends_cl[]; /* kernels/flow_sends.cl */
#define N_TASKS 50u
static const struct gravel_edge send_edges[] = {{"out", 1}};
static const struct gravel_channel send_channels[] = {{"task", 8, GRAVEL_SPAWN, 64, 1, send_edges},
                                                      {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};

static struct gravel_flow *make_sender(uint32_t n_messages, uint64_t words)
{
    const struct gravel_graph graph = GRAVEL_GRAPH(
        send_channels, 2, .depth = 1, .group_items = GROUP_ITEMS, .n_messages = n_messages);
    struct gravel_flow *flow;
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_flow_build(flow, "sends.cl", flow_sends_cl, n_messages ? "-DSENDS" : NULL, "sends"));
    OK(gravel_flow_set_argument(flow, 2, sizeof words, &words));
    return flow;
}

static void push_tasks(struct gravel_flow *flow, uint32_t times)
{
    cl_uint tasks[N_TASKS][2];
    for (uint32_t i = 0; i < N_TASKS; i++)
        tasks[i][0] = i, tasks[i][1] = times;
    OK(gravel_flow_push(flow, "task", tasks, N_TASKS));
}

static void expect_outputs(struct gravel_flow *flow, uint32_t times)
{
    cl_uint numbers[64], n, sum = 0;
    OK(gravel_flow_take(flow, "out", numbers, 64, &n));
    assert_int_equal(n, N_TASKS);
    for (uint32_t i = 0; i < n; i++)
        sum += numbers[i];
    assert_int_equal(sum, times * (N_TASKS * (N_TASKS - 1) / 2));
}

TEST(tasks_send_messages)
{
    uint64_t words = alloc_or_die(gravel, N_TASKS * 4);
    struct gravel_flow *flow = make_sender(2, words);
    for (uint32_t run = 1; run <= 3; run++) {
        push_tasks(flow, run);
        OK(gravel_flow_run(flow));
        expect_outputs(flow, run);
        OK(gravel_quiet(gravel));
        for (uint32_t node = 0; node < 2; node++)
            for (uint32_t i = 0; i < N_TASKS; i++)
                assert_int_equal(word32(gravel, node, words + 4 * i), run);
        /* The next run's messages come behind these reads by way of a kernel, which ThreadSanitizer does not see. */
        OK(gravel_barrier(gravel));
    }
    OK(gravel_flow_destroy(flow));
    OK(gravel_free(gravel, words));
}

TEST(two_flows_run_at_once)
{
    struct gravel_flow *flows[2] = {make_sender(0, 0), make_sender(0, 0)};
    for (uint32_t run = 1; run <= 5; run++) {
        for (uint32_t i = 0; i < 2; i++)
            push_tasks(flows[i], run + 10 * i);
        for (uint32_t i = 0; i < 2; i++)
            OK(gravel_flow_start(flows[i]));
        for (uint32_t i = 0; i < 2; i++)
            OK(gravel_flow_wait(flows[i]));
        for (uint32_t i = 0; i < 2; i++)
            expect_outputs(flows[i], run + 10 * i);
    }
    OK(gravel_flow_destroy(flows[0]));
    OK(gravel_flow_destroy(flows[1]));
}

/* ---- a task that never ends ----------------------------------------------------------------------- */

extern const char flow_endless_cl[]; /* kernels/flow_endless.cl */

/* Where the host's stores reach a running kernel: the task ends at last, so that the test does. */
TEST(task_that_never_ends_is_named)
{
    static const struct gravel_edge edges[] = {{"task", 1}};
    static const struct gravel_channel channel = {"task", 4, GRAVEL_SPAWN, 64, 1, edges};
    const struct gravel_graph graph =
        GRAVEL_GRAPH(&channel, 1, .depth = 3, .group_items = GROUP_ITEMS);
    struct gravel_config config = loopback_config(1);
    struct gravel *node;
    struct gravel_flow *flow;
    const cl_uint task = 2;
    config.kernel_limit_ms = 2000 * patience(); /* more than the first run, which compiles */
    snprintf(config.scheduler, sizeof config.scheduler, "host");
    OK(gravel_open(&node, &config, NULL));
    if (!takes_step(node, "svm")) {
        OK(gravel_close(node));
        skip();
    }
    uint64_t gate = alloc_or_die(node, 64);
    OK(gravel_flow_create(&flow, node, &graph));
    OK(gravel_flow_build(flow, "endless.cl", flow_endless_cl, NULL, "endless"));
    OK(gravel_flow_set_argument(flow, 2, sizeof gate, &gate));
    cl_uint *word = map_or_die(node, 0, gate, sizeof *word, CL_MAP_WRITE);
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    OK(gravel_flow_push(flow, "task", &task, 1));
    OK(gravel_flow_run(flow));
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    OK(gravel_flow_push(flow, "task", &task, 1));
    expect_error(gravel_flow_run(flow), GRAVEL_EKERNEL, "node 'task', level 2, on: ");
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    unmap(node, word);
    clFinish(gravel_cl_queue(node));
    expect_error(gravel_flow_run(flow), GRAVEL_EKERNEL, "failed before");
    OK(gravel_flow_destroy(flow));
    OK(gravel_close(node));
}

const struct fixture fixture = {.open = open_all, .close = close_all};
