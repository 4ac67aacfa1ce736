/* SPDX-License-Identifier: MIT */
/*
 * Counts each row's edges, inserts them, and sorts each row, so that rows are the same whatever number of threads list the
 * stream.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any, one at a time per result; and OpenMP's.
 */
#include "graph/build.h"

#include <errno.h>
#include <stdlib.h>

#define N_PARTS 256u /* of a stream */

struct builder {
    struct graph *graph;
    struct block_range own; /* vertices */
    bool inserts;           /* else counts */
};

/* ---- from edges to rows ---------------------------------------------------------------------- */

/* A row's end counts its edges, and then is where the next one goes. Relaxed: it is read once all threads have ended. */
static void take_edge(void *context, struct graph_edge edge)
{
    const struct builder *builder = context;
    const struct graph *graph = builder->graph;
    if (edge.from < builder->own.first || edge.from >= builder->own.last)
        return;
    const uint64_t row = edge.from - builder->own.first;
    const uint64_t at = __atomic_fetch_add(&graph->offsets[row + 1], 1, __ATOMIC_RELAXED);
    if (!builder->inserts)
        return;
    graph->neighbours[at] = edge.to;
    if (graph->weights)
        graph->weights[at] = edge.weight;
}

static void list(const struct graph_stream *stream, struct builder builder)
{
    const uint32_t n_parts = stream->has_parts ? N_PARTS : 1;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t part = 0; part < n_parts; part++) {
        const struct graph_asked asked = {builder.own, part, n_parts};
        stream->list(stream->source, &asked, take_edge, &builder);
    }
}

/* Makes each row's end its beginning. @return  edges of all rows */
static uint64_t ends_to_starts(const struct graph *graph)
{
    uint64_t n_edges = 0;
    for (uint64_t u = 0; u < graph->n_vertices; u++) {
        const uint64_t n = graph->offsets[u + 1];
        graph->offsets[u + 1] = n_edges;
        n_edges += n;
    }
    return n_edges;
}

/* ---- rows in order --------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* @param keys  [degree] scratch: a neighbour, and its weight's bits below */
static void sort_row(const struct graph *graph, uint64_t u, uint64_t *keys)
{
    const uint64_t first = graph->offsets[u], n = graph_degree(graph, u);
    for (uint64_t i = 0; i < n; i++)
        keys[i] = (uint64_t)graph->neighbours[first + i] << 32 |
                  (graph->weights ? graph->weights[first + i].as_uint : 0);
    qsort(keys, n, sizeof *keys, compare_keys);
    for (uint64_t i = 0; i < n; i++) {
        graph->neighbours[first + i] = (uint32_t)(keys[i] >> 32);
        if (graph->weights)
            graph->weights[first + i].as_uint = (uint32_t)keys[i];
    }
}

static int sort_rows(const struct graph *graph)
{
    uint64_t longest = 1;
    int status = 0;
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        longest = graph_degree(graph, u) > longest ? graph_degree(graph, u) : longest;
#pragma omp parallel reduction(min : status)
    {
        uint64_t *keys = malloc(longest * sizeof *keys);
        status = keys ? 0 : -ENOMEM;
#pragma omp for schedule(dynamic, 1024)
        for (uint64_t u = 0; u < graph->n_vertices; u++)
            if (keys)
                sort_row(graph, u, keys);
        free(keys);
    }
    return status;
}

int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream)
{
    const struct block_range own = partition_range(partition, node);
    *out = (struct graph){.n_vertices = own.last - own.first};
    out->offsets = calloc(out->n_vertices + 1, sizeof *out->offsets);
    if (out->offsets) {
        list(stream, (struct builder){out, own, false});
        if (!graph_alloc_edges(out, ends_to_starts(out), stream->weights_are)) {
            list(stream, (struct builder){out, own, true});
            if (!sort_rows(out))
                return 0;
        }
    }
    graph_free(out);
    return -ENOMEM;
}
