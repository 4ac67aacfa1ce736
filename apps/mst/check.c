/* SPDX-License-Identifier: MIT */
/*
 * The check: Kruskal's algorithm, serially, over the entries of the graph as it is read. Edges have an order, so that there
 * is but one tree, and it must be found edge by edge. Weights are compared as numbers here, not by their bits as on the device.
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

/* An entry of the graph, as an edge: the lesser end first. */
struct entry {
    double weight;
    uint32_t first, second;
};

static int compare_ends(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

/* Edges of equal weight are in the order of their ends, which numbers them. */
static int compare_weights(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return compare_ends(a, b);
}

static uint32_t find(uint32_t *parents, uint32_t vertex)
{
    while (parents[vertex] != vertex)
        vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

static struct entry *list_entries(const struct graph *graph)
{
    struct entry *entries = app_array(graph->n_edges, sizeof *entries, "the check");
    for (uint32_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            const uint32_t v = graph->neighbours[e];
            entries[e] = (struct entry){graph_weight(graph, e), u < v ? u : v, u < v ? v : u};
        }
    return entries;
}

/* Sorts entries so that those of the tree come first, by their ends. @return how many are in it. */
static uint64_t kruskal(struct entry *entries, uint64_t n, uint64_t n_vertices)
{
    uint32_t *parents = app_array(n_vertices, sizeof *parents, "the check");
    uint64_t n_tree = 0;
    for (uint64_t v = 0; v < n_vertices; v++)
        parents[v] = (uint32_t)v;
    qsort(entries, n, sizeof *entries, compare_weights);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t first = find(parents, entries[i].first);
        const uint32_t second = find(parents, entries[i].second);
        if (first != second)
            entries[n_tree++] = entries[i];
        parents[first] = second;
    }
    free(parents);
    qsort(entries, n_tree, sizeof *entries, compare_ends);
    return n_tree;
}

/* Found edges that differ from those of the tree, in the order of both; and what one of them has beyond the other. */
static uint64_t compare_trees(const struct mst *mst, const cl_uint *is_found,
                              const struct entry *tree, uint64_t n_tree)
{
    uint64_t n_wrong = 0, n_found = 0;
    for (uint64_t e = 0; e < mst->edges.n; e++) {
        const struct entry found = {edge_weight(mst, e), mst->edges.ends[e].s[0],
                                    mst->edges.ends[e].s[1]};
        if (is_found[e])
            n_wrong += n_found++ >= n_tree || compare_weights(&found, tree++) != 0;
    }
    return n_wrong + (n_found < n_tree ? n_tree - n_found : 0);
}

uint64_t check_tree(void *self, struct trials *trials)
{
    struct mst *mst = self;
    struct graph graph;
    part_whole(&graph, &mst->part);
    graph_draw_weights(&graph, 0, mst->options.seed);
    struct entry *entries = list_entries(&graph);
    const double begin_s = trials_clock();
    const uint64_t n_tree = kruskal(entries, graph.n_edges, graph.n_vertices);
    trials_add_serial(trials, "Kruskal, serial", begin_s);
    cl_uint *is_found = read_tree(mst);
    const uint64_t n_wrong = compare_trees(mst, is_found, entries, n_tree);
    free(is_found);
    free(entries);
    graph_free(&graph);
    return n_wrong;
}
