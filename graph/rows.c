/* SPDX-License-Identifier: MIT */
/*
 * Makes rows of edges on the host's cores, and takes them to the device: of those at this node when an algorithm first
 * needs them. Edges are sorted by their ends, and then, stably, by rows: so ends of a row ascend.
 *
 * Path:    bfs.c and its like -> this -> sort.c, device.c.
 * Owner:   rows are the graph's; what they are made in is freed on return.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <stdlib.h>

/* Makes offsets [n_rows + 1] of rows [n], which ascend. */
static void make_offsets(const struct gravel_graph *graph, uint32_t *offsets, uint32_t n_rows,
                         const uint32_t *rows, uint64_t n)
{
#pragma omp parallel for num_threads(graph_threads(graph, n))
    for (uint64_t i = 0; i <= n; i++) {
        const uint64_t begin = i > 0 ? (uint64_t)rows[i - 1] + 1 : 0,
                       end = i < n ? rows[i] : n_rows;
        for (uint64_t row = begin; row <= end; row++)
            offsets[row] = (uint32_t)i;
    }
}

static int upload(struct gravel_graph *graph, struct graph_rows *rows,
                  const struct graph_columns *sorted, uint64_t n)
{
    const uint64_t bytes = (rows->n_rows + UINT64_C(1)) * sizeof(uint32_t);
    uint32_t *offsets = malloc(bytes);
    if (!offsets)
        return graph_fail_memory("gravel_graph: offsets of rows", bytes);
    make_offsets(graph, offsets, rows->n_rows, sorted->key, n);
    int code = graph_buffer(graph, &rows->offsets, offsets, bytes);
    free(offsets);
    if (!code)
        code = graph_buffer(graph, &rows->ends, sorted->other, n * sizeof *sorted->other);
    if (!code && sorted->weight)
        code = graph_buffer(graph, &rows->weights, sorted->weight, n * sorted->weight_bytes);
    return code;
}

int graph_rows_make(struct gravel_graph *graph, struct graph_rows *rows,
                    const struct graph_columns *columns, uint64_t n, uint32_t n_rows,
                    uint32_t n_ends)
{
    struct graph_columns by_ends, sorted = {0};
    if (rows->offsets)
        return 0;
    rows->n_rows = n_rows;
    GRAPH_TRY(graph_check_room(graph, "gravel_graph: rows",
                               n_rows * UINT64_C(4) + n * (4 + columns->weight_bytes)));
    int code = graph_sort(graph, &by_ends, columns, n, n_ends);
    if (!code) {
        const struct graph_columns turned = {.key = by_ends.other,
                                             .other = by_ends.key,
                                             .weight = by_ends.weight,
                                             .weight_bytes = by_ends.weight_bytes};
        code = graph_sort(graph, &sorted, &turned, n, n_rows);
        graph_columns_free(&by_ends);
    }
    if (!code)
        code = upload(graph, rows, &sorted, n);
    graph_columns_free(&sorted);
    if (code)
        graph_rows_free(graph, rows);
    return code;
}

/* Makes rows of this node's edges. */
static int need(struct gravel_graph *graph, struct graph_rows *rows, uint32_t *ends, uint32_t *of,
                uint32_t n_rows, uint32_t n_ends)
{
    const struct graph_columns columns = {.key = ends,
                                          .other = of,
                                          .weight = graph->weights,
                                          .weight_bytes = graph_weight_bytes(graph->weight_type)};
    return graph_rows_make(graph, rows, &columns, graph->n_edges, n_rows, n_ends);
}

int graph_need_push(struct gravel_graph *graph)
{
    return need(graph, &graph->push, graph->to, graph->from, graph->n_slots, graph->n_own);
}

int graph_need_pull(struct gravel_graph *graph)
{
    if (graph->is_undirected && graph->n_nodes == 1 && !graph->pull.offsets) {
        GRAPH_TRY(graph_need_push(graph)); /* numbers are slots, and each edge goes both ways */
        graph->pull = graph->push;
        graph->pull.n_rows = graph->n_own;
        graph->pull.is_other = true;
        return 0;
    }
    return need(graph, &graph->pull, graph->from, graph->to, graph->n_own, graph->n_slots);
}

void graph_rows_free(struct gravel_graph *graph, struct graph_rows *rows)
{
    if (!rows->is_other) {
        graph_release(graph, &rows->offsets);
        graph_release(graph, &rows->ends);
        graph_release(graph, &rows->weights);
    }
    *rows = (struct graph_rows){0};
}
