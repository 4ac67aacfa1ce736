/* SPDX-License-Identifier: MIT */
/*
 * What rows of a graph promise.
 *
 * Path: tests of apps/graph -> this
 */
#ifndef GRAVEL_TESTS_GRAPH_ROWS_H
#define GRAVEL_TESTS_GRAPH_ROWS_H

#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/** Are offsets from 0 to n_edges and rising, and neighbours in range and rising in their row? */
static inline bool rows_are_sound(const struct graph *graph)
{
    if (graph->n_vertices > GRAPH_MAX_VERTICES || graph->offsets[0] != 0 ||
        graph->offsets[graph->n_vertices] != graph->n_edges)
        return false;
    for (uint64_t u = 0; u < graph->n_vertices; u++) {
        if (graph->offsets[u] > graph->offsets[u + 1])
            return false;
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            if (graph->neighbours[e] >= graph->n_vertices ||
                (e > graph->offsets[u] && graph->neighbours[e - 1] > graph->neighbours[e]))
                return false;
    }
    return true;
}

/** Is each edge there as often as the same one turned round? Rows rise, so a row's neighbours name the row in the same order
 * in which the row names them. */
static inline bool rows_are_symmetric(const struct graph *graph)
{
    bool is_symmetric = true;
    uint64_t *at = malloc((graph->n_vertices + 1) * sizeof *at);
    memcpy(at, graph->offsets, graph->n_vertices * sizeof *at);
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1] && is_symmetric; e++) {
            const uint64_t v = graph->neighbours[e], turned = at[v]++;
            is_symmetric = turned < graph->offsets[v + 1] && graph->neighbours[turned] == u;
        }
    free(at);
    return is_symmetric;
}

#endif
