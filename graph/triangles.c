/* SPDX-License-Identifier: MIT */
/*
 * Triangles. Every node has the edges of the whole graph, each once, and counts those of its share of them; what all
 * have found is added up at the owners of the slots. See triangles.cl.
 *
 * Path:    gravel_graph_triangles -> this -> collect.c, rows.c, keep.c, triangles.cl; results.c.
 * Owner:   graph->triangles, made at the first call.
 * Threads: one at a time.
 */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK 16u /* as triangles.cl has it */

static const char call[] = "gravel_graph_triangles";

extern const char graph_triangles_cl[];

/* Kernels and buffers that are kept; n edges; and rows: ends of slots, those before them in order of degree. */
enum { COUNT, ADD };
enum { FOUND, COUNTS };

/* Makes what needs no other node, of the edges of all nodes. */
static int make_own(struct gravel_graph *graph, struct graph_kept *kept,
                    const struct graph_columns *edges)
{
    static const char *const functions[] = {[COUNT] = "count", [ADD] = "add"};
    const struct graph_rows *rows = &kept->rows[0];
    const cl_mem *own = kept->buffers;
    const uint32_t n = graph->n_slots;
    char options[32];
    snprintf(options, sizeof options, "-DLANES=%u", graph_lanes(graph));
    GRAPH_TRY(graph_rows_make(graph, &kept->rows[0], edges, kept->n, n, n));
    GRAPH_TRY(graph_buffer(graph, &kept->buffers[FOUND], NULL, kept->n * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &kept->buffers[COUNTS], NULL, n * sizeof(uint64_t)));
    GRAPH_TRY(
        graph_keep_kernels(graph, kept, "triangles.cl", graph_triangles_cl, options, functions, 2));
    GRAPH_TRY(GRAPH_SET(kept->kernels[COUNT], 0, GRAPH_UINT(kept->n), GRAPH_UINT(n),
                        GRAPH_UINT(graph->node), GRAPH_UINT(graph->n_nodes),
                        GRAPH_MEM(rows->offsets), GRAPH_MEM(rows->ends), GRAPH_MEM(own[FOUND])));
    return GRAPH_SET(kept->kernels[ADD], 0, GRAPH_UINT(kept->n), GRAPH_UINT(n),
                     GRAPH_MEM(rows->offsets), GRAPH_MEM(rows->ends), GRAPH_MEM(own[FOUND]),
                     GRAPH_MEM(own[COUNTS]));
}

/* Collective. */
static int make(struct gravel_graph *graph, struct graph_kept *kept)
{
    struct graph_columns edges;
    uint64_t n;
    int code = graph_collect(graph, call, UINT64_MAX, &edges, &n);
    kept->n = (uint32_t)n;
    if (!code)
        code = make_own(graph, kept, &edges);
    graph_columns_free(&edges);
    return graph_keep(graph, kept, graph_agree(graph, call, code));
}

/* Counts twice the triangles of each slot that this node's share of the edges has. @param counts  [out] [n_slots] */
static int count(struct gravel_graph *graph, const struct graph_kept *kept, uint64_t *counts)
{
    const uint64_t n_chunks = ((uint64_t)kept->n + CHUNK - 1) / CHUNK,
                   n_share = (n_chunks + graph->n_nodes - 1) / graph->n_nodes,
                   bytes = graph->n_slots * sizeof *counts;
    GRAPH_TRY(graph_fill(graph, kept->buffers[FOUND], 0, kept->n * sizeof(uint32_t)));
    GRAPH_TRY(graph_fill(graph, kept->buffers[COUNTS], 0, bytes));
    GRAPH_TRY(graph_launch(graph, kept->kernels[COUNT], n_share * graph_lanes(graph), 0, NULL));
    GRAPH_TRY(graph_launch(graph, kept->kernels[ADD], n_chunks, 0, NULL));
    return graph_read(graph, kept->buffers[COUNTS], 0, counts, bytes);
}

int gravel_graph_triangles(struct gravel_graph *graph, uint64_t *triangles, uint64_t *total)
{
    uint64_t n = 0;
    GRAPH_TRY(graph_enter(graph, call));
    if (!graph->is_undirected)
        return graph_fail(GRAVEL_EINVAL, "%s: the graph is directed (undirected ones allowed)",
                          call);
    struct graph_kept *kept = &graph->triangles;
    if (!kept->is_whole)
        GRAPH_TRY(make(graph, kept));
    uint64_t *counts = malloc(graph->n_slots * sizeof *counts);
    int code = counts ? count(graph, kept, counts)
                      : graph_fail_memory(call, graph->n_slots * sizeof *counts);
    code = graph_agree(graph, call, code);
    if (!code)
        code = graph_add_up(graph, counts, false);
    if (!code)
        code = graph_share(graph, call, 0, counts, sizeof *counts);
    for (uint32_t slot = 0; slot < graph->n_slots && !code; slot++) {
        counts[slot] /= 2;
        n += counts[slot];
    }
    if (!code && triangles)
        graph_pick(graph, triangles, counts);
    if (!code && total)
        *total = n / 3;
    free(counts);
    return code;
}
