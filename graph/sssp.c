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
    cl_uint n_slots, n_own, first, most;
};

#define KNOWN_BYTES 96 /* of struct sssp_known, at most */
#define N_LOWS 3u      /* of the heap, behind the distances */

struct graph_sssp {
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    struct sizes size;
    cl_mem best, offered, sent, near, far, marks, known;
    void *distances; /* [n_slots] at the host */
    struct graph_parents parents;
};

/* ---- how wide buckets are ----------------------------------------------------------------------- */

/* A graph with fewer edges than these takes buckets wider by as much, for its rounds would cost more than what they
 * spare (apps/sssp/width.c measured it). */
#define EDGES_OF_ROUNDS 0x1p22

static double weight(const struct gravel_graph *graph, uint64_t edge)
{
    return graph->weight_type == GRAVEL_UINT    ? ((const uint32_t *)graph->weights)[edge]
           : graph->weight_type == GRAVEL_FLOAT ? (double)((const float *)graph->weights)[edge]
                                                : ((const double *)graph->weights)[edge];
}

/* Chooses twice the mean weight over the mean degree, as a distance's bits. Collective. */
static int choose_width(struct gravel_graph *graph, cl_ulong *width)
{
    double sums[2] = {0, (double)graph->n_edges}; /* weights, edges; of the whole graph */
    for (uint64_t edge = 0; edge < graph->n_edges; edge++)
        sums[0] += weight(graph, edge) / 0x1p32; /* the greatest may not add up */
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_ADD, GRAVEL_DOUBLE, sums, 2));
    const double n = fmax(sums[1], 1), wider = fmax(EDGES_OF_ROUNDS / n, 1),
                 wide = sums[0] / n * 0x1p32 / n * (double)graph->n_vertices * 2 * wider;
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
    const uint64_t word = graph_weight_bytes(graph->weight_type), n_own = graph->n_own,
                   slots_bytes = graph->n_slots * word;
    size->n_slots = graph->n_slots;
    size->n_own = graph->n_own;
    size->first = graph_first_slot(graph);
    size->most = graph->n_slots + (cl_uint)(graph->n_edges / GRAPH_PIECE);
    GRAPH_TRY(graph_need_push(graph));
    GRAPH_TRY(graph_buffer(graph, &sssp->best, NULL, slots_bytes));
    GRAPH_TRY(graph_buffer(graph, &sssp->offered, NULL, n_own * word));
    GRAPH_TRY(graph_buffer(graph, &sssp->sent, NULL, graph->n_nodes > 1 ? n_own * word : 0));
    GRAPH_TRY(graph_buffer(graph, &sssp->near, NULL, 2 * sizeof(cl_uint2) * size->most));
    GRAPH_TRY(graph_buffer(graph, &sssp->far, NULL, 3 * sizeof(cl_uint) * n_own));
    GRAPH_TRY(graph_buffer(graph, &sssp->marks, NULL, 2 * sizeof(cl_uint) * n_own));
    GRAPH_TRY(graph_buffer(graph, &sssp->known, NULL, KNOWN_BYTES));
    sssp->distances = malloc(slots_bytes);
    return sssp->distances ? 0 : graph_fail_memory("gravel_graph_sssp: distances", slots_bytes);
}

static int set_arguments(struct gravel_graph *graph, struct graph_sssp *sssp)
{
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(sssp->size),       GRAPH_ARGUMENT(graph->push.offsets),
        GRAPH_ARGUMENT(graph->push.ends), GRAPH_ARGUMENT(graph->push.weights),
        GRAPH_ARGUMENT(sssp->best),       GRAPH_ARGUMENT(sssp->offered),
        GRAPH_ARGUMENT(sssp->sent),       GRAPH_ARGUMENT(sssp->near),
        GRAPH_ARGUMENT(sssp->far),        GRAPH_ARGUMENT(sssp->marks),
        GRAPH_ARGUMENT(sssp->known)};
    GRAPH_TRY(gravel_rounds_kernel(sssp->rounds, &sssp->kernel));
    return graph_set(sssp->kernel, 3, arguments, sizeof arguments / sizeof *arguments);
}

/* Collective. */
static int prepare(struct gravel_graph *graph, const char *call)
{
    char options[96];
    const uint64_t word = graph_weight_bytes(graph->weight_type);
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
    snprintf(options, sizeof options, "-DLANES=%u -DN_NODES=%u -DWEIGHT_%s", graph_lanes(graph),
             graph->n_nodes, graph_weight_name(graph->weight_type));
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
    cl_mem *const buffers[] = {&sssp->best, &sssp->offered, &sssp->sent, &sssp->near,
                               &sssp->far,  &sssp->marks,   &sssp->known};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    graph_parents_free(graph, &sssp->parents);
    free(sssp->distances);
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
    const uint32_t word = graph_weight_bytes(graph->weight_type);
    const struct graph_value argument = GRAPH_ARGUMENT(slot);
    GRAPH_TRY(graph_agree(graph, call, graph_set(sssp->kernel, 2, &argument, 1)));
    GRAPH_TRY(gravel_rounds_run(sssp->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, NULL, 0));
    GRAPH_TRY(graph_agree(graph, call,
                          distances ? graph_read(graph, sssp->best, 0, sssp->distances,
                                                 (uint64_t)graph->n_slots * word)
                                    : 0));
    if (distances)
        graph_pick(graph, distances, sssp->distances, word);
    return graph_find_parents(graph, call, &sssp->parents, true, sssp->best, slot, parents);
}
