/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search. See bfs.cl for how.
 *
 * Path:    gravel_graph_bfs, and gravel_graph_sssp without weights -> this -> keep.c, bfs.cl; results.c, parents.c.
 * Owner:   graph->bfs, made at the first call.
 * Threads: one at a time.
 */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

extern const char graph_bfs_cl[];

/* struct bfs_sizes of bfs.cl. */
struct sizes {
    cl_ulong total, fronts;
    cl_uint n_slots, n_words, first, n_pulled, n_hubs, most;
};

#define KNOWN_BYTES 64 /* struct bfs_known has fewer */
#define PIECE 1024u    /* as bfs.cl has it */

/* Buffers that are kept. */
enum { HUBS, LEVEL, BITS, SENT, LISTS, KNOWN };

/* Finds the rows that a pull walks: up to the last one with edges; and the hubs. */
static int find_hubs(struct gravel_graph *graph, struct sizes *size, cl_mem *out)
{
    const uint64_t bytes = (graph->n_own + UINT64_C(1)) * sizeof(uint32_t);
    uint32_t *offsets = malloc(2 * bytes), *hubs;
    if (!offsets)
        return graph_fail_memory("gravel_graph_bfs: rows", 2 * bytes);
    hubs = offsets + graph->n_own + 1;
    int code = graph_read(graph, graph->pull.offsets, 0, offsets, bytes);
    for (uint32_t own = 0; own < graph->n_own && !code; own++) {
        const uint32_t n = offsets[own + 1] - offsets[own];
        if (n > 0)
            size->n_pulled = own + 1;
        if (n > PIECE)
            hubs[size->n_hubs++] = own;
    }
    if (!code)
        code = graph_buffer(graph, out, hubs, size->n_hubs * sizeof *hubs);
    free(offsets);
    return code;
}

/* Collective. */
static int make(struct gravel_graph *graph, const char *call, struct graph_kept *kept)
{
    cl_mem *own = kept->buffers;
    const uint64_t bits_bytes = graph->n_slots / 8, slots_bytes = graph->n_slots * UINT64_C(4);
    char options[64];
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "bfs.cl", .source = graph_bfs_cl, .options = options,
                              .function = "bfs");
    /* What is counted of a front: its vertices, and of their edges those that are at their own node. */
    struct sizes size = {.total = graph->n_own + graph->n_edges / graph->n_nodes,
                         .n_slots = graph->n_slots,
                         .n_words = graph->n_slots / 32,
                         .first = graph_first_slot(graph),
                         .most = graph->n_slots + (cl_uint)(graph->n_edges / PIECE)};
    snprintf(options, sizeof options, "-DLANES=%u -DN_NODES=%u", graph_lanes(graph),
             graph->n_nodes);
    GRAPH_TRY(graph_reduce(graph, GRAVEL_ADD, GRAVEL_ULONG, &size.total, 1));
    int code = graph_need_push(graph);
    if (!code)
        code = graph_need_pull(graph);
    if (!code)
        code = find_hubs(graph, &size, &own[HUBS]);
    code = graph_keep_heap(graph, call, kept, code, 2 * bits_bytes);
    size.fronts = kept->heap;
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(size),
        GRAPH_ARGUMENT(graph->push.offsets),
        GRAPH_ARGUMENT(graph->push.ends),
        GRAPH_ARGUMENT(graph->pull.offsets),
        GRAPH_ARGUMENT(graph->pull.ends),
        GRAPH_ARGUMENT(own[HUBS]),
        GRAPH_ROOM(own[LEVEL], slots_bytes),
        GRAPH_ROOM(own[BITS], 2 * bits_bytes),
        GRAPH_ROOM(own[SENT], bits_bytes / graph->n_nodes),
        GRAPH_ROOM(own[LISTS], 2 * sizeof(cl_uint2) * size.most),
        GRAPH_ROOM(own[KNOWN], KNOWN_BYTES)};
    return graph_keep_rounds(graph, call, kept, code, &program, 3, arguments, GRAPH_N(arguments));
}

int graph_find_levels(struct gravel_graph *graph, const char *call, uint64_t source,
                      uint32_t *levels, uint64_t *parents)
{
    struct graph_kept *kept = &graph->bfs;
    const cl_mem *level = &kept->buffers[LEVEL];
    uint32_t slot;
    GRAPH_TRY(graph_slot(graph, call, source, &slot));
    if (!kept->is_whole)
        GRAPH_TRY(make(graph, call, kept));
    GRAPH_TRY(graph_run(graph, call, kept, GRAPH_SET(kept->kernels[0], 2, GRAPH_UINT(slot))));
    GRAPH_TRY(graph_results(graph, call, *level, true, sizeof *levels, levels));
    return graph_find_parents(graph, call, &graph->bfs_parents, false, *level, slot, parents);
}

int gravel_graph_bfs(struct gravel_graph *graph, uint64_t source, uint32_t *levels,
                     uint64_t *parents)
{
    static const char call[] = "gravel_graph_bfs";
    GRAPH_TRY(graph_enter(graph, call));
    return graph_find_levels(graph, call, source, levels, parents);
}
