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

static int open_all(void **state)
{
    (void)state;
    gravel = open_loopback(2, NULL);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    OK(gravel_close(gravel));
    return 0;
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

/*
 * by_wg, by_wg_if, by_wi, by_sg, by_fork: sync, spawn and push in that form; by_sg as by_wg_if without sub-groups. leaf: each return to a word of its own, by all
 * forms of it. sums: checks all of them, and adds 1 to the result if they are right.
 *
 * _wg needs a full group: all elements of a channel are pushed together, a group's worth.
 */
static const char calls_cl[] =
    "#include \"gravel.cl.h\"\n"
    "struct by_wg { uint n; gravel_slot to; };\n"
    "struct by_wg_if { uint n; gravel_slot to; };\n"
    "struct by_wi { uint n; gravel_slot to; };\n"
    "struct by_sg { uint n; gravel_slot to; };\n"
    "struct by_fork { uint n; gravel_slot to; };\n"
    "struct leaf { uint n; gravel_slot i, u, f, l, ul; };\n"
    "struct sums { uint n; gravel_slot to; int i, i_if, i_wi; uint u, u_if, u_wi;\n"
    "    float f, f_if, f_wi; long l; ulong ul; };\n"
    "struct out { uint n; };\n"
    "GRAVEL_RECORD(by_wg)\n"
    "GRAVEL_RECORD(by_wg_if)\n"
    "GRAVEL_RECORD(by_wi)\n"
    "GRAVEL_RECORD(by_sg)\n"
    "GRAVEL_RECORD(by_fork)\n"
    "GRAVEL_RECORD(leaf)\n"
    "GRAVEL_RECORD(sums)\n"
    "GRAVEL_RECORD(out)\n"
    "struct sums sums_of(uint n, gravel_slot to)\n"
    "{\n"
    "    return (struct sums){n, to, 1, 2, 3, 4, 5, 6, 0.25f, 0.5f, 0.75f, 7, 8};\n"
    "}\n"
    "struct leaf leaf_of(struct gravel_flow_group f, uint n, gravel_ce s)\n"
    "{\n"
    "    return (struct leaf){n, GRAVEL_SLOT(f, s, sums, i), GRAVEL_SLOT(f, s, sums, u),\n"
    "                         GRAVEL_SLOT(f, s, sums, f), GRAVEL_SLOT(f, s, sums, l),\n"
    "                         GRAVEL_SLOT(f, s, sums, ul)};\n"
    "}\n"
    "void by_wg_task(struct gravel_flow_group f, struct by_wg it)\n"
    "{\n"
    "    gravel_ce s = gravel_sync_sums_wg(f, sums_of(it.n, it.to));\n"
    "    gravel_spawn_leaf_wg(f, leaf_of(f, it.n, s));\n"
    "    gravel_push_out_wg(f, (struct out){it.n});\n"
    "}\n"
    "void by_wg_if_task(struct gravel_flow_group f, uint active, struct by_wg_if it)\n"
    "{\n"
    "    gravel_ce s = gravel_sync_sums_wg_if(f, active, sums_of(it.n, it.to));\n"
    "    gravel_spawn_leaf_wg_if(f, active, leaf_of(f, it.n, s));\n"
    "    gravel_push_out_wg_if(f, active, (struct out){it.n});\n"
    "}\n"
    "void by_wi_task(struct gravel_flow_group f, uint active, struct by_wi it)\n"
    "{\n"
    "    gravel_barrier_wg(f.group);\n"
    "    if (active) {\n"
    "        gravel_ce s = gravel_sync_sums_wi(f, sums_of(it.n, it.to));\n"
    "        gravel_spawn_leaf_wi(f, leaf_of(f, it.n, s));\n"
    "        gravel_push_out_wi(f, (struct out){it.n});\n"
    "    }\n"
    "    gravel_barrier_wg(f.group);\n"
    "}\n"
    "#ifdef GRAVEL_HAS_SUBGROUPS\n"
    "#define BY_SG(call, ...) call##_sg_if(__VA_ARGS__)\n"
    "#define ENQ_BY_SG gravel_enq_sg\n"
    "#else\n"
    "#define BY_SG(call, ...) call##_wg_if(__VA_ARGS__)\n"
    "#define ENQ_BY_SG gravel_enq_wg\n"
    "#endif\n"
    "void by_sg_task(struct gravel_flow_group f, uint active, struct by_sg it)\n"
    "{\n"
    "    gravel_ce s = BY_SG(gravel_sync_sums, f, active, sums_of(it.n, it.to));\n"
    "    BY_SG(gravel_spawn_leaf, f, active, leaf_of(f, it.n, s));\n"
    "    gravel_ce ce = BY_SG(gravel_talloc, f, active, GRAVEL_CHANNEL(out), 1);\n"
    "    gravel_write_out_wg_if(f, active, GRAVEL_CHANNEL(out), ce, (struct out){it.n});\n"
    "    ENQ_BY_SG(f, GRAVEL_CHANNEL(out));\n"
    "}\n"
    "void by_fork_task(struct gravel_flow_group f, uint active, struct by_fork it)\n"
    "{\n"
    "    struct gravel_fork fork = gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(sums), "
    "GRAVEL_CHANNEL(leaf), 1);\n"
    "    gravel_write_sums_wg_if(f, active, GRAVEL_CHANNEL(sums), fork.after, sums_of(it.n, "
    "it.to));\n"
    "    gravel_write_leaf_wg_if(f, active, GRAVEL_CHANNEL(leaf), fork.first, leaf_of(f, it.n, "
    "fork.after));\n"
    "    gravel_ce ce = gravel_talloc_wg_if(f, active, GRAVEL_CHANNEL(out), 1);\n"
    "    gravel_write_out_wg_if(f, active, GRAVEL_CHANNEL(out), ce, (struct out){it.n});\n"
    "    gravel_enq_wg(f, GRAVEL_CHANNEL(out));\n"
    "}\n"
    "/* Slots of neighbouring fields are a row apart. */\n"
    "void leaf_task(struct gravel_flow_group f, uint active, struct leaf it, uint row)\n"
    "{\n"
    "    gravel_return_int_wg_if(f, active, it.i, -(int)it.n);\n"
    "    gravel_return_add_int_wg_if(f, active, it.i + row, -1);\n"
    "    gravel_return_uint_wg(f, it.u, it.n + 1);\n"
    "    gravel_return_add_uint_wg_if(f, active, it.u + row, it.n);\n"
    "    gravel_return_float_wg_if(f, active, it.f, 0.5f * it.n);\n"
    "    gravel_return_add_float_wg(f, it.f + row, 2.5f);\n"
    "    gravel_return_long_wg(f, it.l, -(long)it.n << 33);\n"
    "    gravel_return_ulong_wg(f, it.ul, (ulong)it.n << 34 | 5);\n"
    "    if (active) {\n"
    "        gravel_return_int_wi(f, it.i + 2 * row, (int)it.n);\n"
    "        gravel_return_add_uint_wi(f, it.u + 2 * row, 9);\n"
    "        gravel_return_add_float_wi(f, it.f + 2 * row, -0.5f);\n"
    "    }\n"
    "    gravel_barrier_wg(f.group);\n"
    "}\n"
    "void sums_task(struct gravel_flow_group f, uint active, struct sums it)\n"
    "{\n"
    "    uint is_right = it.i == -(int)it.n && it.i_if == 1 && it.i_wi == (int)it.n && it.u == "
    "it.n + 1 &&\n"
    "                    it.u_if == 5 + it.n && it.u_wi == 15 && it.f == 0.5f * it.n && it.f_if == "
    "3.0f &&\n"
    "                    it.f_wi == 0.25f && it.l == -(long)it.n << 33 && it.ul == ((ulong)it.n << "
    "34 | 5);\n"
    "    gravel_return_add_uint_wg_if(f, active, it.to, is_right ? 1 : 1000);\n"
    "}\n"
    "kernel void calls(GRAVEL_ARENA, GRAVEL_FLOW, uint row)\n"
    "{\n"
    "    GRAVEL_FLOW_OPEN(f);\n"
    "    GRAVEL_ROUNDS(f) {\n"
    "        GRAVEL_NODE(f, by_wg) by_wg_task(f, gravel_read_by_wg_wi(f));\n"
    "        GRAVEL_NODE(f, by_wg_if) by_wg_if_task(f, f.active, gravel_read_by_wg_if_wi(f));\n"
    "        GRAVEL_NODE(f, by_wi) by_wi_task(f, f.active, gravel_read_by_wi_wi(f));\n"
    "        GRAVEL_NODE(f, by_sg) by_sg_task(f, f.active, gravel_read_by_sg_wi(f));\n"
    "        GRAVEL_NODE(f, by_fork) by_fork_task(f, f.active, gravel_read_by_fork_wi(f));\n"
    "        GRAVEL_NODE(f, leaf) leaf_task(f, f.active, gravel_read_leaf_wi(f), row);\n"
    "        GRAVEL_NODE(f, sums) sums_task(f, f.active, gravel_read_sums_wi(f));\n"
    "    }\n"
    "}\n";

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
    cl_uint numbers[64], result, n_taken;
    for (uint32_t i = 0; i < n; i++)
        calls[i].n = first + i;
    if (n > 1)
        OK(gravel_flow_push(flow, channel, calls, n - 1)); /* to the caller's first word too */
    OK(gravel_flow_call(flow, channel, &calls[n - 1], offsetof(struct call, to), &result,
                        sizeof result));
    assert_int_equal(result, n);
    OK(gravel_flow_take(flow, "out", numbers, 64, &n_taken));
    assert_int_equal(n_taken, n);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_in_range(numbers[i], first, first + n - 1);
        seen |= UINT64_C(1) << (numbers[i] - first);
    }
    assert_true(seen == (UINT64_C(2) << (n - 1)) - 1);
}

static void every_call_works_in_every_form(void **state)
{
    (void)state;
    const struct gravel_graph graph =
        GRAVEL_GRAPH(call_channels, 8, .depth = 2, .group_items = GROUP_ITEMS);
    struct gravel_flow *flow = make(&graph, calls_cl, "calls");
    const cl_uint row = 64; /* words from a field to the next: the width */
    OK(gravel_flow_set_argument(flow, 2, sizeof row, &row));
    for (uint32_t n = GROUP_ITEMS; n < 64; n += 3 * GROUP_ITEMS)
        expect_calls(flow, "by_wg", n, 1000 + n);
    OK(gravel_flow_destroy(flow));
    flow = make(&graph, calls_cl, "calls");
    OK(gravel_flow_set_argument(flow, 2, sizeof row, &row));
    static const char *const channels[] = {"by_wg_if", "by_wi", "by_sg", "by_fork"};
    for (uint32_t c = 0; c < 4; c++) /* leaves are of full groups */
        expect_calls(flow, channels[c], 2 * GROUP_ITEMS, 17 * c);
    OK(gravel_flow_destroy(flow));
}

/* ---- one level, messages, two flows ------------------------------------------------------------- */

/* Tasks of a stack of one level, each of which sends: it increments the word of its number at each node. */
static const char sends_cl[] =
    "#include \"gravel.cl.h\"\n"
    "struct task { uint n, times; };\n"
    "struct out { uint n; };\n"
    "GRAVEL_RECORD(task)\n"
    "GRAVEL_RECORD(out)\n"
    "kernel void sends(GRAVEL_ARENA, GRAVEL_FLOW, ulong words)\n"
    "{\n"
    "    GRAVEL_FLOW_OPEN(f);\n"
    "    GRAVEL_ROUNDS(f) {\n"
    "        GRAVEL_NODE(f, task) {\n"
    "            struct task it = gravel_read_task_wi(f);\n"
    "#ifdef SENDS\n"
    "            gravel_inc_uint_wg_if(f.group, f.active, words, it.n, 0);\n"
    "            gravel_inc_uint_wg_if(f.group, f.active, words, it.n, 1);\n"
    "#endif\n"
    "            gravel_push_out_wg_if(f, f.active, (struct out){it.n * it.times});\n"
    "        }\n"
    "    }\n"
    "}\n";
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
    OK(gravel_flow_build(flow, "sends.cl", sends_cl, n_messages ? "-DSENDS" : NULL, "sends"));
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

static void tasks_send_messages(void **state)
{
    (void)state;
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

static void two_flows_run_at_once(void **state)
{
    (void)state;
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

static const char endless_cl[] =
    "#include \"gravel.cl.h\"\n"
    "struct task { uint n; };\n"
    "GRAVEL_RECORD(task)\n"
    "kernel void endless(GRAVEL_ARENA, GRAVEL_FLOW, ulong gate)\n"
    "{\n"
    "    GRAVEL_FLOW_OPEN(f);\n"
    "    GRAVEL_ROUNDS(f) {\n"
    "        GRAVEL_NODE(f, task) {\n"
    "            struct task it = gravel_read_task_wi(f);\n"
    "            gravel_spawn_task_wg_if(f, f.active && it.n, (struct task){it.n - 1});\n"
    "            global uint *word = (global uint *)gravelp_heap(f.group.arena, gate);\n"
    "            while (f.active && it.n == 0 && gravelp_load_acquire(word) == 0)\n"
    "                gravelp_pause(0, false);\n"
    "            gravel_barrier_wg(f.group);\n"
    "        }\n"
    "    }\n"
    "}\n";

/* Where the host's stores reach a running kernel: the task ends at last, so that the test does. */
static void task_that_never_ends_is_named(void **state)
{
    (void)state;
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
    OK(gravel_flow_build(flow, "endless.cl", endless_cl, NULL, "endless"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_works_in_every_form),
        cmocka_unit_test(tasks_send_messages),
        cmocka_unit_test(two_flows_run_at_once),
        cmocka_unit_test(task_that_never_ends_is_named),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
