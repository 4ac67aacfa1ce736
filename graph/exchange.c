/* SPDX-License-Identifier: MIT */
/*
 * Sends bytes from every node to every other, of any length, in pieces that lie in the symmetric heap for a moment.
 *
 * A piece of each source has its place at every node, twice: what one round of pieces has brought is taken while the
 * next one's may come already, so that a round needs one barrier. The first round of an exchange brings the lengths, too.
 *
 * Path:    spread.c, collect.c, forest.c, results.c -> this -> gravel_put, gravel_barrier.
 * Owner:   each exchange takes heap memory, and frees it.
 * Threads: one at a time.
 */
#include "graph.h"

#include <stdlib.h>

#define HEAP_SHARE 8u /* of the heap, for all pieces */
#define MOST_PIECE_BYTES (UINT64_C(12) << 20)
/* Pieces are multiples of it: of lines, of words, and of records of 16 and 24 bytes. */
#define UNIT_BYTES UINT64_C(192)

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
}

static uint64_t table_bytes(const struct gravel_graph *graph)
{
    return round_up(graph->n_nodes * sizeof(uint64_t));
}

/* Returns where this round's half begins: a table of lengths [n_nodes], and pieces [n_nodes]. */
static uint64_t half_at(const struct gravel_graph *graph)
{
    const struct graph_stage *stage = &graph->stage;
    const uint64_t half_bytes = table_bytes(graph) + graph->n_nodes * stage->piece_bytes;
    return stage->at + stage->round % 2 * half_bytes;
}

static uint64_t piece_at(const struct gravel_graph *graph, uint32_t source)
{
    return half_at(graph) + table_bytes(graph) + source * graph->stage.piece_bytes;
}

/* Returns the bytes of a piece, of so many in all. */
static uint64_t piece_of(const struct gravel_graph *graph, uint64_t number, uint64_t bytes)
{
    const uint64_t piece_bytes = graph->stage.piece_bytes, begin = number * piece_bytes,
                   left = begin < bytes ? bytes - begin : 0;
    return left < piece_bytes ? left : piece_bytes;
}

/* Collective. @param most  bytes that any node sends to another, the same at every node. */
static int open_stage(struct gravel_graph *graph, uint64_t most)
{
    const uint64_t n_nodes = graph->n_nodes,
                   share = gravel_config_of(graph->gravel)->heap_bytes / HEAP_SHARE / 2 / n_nodes,
                   bound = share < MOST_PIECE_BYTES ? share : MOST_PIECE_BYTES;
    graph->stage = (struct graph_stage){.piece_bytes = round_up(most < bound ? most : bound)};
    if (n_nodes == 1)
        return 0;
    return gravel_alloc(graph->gravel,
                        2 * (table_bytes(graph) + n_nodes * graph->stage.piece_bytes),
                        &graph->stage.at);
}

static int close_stage(struct gravel_graph *graph)
{
    const uint64_t at = graph->stage.at;
    graph->stage = (struct graph_stage){0};
    return at ? gravel_free(graph->gravel, at) : 0;
}

/* Sends a piece to each other node; with the first one all lengths. */
static int send_pieces(const struct gravel_graph *graph, const struct graph_sent *sent,
                       uint64_t number)
{
    for (uint32_t i = 1; i < graph->n_nodes; i++) {
        const uint32_t node = (graph->node + i) % graph->n_nodes;
        const uint64_t bytes = piece_of(graph, number, sent[node].bytes);
        if (number == 0)
            GRAPH_TRY(gravel_put(graph->gravel, half_at(graph) + graph->node * sizeof(uint64_t),
                                 &sent[node].bytes, sizeof(uint64_t), node));
        if (bytes)
            GRAPH_TRY(gravel_put(graph->gravel, piece_at(graph, graph->node),
                                 (const char *)sent[node].data + number * graph->stage.piece_bytes,
                                 bytes, node));
    }
    return 0;
}

/* Takes the lengths that have come, and has the caller make room. */
static int take_lengths(const struct gravel_graph *graph, const struct graph_sent *sent,
                        uint64_t *coming, graph_expect *expect, void *context)
{
    void *table;
    uint64_t bytes = 0;
    GRAPH_TRY(gravel_map(graph->gravel, half_at(graph), graph->n_nodes * sizeof *coming,
                         CL_MAP_READ, graph->node, &table));
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        coming[node] = node == graph->node ? sent[node].bytes : ((const uint64_t *)table)[node];
        bytes += coming[node];
    }
    GRAPH_TRY(gravel_unmap(graph->gravel, table));
    return expect ? expect(context, bytes) : 0;
}

static int take_pieces(const struct gravel_graph *graph, const struct graph_sent *sent,
                       const uint64_t *coming, uint64_t number, graph_take *take, void *context)
{
    uint64_t begin = 0; /* of what the source sends, in all that comes */
    for (uint32_t source = 0; source < graph->n_nodes; begin += coming[source++]) {
        void *data;
        const uint64_t bytes = source == graph->node ? 0 : piece_of(graph, number, coming[source]);
        if (source == graph->node && number == 0)
            take(context, source, begin, sent[source].data, coming[source]);
        if (!bytes)
            continue;
        GRAPH_TRY(gravel_map(graph->gravel, piece_at(graph, source), bytes, CL_MAP_READ,
                             graph->node, &data));
        take(context, source, begin + number * graph->stage.piece_bytes, data, bytes);
        GRAPH_TRY(gravel_unmap(graph->gravel, data));
    }
    return 0;
}

int graph_exchange(struct gravel_graph *graph, int code, uint64_t most,
                   const struct graph_sent *sent, graph_expect *expect, graph_take *take,
                   void *context)
{
    GRAPH_TRY(open_stage(graph, most));
    uint64_t *coming = calloc(graph->n_nodes, sizeof *coming);
    if (!code && !coming)
        code = graph_fail_memory("gravel_graph: lengths", graph->n_nodes * sizeof *coming);
    uint64_t number = 0;
    do { /* once for the lengths, if no node sends anything */
        if (!code)
            code = send_pieces(graph, sent, number);
        GRAPH_KEEP(code, gravel_barrier(graph->gravel));
        if (!code && number == 0)
            code = take_lengths(graph, sent, coming, expect, context);
        if (!code)
            code = take_pieces(graph, sent, coming, number, take, context);
        graph->stage.round++;
    } while (++number * graph->stage.piece_bytes < most);
    free(coming);
    GRAPH_KEEP(code, close_stage(graph));
    return code;
}

int graph_exchange_once(struct gravel_graph *graph, int code, uint64_t most, const void *data,
                        uint64_t stride, uint64_t bytes, graph_expect *expect, graph_take *take,
                        void *context)
{
    struct graph_sent *sent = calloc(graph->n_nodes, sizeof *sent);
    if (!code && !sent)
        code = graph_fail_memory("gravel_graph: lengths", graph->n_nodes * sizeof *sent);
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        sent[node] = (struct graph_sent){(const char *)data + node * stride, bytes};
    code = graph_exchange(graph, code, most, sent, expect, take, context);
    free(sent);
    return code;
}
