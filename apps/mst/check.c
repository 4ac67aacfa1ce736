/* SPDX-License-Identifier: MIT */
/*
 * The check: Kruskal's algorithm, serially. Edges have an order, so that there is but one tree, and it must be found edge
 * by edge.
 *
 * Path: mst.c -> this
 * Owner: nothing outlives the call.
 * Threads: main's.
 * Source: Kruskal, On the shortest spanning subtree of a graph, 1956.
 */
#include "mst.h"

#include <stdlib.h>
#include <string.h>

double mst_weight(const struct mst *mst, uint64_t edge)
{
    const cl_uint bits = mst->edges.weights[edge];
    float value;
    memcpy(&value, &bits, sizeof value);
    return mst->has_floats ? (double)value : (double)bits;
}

/* An edge's place in the order: its weight, then its number. */
static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t *sort_edges(const struct mst_edges *edges)
{
    uint64_t *sorted = app_array(edges->n, sizeof *sorted, "the check");
    for (uint64_t e = 0; e < edges->n; e++)
        sorted[e] = (uint64_t)edges->weights[e] << 32 | e;
    qsort(sorted, edges->n, sizeof *sorted, compare);
    return sorted;
}

static uint32_t find(uint32_t *parents, uint32_t vertex)
{
    while (parents[vertex] != vertex)
        vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

/* @return  [edges.n] whether an edge is in the tree. */
static cl_uint *kruskal(const struct mst *mst)
{
    const struct mst_edges *edges = &mst->edges;
    uint64_t *sorted = sort_edges(edges);
    uint32_t *parents = app_array(mst->n_vertices, sizeof *parents, "the check");
    cl_uint *is_in_tree = app_array(edges->n, sizeof *is_in_tree, "the check");
    for (uint64_t v = 0; v < mst->n_vertices; v++)
        parents[v] = (uint32_t)v;
    for (uint64_t i = 0; i < edges->n; i++) {
        const uint32_t e = (uint32_t)sorted[i];
        const uint32_t first = find(parents, edges->ends[e].s[0]);
        const uint32_t second = find(parents, edges->ends[e].s[1]);
        is_in_tree[e] = first != second;
        parents[first] = second;
    }
    free(sorted);
    free(parents);
    return is_in_tree;
}

uint64_t mst_check(struct mst *mst)
{
    const double begin_s = trials_clock();
    cl_uint *expected = kruskal(mst);
    mst->serial_s = trials_clock() - begin_s;
    cl_uint *found = mst_read(mst);
    uint64_t n_wrong = 0;
    for (uint64_t e = 0; e < mst->edges.n; e++)
        n_wrong += expected[e] != found[e];
    free(expected);
    free(found);
    return n_wrong;
}
