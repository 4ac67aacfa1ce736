/* SPDX-License-Identifier: MIT */
/*
 * Cut rows where the parts' shares of rows and edges begin. See rows.h.
 *
 * Path: rows.h -> this -> graph/side_by_side.h
 * Owner, threads: see rows.h.
 */
#include "graph/rows.h"

/* The first row with so many rows and edges before it. */
static uint64_t row_after(const struct graph *graph, uint64_t n)
{
    uint64_t low = 0, high = graph->n_vertices;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->offsets[middle] + middle < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct graph_rows graph_rows_of(const struct graph *graph, uint32_t part, uint32_t n_parts)
{
    const uint64_t n = graph->offsets[graph->n_vertices] + graph->n_vertices;
    const uint64_t first = row_after(graph, side_by_side_begin(part, n_parts, n));
    const uint64_t last = row_after(graph, side_by_side_begin(part + 1, n_parts, n));
    return (struct graph_rows){part, first, last, graph->offsets[first], graph->offsets[last]};
}

struct looked {
    void (*work)(void *context, struct graph_rows rows);
    void *context;
    struct graph_rows parts[SIDE_BY_SIDE_MOST];
};

static void look(void *context, uint32_t part)
{
    const struct looked *looked = context;
    looked->work(looked->context, looked->parts[part]);
}

void graph_rows_side_by_side(const struct graph *graph,
                             void (*work)(void *context, struct graph_rows rows), void *context)
{
    struct looked looked = {.work = work, .context = context};
    const uint32_t n_parts = side_by_side_threads();
    for (uint32_t part = 0; part < n_parts; part++)
        looked.parts[part] = graph_rows_of(graph, part, n_parts);
    side_by_side(n_parts, look, &looked);
}
