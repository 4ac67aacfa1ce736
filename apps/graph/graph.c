/* SPDX-License-Identifier: MIT */
/*
 * Life of a graph, its check, and what an algorithm on neighbours wants: each neighbour once.
 *
 * Path: build.c -> this -> the application
 * Owner: see graph.h.
 * Threads: any, one writer at a time per graph.
 */
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>

static void *alloc_array(uint64_t n, size_t element_bytes)
{
    if (n > SIZE_MAX / element_bytes)
        return NULL;
    return malloc(n ? n * element_bytes : 1);
}

int graph_alloc_edges(struct graph *graph, uint64_t n_edges, enum graph_weights weights_are)
{
    graph->n_edges = n_edges;
    graph->weights_are = weights_are;
    graph->neighbours = alloc_array(n_edges, sizeof *graph->neighbours);
    if (weights_are != GRAPH_UNWEIGHTED)
        graph->weights = alloc_array(n_edges, sizeof *graph->weights);
    if (graph->neighbours && (weights_are == GRAPH_UNWEIGHTED || graph->weights))
        return 0;
    graph_free(graph);
    return -ENOMEM;
}

void graph_free(struct graph *graph)
{
    free(graph->offsets);
    free(graph->neighbours);
    free(graph->weights);
    *graph = (struct graph){0};
}

void graph_make_simple(struct graph *rows, uint64_t first)
{
    uint64_t n_kept = 0, start = 0;
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        const uint64_t end = rows->offsets[u + 1], kept_from = n_kept;
        for (uint64_t e = start; e < end; e++) {
            const uint32_t v = rows->neighbours[e];
            if (v != first + u && (n_kept == kept_from || rows->neighbours[n_kept - 1] != v))
                rows->neighbours[n_kept++] = v;
        }
        rows->offsets[u + 1] = n_kept;
        start = end;
    }
    rows->n_edges = n_kept;
    free(rows->weights);
    rows->weights = NULL;
    rows->weights_are = GRAPH_UNWEIGHTED;
}
