/* SPDX-License-Identifier: MIT */
/*
 * Between the caller's vertices and the graph's slots, behind an algorithm and before it. See graph.h.
 *
 * Path:    bfs.c and its like -> this -> exchange.c, gravel_reduce.
 * Owner:   the caller's arrays.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int graph_slot(struct gravel_graph *graph, const char *call, uint64_t vertex, uint32_t *slot)
{
    const bool is_here = vertex >= graph->first && vertex - graph->first < graph->n_results;
    /* The least of each: the slot, the vertex, and the most that it is at any node. */
    uint64_t least[3] = {is_here ? graph->slot_of[vertex - graph->first] : GRAPH_NO_SLOT, vertex,
                         ~vertex};
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_MIN, GRAVEL_ULONG, least, 3));
    if (least[1] != ~least[2])
        return graph_fail(GRAVEL_EMISMATCH,
                          "%s: vertex is %" PRIu64 " at one node and %" PRIu64 " at another (the "
                          "same at every node)",
                          call, least[1], ~least[2]);
    if (vertex >= graph->n_vertices)
        return graph_fail(GRAVEL_EINVAL,
                          "%s: vertex %" PRIu64 " out of range (%" PRIu64 " vertices)", call,
                          vertex, graph->n_vertices);
    *slot = (uint32_t)least[0];
    return 0;
}

void graph_pick(const struct gravel_graph *graph, void *out, const void *words, uint32_t bytes)
{
    const uint32_t *slots = graph->slot_of;
    if (bytes == 4) {
#pragma omp parallel for if (graph->n_results > GRAPH_FEW)
        for (uint64_t i = 0; i < graph->n_results; i++)
            ((uint32_t *)out)[i] = ((const uint32_t *)words)[slots[i]];
    } else {
#pragma omp parallel for if (graph->n_results > GRAPH_FEW)
        for (uint64_t i = 0; i < graph->n_results; i++)
            ((uint64_t *)out)[i] = ((const uint64_t *)words)[slots[i]];
    }
}

struct share {
    const struct gravel_graph *graph;
    char *words;
    uint64_t block_bytes;
};

static void take_words(void *context, uint32_t source, uint64_t at, const void *data,
                       uint64_t bytes)
{
    const struct share *share = context;
    if (source != share->graph->node)
        memcpy(share->words + source * share->block_bytes + at, data, bytes);
}

int graph_share(struct gravel_graph *graph, void *words, uint32_t bytes)
{
    struct share share = {graph, words, (uint64_t)graph->block * bytes};
    if (graph->n_nodes == 1)
        return 0;
    GRAPH_TRY(graph_exchange_open(graph, share.block_bytes));
    struct graph_sent *sent = calloc(graph->n_nodes, sizeof *sent);
    int code = sent ? 0 : graph_fail_memory("gravel_graph: results", graph->n_nodes * sizeof *sent);
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        sent[node] =
            (struct graph_sent){share.words + graph->node * share.block_bytes, share.block_bytes};
    code = graph_exchange(graph, code, share.block_bytes, sent, NULL, take_words, &share);
    free(sent);
    code = graph_agree(graph, "gravel_graph", code);
    GRAPH_KEEP(code, graph_exchange_close(graph));
    return code;
}
