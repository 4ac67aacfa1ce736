/* SPDX-License-Identifier: MIT */
/*
 * Life of a graph, its check, and what an algorithm on neighbours wants: each neighbour once.
 *
 * Path: build.c -> this -> the application
 * Owner: see graph.h.
 * Threads: any, one writer at a time per graph; graph_make_simple joins those that it starts.
 */
#include "graph/graph.h"
#include "graph/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

bool graph_is_sound(const struct graph *graph)
{
    if (graph->n_vertices > GRAPH_MAX_VERTICES || graph->offsets[0] != 0 ||
        graph->offsets[graph->n_vertices] != graph->n_edges)
        return false;
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        if (graph->offsets[u] > graph->offsets[u + 1])
            return false;
    for (uint64_t e = 0; e < graph->n_edges; e++)
        if (graph->neighbours[e] >= graph->n_vertices)
            return false;
    return (graph->weights != NULL) == (graph->weights_are != GRAPH_UNWEIGHTED);
}

/* ---- each neighbour once --------------------------------------------------------------------- */

static int compare_vertices(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Copies a sorted row to `to`, except for loops and repeats. @return how many are left. */
static uint64_t copy_once(uint32_t *to, const uint32_t *row, uint64_t n, uint32_t vertex)
{
    uint64_t n_left = 0;
    for (uint64_t i = 0; i < n; i++)
        if (row[i] != vertex && (n_left == 0 || to[n_left - 1] != row[i]))
            to[n_left++] = row[i];
    return n_left;
}

struct simple {
    struct graph *graph;
    uint64_t first;                             /* vertex */
    struct graph_rows parts[SIDE_BY_SIDE_MOST]; /* as they were */
};

/* Rows move to the front of the part, and end where they do from there. */
static void make_rows_simple(void *context, struct graph_rows part)
{
    struct simple *simple = context;
    uint32_t *neighbours = simple->graph->neighbours + part.first_edge;
    uint64_t *offsets = simple->graph->offsets, n_kept = 0, start = 0;
    for (uint64_t u = part.first; u < part.last; u++) {
        uint64_t end = offsets[u + 1] - part.first_edge;
        qsort(neighbours + start, end - start, sizeof *neighbours, compare_vertices);
        n_kept += copy_once(neighbours + n_kept, neighbours + start, end - start,
                            (uint32_t)(simple->first + u));
        offsets[u + 1] = n_kept;
        start = end;
    }
    simple->parts[part.part] = part;
}

/* Parts move to the front of the graph. */
static void join_parts(struct simple *simple)
{
    struct graph *graph = simple->graph;
    graph->n_edges = 0;
    for (uint32_t i = 0; i < SIDE_BY_SIDE_MOST; i++) {
        const struct graph_rows part = simple->parts[i];
        uint64_t before = graph->n_edges;
        uint64_t n_kept = part.first < part.last ? graph->offsets[part.last] : 0;
        memmove(graph->neighbours + before, graph->neighbours + part.first_edge,
                n_kept * sizeof *graph->neighbours);
        for (uint64_t u = part.first; u < part.last; u++)
            graph->offsets[u + 1] += before;
        graph->n_edges += n_kept;
    }
}

void graph_make_simple(struct graph *rows, uint64_t first)
{
    struct simple simple = {.graph = rows, .first = first};
    graph_rows_side_by_side(rows, make_rows_simple, &simple);
    join_parts(&simple);
    free(rows->weights);
    rows->weights = NULL;
    rows->weights_are = GRAPH_UNWEIGHTED;
}
