/* SPDX-License-Identifier: MIT */
/*
 * Counts each row's edges, inserts them, and sorts each row, so that rows are the same whatever number of threads list the
 * stream; and what an algorithm on neighbours wants: each neighbour once.
 *
 * Path: read.c, generate.c, mesh.c -> this -> the application
 * Owner: the result is the caller's to free.
 * Threads: any, one at a time per result; and OpenMP's.
 */
#include "graph/graph.h"
#include "frame/die.h"

#include <stdlib.h>

#define N_PARTS 256u /* of a stream */

struct builder {
    struct graph *graph;
    bool inserts; /* else counts */
};

/* ---- from edges to rows ---------------------------------------------------------------------- */

/* A row's end counts its edges, and then is where the next one goes. Relaxed: it is read once all threads have ended. */
static void take_edge(void *context, struct graph_edge edge)
{
    const struct builder *builder = context;
    const struct graph *graph = builder->graph;
    const uint64_t at =
        __atomic_fetch_add(&graph->offsets[edge.from + (uint64_t)1], 1, __ATOMIC_RELAXED);
    if (!builder->inserts)
        return;
    graph->neighbours[at] = edge.to;
    if (graph->weights)
        graph->weights[at] = edge.weight;
}

static void list(const struct graph_stream *stream, struct builder builder)
{
#pragma omp parallel for schedule(dynamic)
    for (uint64_t part = 0; part < N_PARTS; part++) {
        const struct block_range items = {stream->n_items * part / N_PARTS,
                                          stream->n_items * (part + 1) / N_PARTS};
        if (items.first < items.last)
            stream->list(stream, items, take_edge, &builder);
    }
}

/* ---- rows in order --------------------------------------------------------------------------- */

/* @param keys  [degree] scratch: a neighbour, and its weight below */
static void sort_row(const struct graph *graph, uint64_t u, uint64_t *keys)
{
    const uint64_t first = graph->offsets[u], n = graph_degree(graph, u);
    for (uint64_t i = 0; i < n; i++)
        keys[i] = (uint64_t)graph->neighbours[first + i] << 32 |
                  (graph->weights ? graph->weights[first + i] : 0);
    qsort(keys, n, sizeof *keys, app_compare);
    for (uint64_t i = 0; i < n; i++) {
        graph->neighbours[first + i] = (uint32_t)(keys[i] >> 32);
        if (graph->weights)
            graph->weights[first + i] = (uint32_t)keys[i];
    }
}

static void sort_rows(const struct graph *graph)
{
    uint64_t longest = 1;
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        longest = graph_degree(graph, u) > longest ? graph_degree(graph, u) : longest;
#pragma omp parallel
    {
        uint64_t *keys = app_array(longest, sizeof *keys, "edges of a row");
#pragma omp for schedule(dynamic, 1024)
        for (uint64_t u = 0; u < graph->n_vertices; u++)
            sort_row(graph, u, keys);
        free(keys);
    }
}

void graph_build(struct graph *out, const struct graph_stream *stream)
{
    const uint64_t n = stream->n_vertices;
    *out = (struct graph){.n_vertices = n, .offsets = app_array(n + 1, sizeof(uint64_t), "rows")};
    list(stream, (struct builder){out, false});
    for (uint64_t u = 1; u <= n; u++) { /* a row's end becomes its beginning */
        const uint64_t degree = out->offsets[u];
        out->offsets[u] = out->n_edges;
        out->n_edges += degree;
    }
    out->neighbours = app_array(out->n_edges, sizeof *out->neighbours, "edges");
    if (stream->has_weights)
        out->weights = app_array(out->n_edges, sizeof *out->weights, "weights of edges");
    list(stream, (struct builder){out, true});
    sort_rows(out);
}

void graph_free(struct graph *graph)
{
    free(graph->offsets);
    free(graph->neighbours);
    free(graph->weights);
    *graph = (struct graph){0};
}

void graph_make_simple(struct graph *graph)
{
    uint64_t n_kept = 0, start = 0;
    for (uint64_t u = 0; u < graph->n_vertices; u++) {
        const uint64_t end = graph->offsets[u + 1], kept_from = n_kept;
        for (uint64_t e = start; e < end; e++) {
            const uint32_t v = graph->neighbours[e];
            if (v != u && (n_kept == kept_from || graph->neighbours[n_kept - 1] != v))
                graph->neighbours[n_kept++] = v;
        }
        graph->offsets[u + 1] = n_kept;
        start = end;
    }
    graph->n_edges = n_kept;
    free(graph->weights);
    graph->weights = NULL;
}

uint32_t *graph_list_sources(const struct graph *rows, uint64_t first)
{
    uint32_t *from = app_array(rows->n_edges, sizeof *from, "edges");
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            from[e] = (uint32_t)(first + u);
    return from;
}
