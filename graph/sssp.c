/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths. See sssp.cl for how. Without weights they are breadth-first search.
 *
 * Path:    gravel_graph_sssp -> this -> keep.c, sssp.cl; bfs.c; results.c, parents.c.
 * Owner:   graph->sssp, made at the first call.
 * Threads: one at a time.
 */
#include "graph.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char graph_sssp_cl[];

/* struct sssp_sizes of sssp.cl. */
struct sizes {
    cl_ulong width, distances, marks;
    cl_uint n_slots, n_own, first;
};

#define KNOWN_BYTES 64 /* struct sssp_known has fewer */
/* Edges of a row that a team walks, and its most work-items: measured on an H200. */
#define PIECE 256u
#define MOST_LANES 16u

/* Buffers that are kept. */
enum { BEST, FROM, CHANGED, MARKED, NEAR, KNOWN };

/* ---- how wide buckets are ----------------------------------------------------------------------- */

/* A graph with fewer edges than these takes buckets wider by as much, for its rounds would cost more than what they
 * spare: measured on H200s, kronecker graphs of 2^20 and 2^22 vertices and a mesh of 2^18. */
#define EDGES_OF_ROUNDS 0x1p24

/* Chooses a few times the mean weight over the mean degree, as a distance's bits: a CPU relaxes edges for longer than it
 * takes to meet. Collective. */
static int choose_width(struct gravel_graph *graph, cl_ulong *width)
{
    double sums[2] = {0, (double)graph->n_edges}; /* weights, edges; of the whole graph */
    for (uint64_t edge = 0; edge < graph->n_edges; edge++)
        sums[0] +=
            graph_weight(graph->weight_type, graph->weights, edge) / 0x1p32; /* they add up */
    GRAPH_TRY(graph_reduce(graph, GRAVEL_ADD, GRAVEL_DOUBLE, sums, 2));
    const double n = fmax(sums[1], 1), few = graph_lanes(graph) == 1 ? 2 : 8,
                 wider = few * fmax(EDGES_OF_ROUNDS / n, 1),
                 wide = sums[0] / n * 0x1p32 / n * (double)graph->n_vertices * wider;
    const cl_uint whole = (cl_uint)fmin(fmax(round(wide), 1), UINT32_MAX);
    const float real = (float)fmin(fmax(wide, FLT_MIN), FLT_MAX);
    const double wide_real = fmin(fmax(wide, DBL_MIN), DBL_MAX);
    *width = 0;
    memcpy(width,
           graph->weight_type == GRAVEL_UINT    ? (const void *)&whole
           : graph->weight_type == GRAVEL_FLOAT ? (const void *)&real
                                                : &wide_real,
           graph_weight_bytes(graph->weight_type)); /* the low bytes are first */
    return 0;
}

/* ---- the call ------------------------------------------------------------------------------------- */

/* Collective. */
static int make(struct gravel_graph *graph, const char *call, struct graph_kept *kept)
{
    cl_mem *own = kept->buffers;
    const uint64_t word = graph_weight_bytes(graph->weight_type), n = graph->n_slots,
                   marks_bytes = graph_marks_bytes(graph);
    const uint32_t n_lanes = graph_lanes(graph);
    char options[96];
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "sssp.cl", .source = graph_sssp_cl, .options = options,
                              .function = "sssp");
    struct sizes size = {
        .n_slots = graph->n_slots, .n_own = graph->n_own, .first = graph_first_slot(graph)};
    snprintf(options, sizeof options, "-DLANES=%u -DPIECE=%uu -DN_NODES=%u -DWEIGHT_%s",
             n_lanes < MOST_LANES ? n_lanes : MOST_LANES, PIECE, graph->n_nodes,
             graph_weight_name(graph->weight_type));
    GRAPH_TRY(choose_width(graph, &size.width));
    const int code =
        graph_keep_heap(graph, call, kept, graph_need_push(graph), n * word + 2 * marks_bytes);
    size.distances = kept->heap;
    size.marks = kept->heap + n * word;
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(size),
        GRAPH_ARGUMENT(graph->push.offsets),
        GRAPH_ARGUMENT(graph->push.ends),
        GRAPH_ARGUMENT(graph->push.weights),
        GRAPH_ROOM(own[BEST], n * word),
        GRAPH_ROOM(own[FROM], n * word),
        GRAPH_ROOM(own[CHANGED], n / 8),
        GRAPH_ROOM(own[MARKED], marks_bytes),
        GRAPH_ROOM(own[NEAR], sizeof(cl_uint2) * (n + graph->n_edges / PIECE)),
        GRAPH_ROOM(own[KNOWN], KNOWN_BYTES)};
    return graph_keep_rounds(graph, call, kept, code, &program, 3, arguments, GRAPH_N(arguments));
}

int gravel_graph_sssp(struct gravel_graph *graph, uint64_t source, void *distances,
                      uint64_t *parents)
{
    static const char call[] = "gravel_graph_sssp";
    uint32_t slot;
    GRAPH_TRY(graph_enter(graph, call));
    if (!graph->weight_type)
        return graph_find_levels(graph, call, source, distances, parents);
    struct graph_kept *kept = &graph->sssp;
    const cl_mem *best = &kept->buffers[BEST];
    GRAPH_TRY(graph_slot(graph, call, source, &slot));
    if (!kept->is_whole)
        GRAPH_TRY(make(graph, call, kept));
    GRAPH_TRY(graph_run(graph, call, kept, GRAPH_SET(kept->kernels[0], 2, GRAPH_UINT(slot))));
    GRAPH_TRY(
        graph_results(graph, call, *best, true, graph_weight_bytes(graph->weight_type), distances));
    return graph_find_parents(graph, call, &graph->sssp_parents, true, *best, slot, parents);
}
