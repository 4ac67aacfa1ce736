/* SPDX-License-Identifier: MIT */
/*
 * Runs a flow on an OpenCL device by the barest means: its memory is one buffer, which is copied before and after every launch.
 * So it runs under oclgrind, which sees races and stray accesses. In the plain form the host chooses every round; in the
 * form with a loop one group does.
 *
 *     oclgrind_flow flow.cl gravel.cl.h
 *
 * Path:    flow.cl -> gravel.cl.h; lib/flow/layout.c, cl/layout/choose.h -> the check here.
 * Exit:    0; 1 with what is wrong; 77 if there is no device.
 */
#include "bare_device.h"
#include "flow/layout.h"
#include "layout/arena.h"
#include "layout/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inlined calls that return structs leave marks that oclgrind 21.10 does not know (llvm.experimental.noalias.scope.decl). */
#define OPTIONS "-cl-std=CL1.2 -cl-opt-disable -DGRAVELP_INLINE=static"
#define GROUP_ITEMS 5u
#define FIB 8u
#define FIB_VALUE 21u
#define N_GRIDS 7u
#define SIDE 3u /* flow.cl's */
#define N_CELLS (SIDE * SIDE)
#define WIDTH 16u /* less than two grids */
#define OUT_WIDTH 64u

struct bench {
    struct bare bare;
    cl_kernel kernel;
    cl_mem arena, memory;
    struct gravel_flow_graph graph;
    struct gravel_flow_layout layout;
    struct gravelp_flow *flow; /* the host's copy */
};

/* ---- the flow -------------------------------------------------------------------------------- */

static void make_flow(struct bench *bench)
{
    const struct gravel_edge of_fib[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_edge of_grid = {"cell", N_CELLS}, of_cell = {"out", 1};
    const struct gravel_channel channels[] = {{"fib", 8, GRAVEL_SPAWN, WIDTH, 2, of_fib},
                                              {"sum", 12, GRAVEL_AFTER, WIDTH, 0, NULL},
                                              {"grid", 4, GRAVEL_STREAM, WIDTH, 1, &of_grid},
                                              {"cell", 12, GRAVEL_HELD, WIDTH, 1, &of_cell},
                                              {"out", 8, GRAVEL_OUTPUT, OUT_WIDTH, 0, NULL}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 5, .depth = FIB);
    const struct gravel_flow_shape shape = {WIDTH, GROUP_ITEMS, UINT64_MAX};
    if (gravel_flow_graph_create(&bench->graph, &graph) ||
        gravel_flow_layout(&bench->layout, &bench->graph, &shape))
        fail("no flow");
    bench->flow = calloc(1, bench->layout.bytes);
    if (!bench->flow)
        fail("no memory for a flow");
    gravel_flow_layout_write(&bench->layout, &bench->graph, bench->flow);
}

static uint32_t *rows_of(const struct bench *bench, const char *channel)
{
    uint32_t c = gravel_flow_graph_find(&bench->graph, channel);
    return (uint32_t *)bench->flow + bench->layout.rows_at / 4 + bench->graph.channels[c].base;
}

/* One task, whose slot is the first word of the result, and the grids. */
static void push(struct bench *bench)
{
    struct gravelp_view view = gravelp_view_of(bench->flow);
    rows_of(bench, "fib")[0] = FIB;
    view.tails[gravel_flow_graph_find(&bench->graph, "fib")] = 1;
    view.tails[gravel_flow_graph_find(&bench->graph, "grid")] = N_GRIDS;
}

static void make_buffers(struct bench *bench)
{
    struct gravelp_arena *arena = calloc(1, sizeof *arena + sizeof(struct gravelp_queue_words));
    if (!arena)
        fail("no memory for an arena");
    arena->n_queues = arena->n_slots = 1;
    arena->queues_offset = sizeof *arena;
    bench->arena =
        bare_buffer(&bench->bare, sizeof *arena + sizeof(struct gravelp_queue_words), arena);
    bench->memory = bare_buffer(&bench->bare, bench->layout.bytes, NULL);
    check_cl(clSetKernelArg(bench->kernel, 0, sizeof bench->arena, &bench->arena),
             "clSetKernelArg");
    check_cl(clSetKernelArg(bench->kernel, 1, sizeof bench->memory, &bench->memory),
             "clSetKernelArg");
    free(arena);
}

static void launch(struct bench *bench, size_t n_groups)
{
    const size_t local = GROUP_ITEMS, global = n_groups * local;
    check_cl(clEnqueueWriteBuffer(bench->bare.queue, bench->memory, CL_TRUE, 0, bench->layout.bytes,
                                  bench->flow, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    bare_launch(&bench->bare, bench->kernel, 1, &global, &local);
    bare_read(&bench->bare, bench->memory, bench->layout.bytes, bench->flow);
    if (gravelp_flow_faults(bench->flow)->claim)
        fail("fault %u", gravelp_flow_faults(bench->flow)->fault);
}

/* A round, or with `loops` all that one group chooses. */
static void play(struct bench *bench, struct gravelp_round round, bool loops)
{
    struct gravelp_view view = gravelp_view_of(bench->flow);
    uint32_t *limits = gravelp_flow_words(bench->flow, bench->flow->limits_at);
    for (uint32_t c = 0; c < bench->flow->n_channels; c++)
        limits[c] = gravelp_view_limit(view, round, c);
    bench->flow->round = round;
    *gravelp_flow_turns(bench->flow) = (struct gravelp_flow_turn){
        .n_groups = 2, /* of which one starts in time; a lone one would leave larger rounds */
        .round = round,
        .most_elements = UINT32_MAX};
    launch(bench, loops ? 1 : (round.n + GROUP_ITEMS - 1) / GROUP_ITEMS);
    if (!loops)
        gravelp_view_end_round(view, round);
}

/* ---- the check ------------------------------------------------------------------------------- */

static uint32_t paths_to(uint32_t column, uint32_t row)
{
    return column && row ? paths_to(column - 1, row) + paths_to(column, row - 1) : 1;
}

static void check(const struct bench *bench)
{
    struct gravelp_view view = gravelp_view_of(bench->flow);
    const uint32_t *result = (const uint32_t *)bench->flow + bench->layout.rows_at / 4;
    const uint32_t *out = rows_of(bench, "out");
    uint32_t n_seen[N_CELLS] = {0};
    if (gravelp_view_has_left(view))
        fail("elements are left");
    if (*result != FIB_VALUE)
        fail("fib(%u) is %u", FIB, *result);
    for (uint32_t i = 0; i < N_GRIDS * N_CELLS; i++) {
        if (out[i] >= N_CELLS || out[OUT_WIDTH + i] != paths_to(out[i] % SIDE, out[i] / SIDE))
            fail("cell %u has %u", out[i], out[OUT_WIDTH + i]);
        n_seen[out[i]]++;
    }
    for (uint32_t at = 0; at < N_CELLS; at++)
        if (n_seen[at] != N_GRIDS)
            fail("cell %u was processed %u times", at, n_seen[at]);
}

static void run(struct bench *bench, bool loops, char *const *files)
{
    static const char *name = "gravel.cl.h";
    struct gravelp_round round;
    char *source = read_text(files[0]);
    make_flow(bench);
    char *text = gravel_flow_prelude(&bench->graph, &bench->layout, loops, "flow.cl", source);
    cl_program program = bare_build(&bench->bare, text, &name, files + 1, 1, OPTIONS);
    bench->kernel = bare_kernel(program, "run_flow");
    make_buffers(bench);
    push(bench);
    uint32_t n_launches = 0;
    for (; (round = gravelp_view_choose(gravelp_view_of(bench->flow))).n; n_launches++)
        play(bench, round, loops);
    check(bench);
    printf("%s, %u launches: as sent\n", loops ? "by one group" : "by the host", n_launches);
    clReleaseMemObject(bench->arena);
    clReleaseMemObject(bench->memory);
    clReleaseKernel(bench->kernel);
    clReleaseProgram(program);
    free(text);
    free(source);
    free(bench->flow);
    gravel_flow_graph_destroy(&bench->graph);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage: oclgrind_flow flow.cl gravel.cl.h");
    struct bench bench = {.bare = open_bare_device()};
    run(&bench, false, argv + 1);
    run(&bench, true, argv + 1);
    close_bare_device(&bench.bare);
    return 0;
}
