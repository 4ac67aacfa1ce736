/* SPDX-License-Identifier: MIT */
/*
 * Brings the edges of all nodes to every node, for algorithms whose work the nodes share, and not the graph.
 *
 * Path:    betweenness.c, triangles.c -> this -> exchange.c, rows.c.
 * Owner:   the caller frees the columns.
 * Threads: one at a time.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>

struct collected {
    const char *call;
    struct graph_columns *columns;
    uint64_t n;
};

/* Packs own edges: source << 32 | target. Returns how many. */
static uint64_t pack(const struct gravel_graph *graph, uint64_t n_first, uint64_t *edges)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < graph->n_edges; i++) {
        const uint32_t from = graph->from[i], to = graph_first_slot(graph) + graph->to[i];
        const uint64_t rank = graph_rank(graph, from);
        if (!n_first || (rank < n_first && graph_rank(graph, to) < rank))
            edges[n++] = (uint64_t)from << 32 | to;
    }
    return n;
}

/* Makes room for all edges. */
static int expect_edges(void *context, uint64_t bytes)
{
    struct collected *collected = context;
    const struct graph_columns plain = {0};
    collected->n = bytes / sizeof(uint64_t);
    return collected->n > UINT32_MAX
               ? graph_fail(GRAVEL_ENOMEM, "%s: %" PRIu64 " edges of all nodes (below 2^32)",
                            collected->call, collected->n)
               : graph_columns_alloc(collected->columns, &plain, collected->n);
}

static void take_edges(void *context, uint32_t source, uint64_t at, const void *data,
                       uint64_t bytes)
{
    const struct collected *collected = context;
    const uint64_t begin = at / sizeof(uint64_t);
    (void)source;
    for (uint64_t i = 0; i < bytes / sizeof(uint64_t); i++) {
        const uint64_t edge = ((const uint64_t *)data)[i];
        collected->columns->key[begin + i] = (uint32_t)edge;
        collected->columns->other[begin + i] = (uint32_t)(edge >> 32);
    }
}

int graph_collect(struct gravel_graph *graph, const char *call, uint64_t n_first,
                  struct graph_columns *columns, uint64_t *n)
{
    const uint64_t most_bytes = (graph->n_edges + 1) * sizeof(uint64_t);
    struct collected collected = {call, columns, 0};
    uint64_t *edges = malloc(most_bytes);
    *columns = (struct graph_columns){0};
    int code = edges ? 0 : graph_fail_memory(call, most_bytes);
    code = graph_agree(graph, call, code);
    if (!code) {
        const uint64_t bytes = pack(graph, n_first, edges) * sizeof *edges;
        uint64_t most = bytes;
        code = graph_reduce(graph, GRAVEL_MAX, GRAVEL_ULONG, &most, 1);
        if (!code)
            code = graph->n_nodes > 1 ? graph_exchange_once(graph, 0, most, edges, 0, bytes,
                                                            expect_edges, take_edges, &collected)
                                      : expect_edges(&collected, bytes);
        if (!code && graph->n_nodes == 1)
            take_edges(&collected, 0, 0, edges, bytes);
    }
    *n = collected.n;
    free(edges);
    return code;
}

int graph_collect_rows(struct gravel_graph *graph, const char *call, struct graph_rows *out,
                       struct graph_rows *in)
{
    const uint32_t n = graph->n_slots;
    struct graph_columns edges;
    uint64_t n_edges;
    if (graph->n_nodes == 1) { /* numbers are slots */
        GRAPH_TRY(graph_need_push(graph));
        GRAPH_TRY(graph_need_pull(graph));
        *out = graph->push;
        *in = graph->pull;
        out->is_other = in->is_other = true;
        return 0;
    }
    int code = graph_collect(graph, call, 0, &edges, &n_edges);
    const struct graph_columns turned = {.key = edges.other, .other = edges.key};
    if (!code)
        code = graph_rows_make(graph, out, &edges, n_edges, n, n);
    if (!code && graph->is_undirected) {
        *in = *out;
        in->is_other = true;
    } else if (!code) {
        code = graph_rows_make(graph, in, &turned, n_edges, n, n);
    }
    graph_columns_free(&edges);
    return code;
}
