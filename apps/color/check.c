/* SPDX-License-Identifier: MIT */
/*
 * The check, serially over the whole graph: no two neighbours have the same colour. If vertices choose in order, or a node
 * is alone, each vertex has the colour that it gets when they choose one after the other; else none above its degree.
 *
 * Beside it, for comparison: greedy colouring in the order of the vertices' numbers.
 *
 * Path: color.c -> this
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "color.h"

#include <stdlib.h>
#include <string.h>

/* ---- greedy colouring in a given order ------------------------------------------------------- */

/* marks[c] is v + 1 where a neighbour of v has colour c. */
static uint32_t least_free(const struct graph *graph, const uint32_t *colors, uint64_t *marks,
                           uint32_t v)
{
    uint32_t color = 0;
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
        if (colors[graph->neighbours[e]] != NO_COLOR)
            marks[colors[graph->neighbours[e]]] = (uint64_t)v + 1;
    while (marks[color] == (uint64_t)v + 1)
        color++;
    return color;
}

/* @param order  [n_vertices], or NULL for 0 up. @return [n_vertices] colours, to be freed. */
static uint32_t *greedy(const struct graph *graph, const uint32_t *order)
{
    uint64_t n = graph->n_vertices, *marks = app_array(n + 1, sizeof *marks, "the check");
    uint32_t *colors = app_array(n, sizeof *colors, "the check");
    for (uint64_t i = 0; i < n; i++) {
        marks[i] = 0;
        colors[i] = NO_COLOR;
    }
    marks[n] = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v = order ? order[i] : (uint32_t)i;
        colors[v] = least_free(graph, colors, marks, v);
    }
    free(marks);
    return colors;
}

static void run_serial(struct color *color, const struct graph *graph)
{
    double start = trials_clock();
    uint32_t *colors = greedy(graph, NULL);
    color->serial_s = trials_clock() - start;
    color->n_serial = 0;
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        if (colors[v] >= color->n_serial)
            color->n_serial = colors[v] + (uint64_t)1;
    free(colors);
}

/* ---- the check ------------------------------------------------------------------------------- */

/* The colours of all vertices, from all nodes. */
static uint32_t *gather(struct color *color)
{
    const struct partition *partition = &color->part.partition;
    uint32_t *colors = app_array(partition->n_vertices, sizeof *colors, "the check");
    for (uint32_t node = 0; node < color->node.n_nodes; node++) {
        const struct block_range range = partition_range(partition, node);
        uint32_t *of_node = color_read(color, node);
        memcpy(colors + range.first, of_node, (range.last - range.first) * sizeof *colors);
        free(of_node);
    }
    return colors;
}

static bool is_proper(const struct graph *graph, const uint32_t *colors, uint32_t v)
{
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
        if (colors[graph->neighbours[e]] == colors[v])
            return false;
    return colors[v] != NO_COLOR;
}

static bool is_right(const struct color *color, const struct graph *whole, const uint32_t *colors,
                     const uint32_t *expected, uint32_t v)
{
    bool is_given = color->is_ordered || color->node.n_nodes == 1;
    return is_proper(whole, colors, v) &&
           (is_given ? colors[v] == expected[v] : colors[v] <= graph_degree(whole, v));
}

uint64_t color_check(struct color *color)
{
    struct graph whole;
    part_whole(&whole, &color->part);
    run_serial(color, &whole);
    uint32_t *order = app_array(whole.n_vertices, sizeof *order, "the check"); /* of choices */
    for (uint64_t v = 0; v < whole.n_vertices; v++)
        order[v] = (uint32_t)v;
    color_sort(color->options.seed, order, whole.n_vertices);
    uint32_t *expected = greedy(&whole, order), *colors = gather(color);
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < color->part.rows.n_vertices; i++) {
        const uint32_t v = (uint32_t)(color->part.first + i);
        n_wrong += !is_right(color, &whole, colors, expected, v);
    }
    free(order);
    free(expected);
    free(colors);
    graph_free(&whole);
    return n_wrong;
}
