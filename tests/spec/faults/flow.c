/* SPDX-License-Identifier: MIT */
/*
 * Flows after an error: what is not built can be built.
 *
 * Path: main.c -> this -> lib/flow
 */
#include "after.h"

#include <gravel/flow.h>

#include <string.h>

#define N 100u

static const struct gravel_edge edges[] = {{"out", 1}};
static const struct gravel_channel channels[] = {
    {"in", sizeof(cl_uint), GRAVEL_STREAM, 256, 1, edges},
    {"out", sizeof(cl_uint), GRAVEL_OUTPUT, 256, 0, NULL}};

static struct gravel_flow *flow;

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "#if defined NO_LOOP && defined GRAVELP_FLOW_LOOP\n"
                             "#error no registers\n"
                             "#endif\n"
                             "struct in { uint n; };\n"
                             "struct out { uint n; };\n"
                             "GRAVEL_RECORD(in)\n"
                             "GRAVEL_RECORD(out)\n"
                             "void in_task(struct gravel_flow_group f, uint active, struct in it)\n"
                             "{\n"
                             "    gravel_push_out_wg_if(f, active, (struct out){it.n + 1});\n"
                             "}\n"
                             "kernel void add(GRAVEL_ARENA, GRAVEL_FLOW)\n"
                             "{\n"
                             "    GRAVEL_FLOW_OPEN(f);\n"
                             "    GRAVEL_ROUNDS (f) {\n"
                             "        GRAVEL_NODE (f, in)\n"
                             "            in_task(f, f.active, gravel_read_in_wi(f));\n"
                             "    }\n"
                             "}\n";

/* Builds a second form of the program. */
static void choose_lone(struct gravel_config *config)
{
    strcpy(config->scheduler, "resident");
    config->flow_groups = 1;
}

static int create(void)
{
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = 1, .group_items = 32);
    int code = gravel_flow_create(&flow, gravel, &graph);
    MUST(!code == !!flow);
    return code;
}

static void make(void)
{
    OK(create());
}

static int build_without_loop(void)
{
    return gravel_flow_build(flow, "add.cl", source, "-DNO_LOOP", "add");
}

static int build(void)
{
    return gravel_flow_build(flow, "add.cl", source, NULL, "add");
}

static int push(void)
{
    cl_uint numbers[N];
    for (cl_uint i = 0; i < N; i++)
        numbers[i] = i;
    return gravel_flow_push(flow, "in", numbers, N);
}

static int run(void)
{
    return gravel_flow_run(flow);
}

/* Of what has been pushed `times` times, all has come out, once; then the flow ends. */
static void expect_out(uint32_t times)
{
    cl_uint out[2 * N], sum = 0, n;
    OK(gravel_flow_run(flow));
    OK(gravel_flow_take(flow, "out", out, 2 * N, &n));
    for (cl_uint i = 0; i < n; i++)
        sum += out[i];
    MUST(n == times * N && sum == times * N * (N + 1) / 2);
    OK(gravel_flow_destroy(flow));
}

static void built_next(void)
{
    OK(push());
    expect_out(1);
}

static void created_next(void)
{
    OK(build());
    built_next();
}

static void no_half_is_there(void)
{
    cl_kernel kernel;
    after_expect(gravel_flow_run(flow), GRAVEL_EINVAL, "no kernel yet");
    after_expect(gravel_flow_kernel(flow, "add", &kernel), GRAVEL_EINVAL, "not built yet");
    created_next();
}

static void make_and_build(void)
{
    make();
    OK(build());
}

static void make_and_push(void)
{
    make_and_build();
    OK(push());
}

static void pushed_next(void)
{
    OK(push());
    expect_out(acted ? 1 : 2);
}

static void ended_by_a_run(void)
{
    if (acted) {
        after_expect(gravel_flow_run(flow), acted, "the flow has failed before");
        OK(gravel_flow_destroy(flow));
        make_and_push();
    }
    expect_out(1);
}

static int destroy(void)
{
    int code = gravel_flow_destroy(flow);
    flow = NULL;
    return code;
}

static void others_run(void)
{
    make_and_push();
    expect_out(1);
}

static void drop(void)
{
    gravel_flow_destroy(flow);
}

const struct after_row flow_rows[] = {
    {"flow", "the second form of its program does not build", "the flow is not built",
     .configure = choose_lone, .prepare = make, .act = build_without_loop, .code = GRAVEL_EBUILD,
     .part = "no registers", .hold = no_half_is_there},
    {"flow", "gravel_flow_create", "the next makes it", .act = create, .hold = created_next,
     .fails = AFTER_ALL, .is_repeated = true, .drop = drop},
    {"flow", "gravel_flow_build", "the next builds it", .prepare = make, .act = build,
     .hold = built_next, .fails = AFTER_ALL, .is_repeated = true, .drop = drop},
    {"flow", "gravel_flow_push", "none is added", .prepare = make_and_build, .act = push,
     .hold = pushed_next, .fails = AFTER_ALL, .drop = drop},
    {"flow", "gravel_flow_run", "another flow runs", .prepare = make_and_push, .act = run,
     .hold = ended_by_a_run, .fails = AFTER_ALL, .drop = drop},
    {"flow", "gravel_flow_destroy", "others run", .prepare = make_and_push, .act = destroy,
     .hold = others_run, .fails = AFTER_ALL},
    {0},
};
