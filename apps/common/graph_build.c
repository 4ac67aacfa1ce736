/* SPDX-License-Identifier: MIT */
/*
 * Counting sort into rows, without memory beyond the result.
 *
 * Path: graph_read.c, graph_generate.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any; one at a time per result.
 *
 * offsets[u + 1] first counts row u. Summed up, offsets[u] is where row u starts; it serves as row
 * u's cursor while edges are placed, ends where row u + 1 starts, and is put back by shifting the
 * array by one.
 */
#include "graph_build.h"

#include <string.h>

static void counts_to_starts(uint64_t *offsets, uint64_t n_vertices)
{
    for (uint64_t u = 0; u < n_vertices; u++)
        offsets[u + 1] += offsets[u];
}

static void cursors_to_starts(uint64_t *offsets, uint64_t n_vertices)
{
    memmove(offsets + 1, offsets, n_vertices * sizeof *offsets);
    offsets[0] = 0;
}

static void place(struct graph *graph, uint32_t from, uint32_t to, union graph_weight weight)
{
    uint64_t e = graph->offsets[from]++;
    graph->neighbours[e] = to;
    if (graph->weights)
        graph->weights[e] = weight;
}

int graph_build(struct graph *out, uint64_t n_vertices, const struct graph_edges *edges)
{
    uint64_t n_entries = edges->n_edges << edges->both_ways;
    int status = graph_alloc(out, n_vertices, n_entries, edges->weights_are);
    if (status)
        return status;
    for (uint64_t i = 0; i < edges->n_edges; i++) {
        struct graph_edge edge = edges->edge_at(edges->source, i);
        out->offsets[(uint64_t)edge.from + 1]++;
        if (edges->both_ways)
            out->offsets[(uint64_t)edge.to + 1]++;
    }
    counts_to_starts(out->offsets, n_vertices);
    for (uint64_t i = 0; i < edges->n_edges; i++) {
        struct graph_edge edge = edges->edge_at(edges->source, i);
        place(out, edge.from, edge.to, edge.weight);
        if (edges->both_ways)
            place(out, edge.to, edge.from, edge.weight);
    }
    cursors_to_starts(out->offsets, n_vertices);
    out->is_symmetric = edges->both_ways;
    return 0;
}

int graph_transpose(struct graph *out, const struct graph *graph)
{
    int status = graph_alloc(out, graph->n_vertices, graph->n_edges, graph->weights_are);
    if (status)
        return status;
    for (uint64_t e = 0; e < graph->n_edges; e++)
        out->offsets[(uint64_t)graph->neighbours[e] + 1]++;
    counts_to_starts(out->offsets, out->n_vertices);
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            place(out, graph->neighbours[e], (uint32_t)u,
                  graph->weights ? graph->weights[e] : (union graph_weight){0});
    cursors_to_starts(out->offsets, out->n_vertices);
    out->is_symmetric = graph->is_symmetric;
    return 0;
}
