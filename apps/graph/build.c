/* SPDX-License-Identifier: MIT */
/*
 * Counting sort into rows, by several threads: each counts, then places, the edges of a part of the stream. A row has the
 * edges of the first part before those of the second, and so on: the order of the stream.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any, one at a time per result; and its own, which it joins.
 */
#include "graph/build.h"

#include "frame/side_by_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void counts_to_starts(uint64_t *offsets, uint64_t n_vertices)
{
    for (uint64_t u = 0; u < n_vertices; u++)
        offsets[u + 1] += offsets[u];
}

struct sort {
    struct graph *graph;
    const struct graph_stream *stream;
    const struct partition *partition;
    uint32_t node;
    uint32_t n_parts;
    uint32_t *
        counts; /* [n_parts][rows] edges of a part in a row; then, of the parts before it and placed so far */
};

/* One part's. */
struct sorter {
    const struct sort *sort;
    uint32_t *counts; /* [rows] */
};

/* What to ask a stream for: the node's block, or everything where it has no block. */
static struct block_range asked_range(const struct partition *partition, uint32_t node)
{
    return partition->places ? (struct block_range){0, partition->n_vertices}
                             : block_range(partition->n_vertices, partition->n_nodes, node);
}

static void list_part(const struct sort *sort, uint32_t part, graph_visit *visit)
{
    struct sorter sorter = {sort, sort->counts + part * sort->graph->n_vertices};
    const struct graph_asked asked = {asked_range(sort->partition, sort->node), part,
                                      sort->n_parts};
    sort->stream->list(sort->stream->source, &asked, visit, &sorter);
}

static void count_edge(void *context, struct graph_edge edge)
{
    const struct sorter *sorter = context;
    const struct sort *sort = sorter->sort;
    if (partition_has(sort->partition, sort->node, edge.from))
        sorter->counts[partition_index(sort->partition, edge.from)]++;
}

static void count_part(void *context, uint32_t part)
{
    list_part(context, part, count_edge);
}

static void place_edge(void *context, struct graph_edge edge)
{
    const struct sorter *sorter = context;
    const struct sort *sort = sorter->sort;
    if (!partition_has(sort->partition, sort->node, edge.from))
        return;
    uint64_t u = partition_index(sort->partition, edge.from);
    uint64_t e = sort->graph->offsets[u] + sorter->counts[u]++;
    sort->graph->neighbours[e] = edge.to;
    if (sort->graph->weights)
        sort->graph->weights[e] = edge.weight;
}

static void place_part(void *context, uint32_t part)
{
    list_part(context, part, place_edge);
}

/* Where each part's edges begin in a row, and where each row does. */
static void counts_to_places(const struct sort *sort)
{
    struct graph *graph = sort->graph;
    for (uint64_t u = 0; u < graph->n_vertices; u++) {
        uint32_t n = 0;
        for (uint32_t part = 0; part < sort->n_parts; part++) {
            uint32_t *count = &sort->counts[part * graph->n_vertices + u], n_here = *count;
            *count = n;
            n += n_here;
        }
        graph->offsets[u + 1] = n;
    }
    counts_to_starts(graph->offsets, graph->n_vertices);
}

static int sort_rows(const struct sort *sort)
{
    struct graph *graph = sort->graph;
    side_by_side(sort->n_parts, count_part, (void *)sort);
    counts_to_places(sort);
    int status =
        graph_alloc_edges(graph, graph->offsets[graph->n_vertices], sort->stream->weights_are);
    if (!status)
        side_by_side(sort->n_parts, place_part, (void *)sort);
    return status;
}

int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream)
{
    uint64_t n_rows = partition_count(partition, node);
    int status = graph_alloc(out, n_rows, 0, GRAPH_UNWEIGHTED);
    if (status)
        return status;
    free(out->neighbours);
    out->neighbours = NULL;
    struct sort sort = {
        out, stream, partition, node, stream->has_parts ? side_by_side_threads() : 1, NULL};
    sort.counts = calloc(n_rows ? n_rows * sort.n_parts : 1, sizeof *sort.counts);
    status = sort.counts ? sort_rows(&sort) : -ENOMEM;
    free(sort.counts);
    if (status)
        graph_free(out);
    return status;
}

/* ---- a graph turned round -------------------------------------------------------------------- */

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

/*
 * offsets[u + 1] first counts row u. Summed up, offsets[u] is where row u starts; it serves as row u's cursor while edges
 * are placed, ends where row u + 1 starts, and is put back by shifting the array by one.
 */
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
