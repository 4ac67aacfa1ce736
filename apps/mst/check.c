/* SPDX-License-Identifier: MIT */
/*
 * The check: Kruskal's algorithm, serially. Edges have an order, so that there is but one tree, and it must be found edge
 * by edge. Weights are compared as numbers here, not by their bits as on the device, and with those of the graph.
 *
 * Path: mst.c -> this
 * Owner: nothing outlives the call.
 * Threads: main's.
 * Source: Kruskal, On the shortest spanning subtree of a graph, 1956.
 */
#include "mst.h"

#include <stdlib.h>
#include <string.h>

double edge_weight(const struct mst *mst, uint64_t edge)
{
    const cl_uint bits = mst->edges.weights[edge];
    float value;
    memcpy(&value, &bits, sizeof value);
    return mst->has_floats ? (double)value : (double)bits;
}

/* An edge's place in the order: its weight, as a number, then its own number. */
struct place {
    double weight;
    uint32_t edge;
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return x->edge < y->edge ? -1 : 1;
}

static struct place *sort_edges(const struct mst *mst)
{
    const uint64_t n = mst->edges.n;
    struct place *sorted = app_array(n, sizeof *sorted, "the check");
    for (uint64_t e = 0; e < n; e++)
        sorted[e] = (struct place){edge_weight(mst, e), (uint32_t)e};
    qsort(sorted, n, sizeof *sorted, compare);
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
    struct place *sorted = sort_edges(mst);
    uint32_t *parents = app_array(mst->n_vertices, sizeof *parents, "the check");
    cl_uint *is_in_tree = app_array(edges->n, sizeof *is_in_tree, "the check");
    for (uint64_t v = 0; v < mst->n_vertices; v++)
        parents[v] = (uint32_t)v;
    for (uint64_t i = 0; i < edges->n; i++) {
        const uint32_t e = sorted[i].edge;
        const uint32_t first = find(parents, edges->ends[e].s[0]);
        const uint32_t second = find(parents, edges->ends[e].s[1]);
        is_in_tree[e] = first != second;
        parents[first] = second;
    }
    free(sorted);
    free(parents);
    return is_in_tree;
}

/* ---- the edges, against the graph as it is read ------------------------------------------------- */

/* @return  the edge between two vertices, or edges.n */
static uint64_t find_edge(const struct mst_edges *edges, uint32_t first, uint32_t second)
{
    uint64_t low = 0, high = edges->n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const cl_uint2 ends = edges->ends[middle];
        if (ends.s[0] < first || (ends.s[0] == first && ends.s[1] < second))
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_there =
        low < edges->n && edges->ends[low].s[0] == first && edges->ends[low].s[1] == second;
    return is_there ? low : edges->n;
}

/* Every entry of the graph but loops has an edge that is not heavier, and every edge an entry that is as light. */
static uint64_t check_edges(const struct mst *mst)
{
    const struct mst_edges *edges = &mst->edges;
    struct graph graph;
    bool *are_there = app_array(edges->n, sizeof *are_there, "the check");
    uint64_t n_wrong = 0;
    part_whole(&graph, &mst->part);
    graph_draw_weights(&graph, 0, mst->options.seed);
    for (uint32_t u = 0; u < graph.n_vertices; u++)
        for (uint64_t i = graph.offsets[u]; i < graph.offsets[u + 1]; i++) {
            const uint32_t v = graph.neighbours[i];
            const uint64_t e = find_edge(edges, u < v ? u : v, u < v ? v : u);
            if (u != v && (e == edges->n || graph_weight(&graph, i) < edge_weight(mst, e)))
                n_wrong++;
            else if (u != v && graph_weight(&graph, i) == edge_weight(mst, e))
                are_there[e] = true;
        }
    for (uint64_t e = 0; e < edges->n; e++)
        n_wrong += !are_there[e];
    free(are_there);
    graph_free(&graph);
    return n_wrong;
}

uint64_t check_tree(struct mst *mst)
{
    const double begin_s = trials_clock();
    cl_uint *expected = kruskal(mst);
    mst->serial_s = trials_clock() - begin_s;
    cl_uint *found = read_tree(mst);
    uint64_t n_wrong = check_edges(mst);
    for (uint64_t e = 0; e < mst->edges.n; e++)
        n_wrong += expected[e] != found[e];
    free(expected);
    free(found);
    return n_wrong;
}
