/* SPDX-License-Identifier: MIT */
/*
 * The edges of a graph, each once, and a node's rows, in which each is at its ends there.
 *
 * Path: mst.c -> this
 * Owner: see mst.h.
 * Threads: main's.
 */
#include "mst.h"

#include <stdlib.h>
#include <string.h>

/* ---- each edge once ---------------------------------------------------------------------------- */

static void list_from_lesser(const void *source, const struct graph_asked *asked,
                             graph_visit *visit, void *context)
{
    const struct graph *graph = source;
    (void)asked;
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            const uint32_t v = graph->neighbours[e];
            if (u < v)
                visit(context, (struct graph_edge){(uint32_t)u, v, graph->weights[e]});
            else if (u > v)
                visit(context, (struct graph_edge){v, (uint32_t)u, graph->weights[e]});
        }
}

static int compare(const void *a, const void *b)
{
    const struct mst_entry *x = a, *y = b;
    if (x->neighbour != y->neighbour)
        return x->neighbour < y->neighbour ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* Append the edges of a row, of those to one neighbour the lightest. @param row  room for the row. */
static void add_row(struct mst_edges *edges, const struct graph *half, uint64_t u,
                    struct mst_entry *row)
{
    const uint64_t n = graph_degree(half, u), first = half->offsets[u];
    for (uint64_t i = 0; i < n; i++)
        row[i] =
            (struct mst_entry){half->neighbours[first + i], half->weights[first + i].as_uint, 0};
    qsort(row, n, sizeof *row, compare);
    for (uint64_t i = 0; i < n; i++) {
        if (i && row[i].neighbour == row[i - 1].neighbour)
            continue;
        edges->ends[edges->n] = (cl_uint2){{(cl_uint)u, row[i].neighbour}};
        edges->weights[edges->n++] = row[i].weight;
    }
}

static uint64_t longest_row(const struct graph *graph)
{
    uint64_t longest = 0;
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        longest = graph_degree(graph, u) > longest ? graph_degree(graph, u) : longest;
    return longest;
}

static void make_edges(struct mst_edges *edges, const struct graph *graph)
{
    const struct partition whole = partition_blocks(graph->n_vertices, 1);
    const struct graph_stream stream = {list_from_lesser, graph, graph->weights_are, false};
    struct graph half;
    if (graph_build_rows(&half, &whole, 0, &stream))
        die("no memory for %llu edges", (unsigned long long)graph->n_edges);
    struct mst_entry *row = app_array(longest_row(&half), sizeof *row, "a row");
    edges->ends = app_array(half.n_edges, sizeof *edges->ends, "edges");
    edges->weights = app_array(half.n_edges, sizeof *edges->weights, "edges");
    for (uint64_t u = 0; u < half.n_vertices; u++)
        add_row(edges, &half, u, row);
    free(row);
    graph_free(&half);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static bool is_here(const struct graph_part *part, uint32_t vertex)
{
    return partition_has(&part->partition, part->node, vertex);
}

/* Offsets [n_vertices + 1], of which the last is 0 at first: a row's end, from which it is filled to its beginning. */
static void make_rows(struct mst_edges *edges, uint64_t n_vertices, const struct graph_part *part)
{
    edges->offsets = app_array(n_vertices + 1, sizeof *edges->offsets, "rows");
    memset(edges->offsets, 0, (n_vertices + 1) * sizeof *edges->offsets);
    for (uint64_t e = 0; e < edges->n; e++)
        for (int end = 0; end < 2; end++)
            edges->offsets[edges->ends[e].s[end]] += is_here(part, edges->ends[e].s[end]);
    for (uint64_t u = 1; u <= n_vertices; u++)
        edges->offsets[u] += edges->offsets[u - 1];
    edges->entries = app_array(edges->offsets[n_vertices], sizeof *edges->entries, "rows");
    for (uint64_t e = edges->n; e-- > 0;)
        for (int end = 0; end < 2; end++)
            if (is_here(part, edges->ends[e].s[end]))
                edges->entries[--edges->offsets[edges->ends[e].s[end]]] =
                    (struct mst_entry){edges->ends[e].s[!end], edges->weights[e], (cl_uint)e};
}

void edges_open(struct mst_edges *edges, const struct graph *graph, const struct graph_part *part)
{
    *edges = (struct mst_edges){.n = 0};
    make_edges(edges, graph);
    if (2 * edges->n > NODE_PART_MAX_EDGES)
        die("%llu edges are more than %llu", (unsigned long long)edges->n,
            (unsigned long long)(NODE_PART_MAX_EDGES / 2));
    make_rows(edges, graph->n_vertices, part);
}

void edges_close(struct mst_edges *edges)
{
    free(edges->ends);
    free(edges->weights);
    free(edges->offsets);
    free(edges->entries);
    *edges = (struct mst_edges){.n = 0};
}
