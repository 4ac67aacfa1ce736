/* SPDX-License-Identifier: MIT */
/*
 * Counting sort into rows, without memory beyond the result.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any; one at a time per result.
 *
 * offsets[u + 1] first counts row u. Summed up, offsets[u] is where row u starts; it serves as row
 * u's cursor while edges are placed, ends where row u + 1 starts, and is put back by shifting the
 * array by one.
 */
#include "graph/build.h"

#include <stdlib.h>
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

struct rows {
    struct graph *graph;
    const struct partition *partition;
    uint32_t node;
};

static void count_edge(void *context, struct graph_edge edge)
{
    const struct rows *rows = context;
    if (partition_has(rows->partition, rows->node, edge.from))
        rows->graph->offsets[partition_index(rows->partition, edge.from) + 1]++;
}

static void place_edge(void *context, struct graph_edge edge)
{
    const struct rows *rows = context;
    if (partition_has(rows->partition, rows->node, edge.from))
        place(rows->graph, (uint32_t)partition_index(rows->partition, edge.from), edge.to,
              edge.weight);
}

/* What to ask a stream for: the node's block, or everything where it has no block. */
static struct block_range asked_range(const struct partition *partition, uint32_t node)
{
    return partition->places ? (struct block_range){0, partition->n_vertices}
                             : block_range(partition->n_vertices, partition->n_nodes, node);
}

int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream)
{
    uint64_t n_rows = partition_count(partition, node);
    struct block_range range = asked_range(partition, node);
    struct rows rows = {out, partition, node};
    int status = graph_alloc(out, n_rows, 0, GRAPH_UNWEIGHTED);
    if (status)
        return status;
    free(out->neighbours);
    stream->list(stream->source, range, count_edge, &rows);
    counts_to_starts(out->offsets, n_rows);
    status = graph_alloc_edges(out, out->offsets[n_rows], stream->weights_are);
    if (status)
        return status;
    stream->list(stream->source, range, place_edge, &rows);
    cursors_to_starts(out->offsets, n_rows);
    return 0;
}

/* ---- a graph turned round -------------------------------------------------------------------- */

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
    return 0;
}
