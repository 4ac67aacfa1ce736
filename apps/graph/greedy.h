/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring, serially over a whole graph, for checks: vertices one after the other, in an order that the caller
 * gives.
 *
 * Path:    color/color.c, chapter5/color.c -> this
 * Owner:   the result is the caller's to free.
 * Threads: any.
 */
#ifndef APPS_GREEDY_H
#define APPS_GREEDY_H

#include "frame/die.h"
#include "graph/graph.h"

#include <stdlib.h>

#define NO_COLOR UINT32_MAX

/* A vertex, and where in the order it is. */
struct greedy_place {
    uint64_t key;
    uint32_t vertex;
};

static inline int greedy_compare(const void *left, const void *right)
{
    const uint64_t one = ((const struct greedy_place *)left)->key,
                   other = ((const struct greedy_place *)right)->key;
    return (one > other) - (one < other);
}

/** Gives each vertex the least colour that no neighbour has; or dies. @param key  of a vertex, by which they are ordered;
 * no two are alike. @return  [n_vertices] */
static inline uint32_t *greedy_colors(const struct graph *graph, const void *context,
                                      uint64_t (*key)(const void *context, uint32_t vertex))
{
    const uint64_t n = graph->n_vertices;
    struct greedy_place *order = app_array(n, sizeof *order, "the check");
    uint64_t *marks = app_array(n + 1, sizeof *marks, "the check"); /* by colour: place + 1 */
    uint32_t *colors = app_array(n, sizeof *colors, "the check");
    for (uint64_t v = 0; v < n; v++) {
        order[v] = (struct greedy_place){key(context, (uint32_t)v), (uint32_t)v};
        colors[v] = NO_COLOR;
    }
    qsort(order, n, sizeof *order, greedy_compare);
    for (uint64_t place = 0; place < n; place++) {
        const uint32_t v = order[place].vertex;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            if (colors[graph->neighbours[e]] != NO_COLOR)
                marks[colors[graph->neighbours[e]]] = place + 1;
        uint32_t color = 0;
        while (marks[color] == place + 1)
            color++;
        colors[v] = color;
    }
    free(order);
    free(marks);
    return colors;
}

#endif
