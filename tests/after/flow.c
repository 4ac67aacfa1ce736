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
    strcpy(config->scheduler, "lone");
}

static void make(struct gravel *gravel)
{
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = 1, .group_items = 32);
    OK(gravel_flow_create(&flow, gravel, &graph));
}

static int build_without_loop(struct gravel *gravel)
{
    (void)gravel;
    return gravel_flow_build(flow, "add.cl", source, "-DNO_LOOP", "add");
}

static void no_half_is_there(struct gravel *gravel, int code)
{
    cl_uint numbers[N], out[N], sum = 0, n;
    cl_kernel kernel;
    (void)gravel;
    after_expect(code, GRAVEL_EBUILD, "no registers");
    after_expect(gravel_flow_run(flow), GRAVEL_EINVAL, "no kernel yet");
    after_expect(gravel_flow_kernel(flow, "add", &kernel), GRAVEL_EINVAL, "not built yet");
    OK(gravel_flow_build(flow, "add.cl", source, NULL, "add"));
    for (cl_uint i = 0; i < N; i++)
        numbers[i] = i;
    OK(gravel_flow_push(flow, "in", numbers, N));
    OK(gravel_flow_run(flow));
    OK(gravel_flow_take(flow, "out", out, N, &n));
    for (cl_uint i = 0; i < n; i++)
        sum += out[i];
    MUST(n == N && sum == N * (N + 1) / 2);
    OK(gravel_flow_destroy(flow));
}

const struct after_row flow_rows[] = {
    {"flow", "the second form of its program does not build", "the flow is not built",
     .configure = choose_lone, .prepare = make, .act = build_without_loop,
     .hold = no_half_is_there},
    {0},
};
