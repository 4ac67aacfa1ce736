/* SPDX-License-Identifier: MIT */
/*
 * Brings each edge to the node of its target. An edge of an undirected graph goes both ways, a loop once.
 *
 * Edges are sorted by the slot of the target, so those of a node lie side by side, and each column of them travels by
 * itself. A node that is alone has them where they are.
 *
 * Path:    create.c, with the slots of order.c -> this -> sort.c, exchange.c -> rows.c.
 * Owner:   the columns that come are the graph's: its host copies.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Makes columns of edges, with weights if the graph has any. */
static int alloc_columns(const struct gravel_graph *graph, struct graph_columns *out, uint64_t n)
{
    uint64_t word;
    const uint32_t weight_bytes = graph_weight_bytes(graph->weight_type);
    const struct graph_columns like = {
        .weight = weight_bytes ? &word : NULL, .weight_bytes = weight_bytes, .given = &word};
    return graph_columns_alloc(out, &like, n);
}

static int check_number(const struct gravel_graph *graph, uint64_t n)
{
    return n <= UINT32_MAX
               ? 0
               : graph_fail(GRAVEL_EINVAL,
                            "gravel_graph_create: %" PRIu64
                            " edges whose targets are node %u's (below 2^32): use more nodes",
                            n, graph->node);
}

/* ---- both ways --------------------------------------------------------------------------------- */

struct ways {
    const struct gravel_graph *graph;
    const struct gravel_graph_edges *edges;
    const uint32_t *slots;
    struct graph_columns columns; /* key: slot of the target; other: of the source */
    uint64_t n;
};

static bool is_twice(const struct ways *ways, uint64_t i)
{
    return ways->edges->is_undirected && graph_id(ways->edges->from, ways->edges->id_bytes, i) !=
                                             graph_id(ways->edges->to, ways->edges->id_bytes, i);
}

static void add_way(struct ways *ways, uint64_t at, uint64_t i, uint32_t from, uint32_t to)
{
    const struct graph_columns *columns = &ways->columns;
    columns->key[at] = to;
    columns->other[at] = from;
    columns->given[at] = GRAPH_GIVEN(ways->graph->node, i);
    if (columns->weight)
        memcpy((char *)columns->weight + at * columns->weight_bytes,
               (const char *)ways->edges->weights + i * columns->weight_bytes,
               columns->weight_bytes);
}

static void add_ways(struct ways *ways, uint64_t at, uint64_t begin, uint64_t end)
{
    const struct gravel_graph_edges *edges = ways->edges;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t from = ways->slots[graph_id(edges->from, edges->id_bytes, i)],
                       to = ways->slots[graph_id(edges->to, edges->id_bytes, i)];
        add_way(ways, at++, i, from, to);
        if (is_twice(ways, i))
            add_way(ways, at++, i, to, from);
    }
}

static int make_ways(struct ways *ways)
{
    const uint64_t n = ways->edges->n_edges;
    const uint32_t n_parts = graph_parts(n);
    uint64_t starts[GRAPH_MOST_PARTS + 1] = {0};
#pragma omp parallel for num_threads(graph_threads(ways->graph, n))
    for (uint32_t part = 0; part < n_parts; part++) {
        uint64_t n_ways = 0;
        for (uint64_t i = graph_part(n, part, n_parts); i < graph_part(n, part + 1, n_parts); i++)
            n_ways += 1 + is_twice(ways, i);
        starts[part + 1] = n_ways;
    }
    for (uint32_t part = 0; part < n_parts; part++)
        starts[part + 1] += starts[part];
    ways->n = starts[n_parts];
    GRAPH_TRY(alloc_columns(ways->graph, &ways->columns, ways->n));
#pragma omp parallel for num_threads(graph_threads(ways->graph, n))
    for (uint32_t part = 0; part < n_parts; part++)
        add_ways(ways, starts[part], graph_part(n, part, n_parts),
                 graph_part(n, part + 1, n_parts));
    return 0;
}

/* ---- to their nodes ---------------------------------------------------------------------------- */

/* An edge that travels: words slots (source << 32 | target), given; and the weight, if there are any. */
struct spread {
    struct gravel_graph *graph;
    uint64_t *records; /* [n][n_words] in order of their nodes */
    uint32_t n_words;
    struct graph_sent *sent; /* [n_nodes] of the records */
    struct graph_columns come;
};

static void pack(const struct spread *spread, const struct graph_columns *columns, uint64_t n)
{
#pragma omp parallel for num_threads(graph_threads(spread->graph, n))
    for (uint64_t i = 0; i < n; i++) {
        uint64_t *record = spread->records + i * spread->n_words;
        record[0] = (uint64_t)columns->other[i] << 32 | columns->key[i];
        record[1] = columns->given[i];
        if (columns->weight_bytes)
            record[2] = 0;
        memcpy(record + 2, (const char *)columns->weight + i * columns->weight_bytes,
               columns->weight_bytes);
    }
}

static void take_records(void *context, uint32_t source, uint64_t at, const void *data,
                         uint64_t bytes)
{
    (void)source;
    const struct spread *spread = context;
    const struct graph_columns *come = &spread->come;
    const uint64_t record_bytes = spread->n_words * sizeof(uint64_t), n = bytes / record_bytes,
                   begin = at / record_bytes;
#pragma omp parallel for num_threads(graph_threads(spread->graph, n))
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t *record = (const uint64_t *)data + i * spread->n_words;
        come->key[begin + i] = (uint32_t)record[0];
        come->other[begin + i] = (uint32_t)(record[0] >> 32);
        come->given[begin + i] = record[1];
        memcpy((char *)come->weight + (begin + i) * come->weight_bytes, record + 2,
               come->weight_bytes);
    }
}

/* Makes room for all edges that come. */
static int expect_records(void *context, uint64_t bytes)
{
    struct spread *spread = context;
    struct gravel_graph *graph = spread->graph;
    const uint64_t n = graph->n_edges = bytes / spread->n_words / sizeof(uint64_t);
    return check_number(graph, n) ? GRAVEL_EINVAL : alloc_columns(graph, &spread->come, n);
}

/* Returns the first place whose key is not less. */
static uint64_t lower_bound(const uint32_t *keys, uint64_t n, uint64_t key)
{
    uint64_t begin = 0, end = n;
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (keys[middle] < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Sorts the edges, and finds which are for which node. */
static int divide(struct spread *spread, const struct graph_columns *columns, uint64_t n,
                  uint64_t *most)
{
    const struct gravel_graph *graph = spread->graph;
    const uint64_t record_bytes = spread->n_words * sizeof(uint64_t);
    struct graph_columns sorted;
    spread->sent = calloc(graph->n_nodes, sizeof *spread->sent);
    spread->records = malloc((n + 1) * record_bytes);
    if (!spread->sent || !spread->records)
        return graph_fail_memory("gravel_graph_create: edges to other nodes", n * record_bytes);
    GRAPH_TRY(graph_sort(graph, &sorted, columns, n, graph->n_slots));
    pack(spread, &sorted, n);
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        const uint64_t begin = lower_bound(sorted.key, n, (uint64_t)node * graph->block),
                       end = lower_bound(sorted.key, n, (uint64_t)(node + 1) * graph->block);
        spread->sent[node] = (struct graph_sent){spread->records + begin * spread->n_words,
                                                 (end - begin) * record_bytes};
        *most = spread->sent[node].bytes > *most ? spread->sent[node].bytes : *most;
    }
    graph_columns_free(&sorted);
    return 0;
}

/* Has each node's edges sent to it. Collective. @param columns  [in, out] those that it has; that it gets. */
static int spread_columns(struct gravel_graph *graph, struct graph_columns *columns, uint64_t n,
                          int code)
{
    struct spread spread = {.graph = graph, .n_words = graph->weight_type ? 3 : 2};
    uint64_t most = 0;
    if (!code)
        code = divide(&spread, columns, n, &most);
    graph_columns_free(columns);
    GRAPH_KEEP(code, gravel_reduce(graph->gravel, GRAVEL_MAX, GRAVEL_ULONG, &most, 1));
    code = graph_exchange(graph, code, most, spread.sent, expect_records, take_records, &spread);
    *columns = spread.come;
    free(spread.records);
    free(spread.sent);
    return code;
}

int graph_spread(struct gravel_graph *graph, const struct gravel_graph_edges *edges,
                 const uint32_t *slots)
{
    struct ways ways = {.graph = graph, .edges = edges, .slots = slots};
    int code = make_ways(&ways);
    graph->n_edges = ways.n;
    if (!code && graph->n_nodes == 1)
        code = check_number(graph, ways.n);
    if (graph->n_nodes > 1)
        code = spread_columns(graph, &ways.columns, ways.n, code);
    graph->from = ways.columns.other;
    graph->to = ways.columns.key;
    graph->weights = ways.columns.weight;
    graph->given = ways.columns.given;
    if (code)
        return code;
    const uint32_t first = graph_first_slot(graph);
#pragma omp parallel for num_threads(graph_threads(graph, graph->n_edges))
    for (uint64_t i = 0; i < graph->n_edges; i++)
        graph->to[i] -= first;
    return 0;
}
