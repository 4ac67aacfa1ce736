/* SPDX-License-Identifier: MIT */
/*
 * Kruskal's algorithm, serially, for checks. Of edges of equal weight the first is taken, so there is but one tree.
 *
 * Path:    boruvka.c, mst/mst.c -> this
 * Owner:   the caller's.
 * Threads: main's.
 * Source:  Kruskal, On the shortest spanning subtree of a graph, 1956.
 */
#ifndef APPS_KRUSKAL_H
#define APPS_KRUSKAL_H

#include "frame/die.h"

#include <stdlib.h>

struct kruskal_edge {
    double weight;
    uint64_t number; /* of the edge, in the order that decides */
    uint32_t from, to;
};

static inline int kruskal_compare(const void *a, const void *b)
{
    const struct kruskal_edge *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static inline uint32_t kruskal_find(uint32_t *parents, uint32_t vertex)
{
    while (parents[vertex] != vertex)
        vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

/** Sort edges, and find those of the tree, or of all trees. @return [n] by number, 1: it is one; to be freed */
static inline uint8_t *kruskal(struct kruskal_edge *edges, uint64_t n, uint64_t n_vertices)
{
    uint8_t *is_in = app_array(n, sizeof *is_in, "the check");
    uint32_t *parents = app_array(n_vertices, sizeof *parents, "the check");
    for (uint64_t v = 0; v < n_vertices; v++)
        parents[v] = (uint32_t)v;
    qsort(edges, n, sizeof *edges, kruskal_compare);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t from = kruskal_find(parents, edges[i].from);
        const uint32_t to = kruskal_find(parents, edges[i].to);
        is_in[edges[i].number] = from != to;
        parents[from] = to;
    }
    free(parents);
    return is_in;
}

#endif
