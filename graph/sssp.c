/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths. See sssp.cl for how. Without weights they are breadth-first search.
 *
 * Path:    gravel_graph_sssp -> this -> sssp.cl; bfs.c; results.c, parents.c.
 * Owner:   graph->sssp, made at the first call.
 * Threads: one at a time.
 */
#include "search.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char graph_sssp_cl[];

/* struct sssp_sizes of sssp.cl. */
struct sizes {
    cl_ulong width, distances, lows;
    cl_uint n_slots, n_own, first;
};

#define KNOWN_BYTES 64 /* struct sssp_known has fewer */
#define N_LOWS 3u      /* of the heap, behind the distances */
/* Edges of a row that a team walks, and its most work-items: measured on an H200. */
#define PIECE 256u
#define MOST_LANES 16u

struct graph_sssp {
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    struct sizes size;
    cl_mem best, from, changed, near, known;
    struct graph_parents parents;
};

/* ---- how wide buckets are ----------------------------------------------------------------------- */

/* A graph with fewer edges than these takes buckets wider by as much, for its rounds would cost more than what they
 * spare: measured on H200s, kronecker graphs of 2^20 and 2^22 vertices and a mesh of 2^18. */
#define EDGES_OF_ROUNDS 0x1p24

static double weight(const struct gravel_graph *graph, uint64_t edge)
{
    return graph->weight_type == GRAVEL_UINT    ? ((const uint32_t *)graph->weights)[edge]
           : graph->weight_type == GRAVEL_FLOAT ? (double)((const float *)graph->weights)[edge]
                                                : ((const double *)graph->weights)[edge];
}

/* Chooses a few times the mean weight over the mean degree, as a distance's bits: a CPU relaxes edges for longer than it
 * takes to meet. Collective. */
static int choose_width(struct gravel_graph *graph, cl_ulong *width)
{
    double sums[2] = {0, (double)graph->n_edges}; /* weights, edges; of the whole graph */
    for (uint64_t edge = 0; edge < graph->n_edges; edge++)
        sums[0] += weight(graph, edge) / 0x1p32; /* the greatest may not add up */
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_ADD, GRAVEL_DOUBLE, sums, 2));
    const double n = fmax(sums[1], 1), few = graph_lanes(graph) == 1 ? 2 : 8,
                 wider = few * fmax(EDGES_OF_ROUNDS / n, 1),
                 wide = sums[0] / n * 0x1p32 / n * (double)graph->n_vertices * wider;
    if (graph->weight_type == GRAVEL_UINT) {
        *width = (cl_uint)fmin(fmax(round(wide), 1), UINT32_MAX);
    } else if (graph->weight_type == GRAVEL_FLOAT) {
        const float real = (float)fmin(fmax(wide, FLT_MIN), FLT_MAX);
        cl_uint bits;
        memcpy(&bits, &real, sizeof bits);
        *width = bits;
    } else {
        const double real = fmin(fmax(wide, DBL_MIN), DBL_MAX);
        memcpy(width, &real, sizeof real);
    }
    return 0;
}

/* ---- what it keeps -------------------------------------------------------------------------------- */

/* Makes what needs no other node. */
static int make_arrays(struct gravel_graph *graph, struct graph_sssp *sssp)
{
    struct sizes *size = &sssp->size;
    const uint64_t word = graph_weight_bytes(graph->weight_type),
                   slots_bytes = graph->n_slots * word;
    size->n_slots = graph->n_slots;
    size->n_own = graph->n_own;
    size->first = graph_first_slot(graph);
    GRAPH_TRY(graph_need_push(graph));
    GRAPH_TRY(graph_buffer(graph, &sssp->best, NULL, slots_bytes));
    GRAPH_TRY(graph_buffer(graph, &sssp->from, NULL, slots_bytes));
    GRAPH_TRY(graph_buffer(graph, &sssp->changed, NULL, graph->n_slots / 8));
    GRAPH_TRY(graph_buffer(graph, &sssp->near, NULL,
                           sizeof(cl_uint2) * (graph->n_slots + graph->n_edges / PIECE)));
    return graph_buffer(graph, &sssp->known, NULL, KNOWN_BYTES);
}

static int set_arguments(struct gravel_graph *graph, struct graph_sssp *sssp)
{
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(sssp->size),       GRAPH_ARGUMENT(graph->push.offsets),
        GRAPH_ARGUMENT(graph->push.ends), GRAPH_ARGUMENT(graph->push.weights),
        GRAPH_ARGUMENT(sssp->best),       GRAPH_ARGUMENT(sssp->from),
        GRAPH_ARGUMENT(sssp->changed),    GRAPH_ARGUMENT(sssp->near),
        GRAPH_ARGUMENT(sssp->known)};
    GRAPH_TRY(gravel_rounds_kernel(sssp->rounds, &sssp->kernel));
    return graph_set(sssp->kernel, 3, arguments, sizeof arguments / sizeof *arguments);
}

/* Collective. */
static int prepare(struct gravel_graph *graph, const char *call)
{
    char options[96];
    const uint64_t word = graph_weight_bytes(graph->weight_type);
    const uint32_t n_lanes = graph_lanes(graph);
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "sssp.cl", .source = graph_sssp_cl, .options = options,
                              .function = "sssp");
    if (graph->sssp)
        return 0;
    struct graph_sssp *sssp = graph->sssp = calloc(1, sizeof *sssp);
    int code = sssp ? make_arrays(graph, sssp) : graph_fail_memory(call, sizeof *sssp);
    code = graph_agree(graph, call, code);
    if (!code)
        code = choose_width(graph, &sssp->size.width);
    if (!code && graph->n_nodes > 1)
        code = gravel_alloc_named(graph->gravel, "gravel_graph_sssp",
                                  (graph->n_slots + N_LOWS) * word, &sssp->size.distances);
    snprintf(options, sizeof options, "-DLANES=%u -DPIECE=%uu -DN_NODES=%u -DWEIGHT_%s",
             n_lanes < MOST_LANES ? n_lanes : MOST_LANES, PIECE, graph->n_nodes,
             graph_weight_name(graph->weight_type));
    if (!code)
        code = gravel_rounds_create(&sssp->rounds, graph->gravel, &program);
    if (!code) {
        sssp->size.lows = sssp->size.distances + graph->n_slots * word;
        code = graph_agree(graph, call, set_arguments(graph, sssp));
    }
    if (code)
        graph_sssp_free(graph);
    return code;
}

void graph_sssp_free(struct gravel_graph *graph)
{
    struct graph_sssp *sssp = graph->sssp;
    if (!sssp)
        return;
    if (sssp->kernel)
        clReleaseKernel(sssp->kernel);
    gravel_rounds_destroy(sssp->rounds);
    if (sssp->size.distances)
        gravel_free(graph->gravel, sssp->size.distances);
    cl_mem *const buffers[] = {&sssp->best, &sssp->from, &sssp->changed, &sssp->near, &sssp->known};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    graph_parents_free(graph, &sssp->parents);
    free(sssp);
    graph->sssp = NULL;
}

/* ---- the call ------------------------------------------------------------------------------------- */

int gravel_graph_sssp(struct gravel_graph *graph, uint64_t source, void *distances,
                      uint64_t *parents)
{
    const char *call = "gravel_graph_sssp";
    cl_uint slot;
    if (!graph)
        return graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
    if (!graph->weight_type)
        return graph_find_levels(graph, call, source, distances, parents);
    GRAPH_TRY(graph_slot(graph, call, source, &slot));
    GRAPH_TRY(prepare(graph, call));
    struct graph_sssp *sssp = graph->sssp;
    const struct graph_value argument = GRAPH_ARGUMENT(slot);
    GRAPH_TRY(graph_agree(graph, call, graph_set(sssp->kernel, 2, &argument, 1)));
    GRAPH_TRY(gravel_rounds_run(sssp->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, NULL, 0));
    GRAPH_TRY(graph_results(graph, call, sssp->best, true, graph_weight_bytes(graph->weight_type),
                            distances));
    return graph_find_parents(graph, call, &sssp->parents, true, sssp->best, slot, parents);
}
