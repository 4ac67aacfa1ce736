/* SPDX-License-Identifier: MIT */
/*
 * Finds the slots of all vertices: in order of degree, those of most edges first, and dealt in turn to the nodes. Edges of
 * both directions count, so a loop counts twice. Vertices of one degree are in order of their numbers.
 *
 * Each node counts its own edges. Counts are added up at the owner of a range of vertices, which sends the sums to all
 * nodes: so all sort the same.
 *
 * Path:    create.c -> this -> exchange.c, sort.c -> spread.c.
 * Owner:   the caller has the slots; degrees are freed on return.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DEGREE 65535u /* from which on all are one to the sort of all; few vertices have it */

struct degrees {
    struct gravel_graph *graph;
    uint32_t *of; /* [n_vertices] wraps: then the order is a poor one */
    struct graph_sent *sent;
};

static uint64_t range_begin(const struct gravel_graph *graph, uint32_t node)
{
    return graph_part(graph->n_vertices, node, graph->n_nodes);
}

static void count_degrees(const struct gravel_graph *graph, uint32_t *degrees,
                          const struct gravel_graph_edges *edges)
{
#pragma omp parallel for num_threads(graph_threads(graph, edges->n_edges))
    for (uint64_t i = 0; i < edges->n_edges; i++) {
        uint32_t *from = &degrees[graph_id(edges->from, edges->id_bytes, i)],
                 *to = &degrees[graph_id(edges->to, edges->id_bytes, i)];
#pragma omp atomic
        (*from)++;
#pragma omp atomic
        (*to)++;
    }
}

static void take_counts(void *context, uint32_t source, uint64_t at, const void *data,
                        uint64_t bytes)
{
    const struct degrees *degrees = context;
    const uint32_t own = degrees->graph->node, *counts = data;
    if (source == own)
        return; /* they are there */
    uint32_t *sums = degrees->of + range_begin(degrees->graph, own) + at / sizeof *counts;
    for (uint64_t i = 0; i < bytes / sizeof *counts; i++)
        sums[i] += counts[i];
}

static void take_sums(void *context, uint32_t source, uint64_t at, const void *data, uint64_t bytes)
{
    const struct degrees *degrees = context;
    if (source != degrees->graph->node)
        memcpy((char *)(degrees->of + range_begin(degrees->graph, source)) + at, data, bytes);
}

/* Adds degrees up over all nodes. Collective. */
static int add_degrees(struct degrees *degrees, int code)
{
    struct gravel_graph *graph = degrees->graph;
    const uint64_t most = graph_order_bytes(graph);
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        degrees->sent[node] = (struct graph_sent){
            degrees->of + range_begin(graph, node),
            (range_begin(graph, node + 1) - range_begin(graph, node)) * sizeof *degrees->of};
    code = graph_exchange(graph, code, most, degrees->sent, NULL, take_counts, degrees);
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        if (node != graph->node)
            degrees->sent[node] = degrees->sent[graph->node];
    return graph_exchange(graph, code, most, degrees->sent, NULL, take_sums, degrees);
}

/* Sorts the vertices of degree MOST_DEGREE and more, which come first. */
static int sort_hubs(const struct gravel_graph *graph, struct graph_columns *sorted, uint64_t n,
                     const uint32_t *degrees)
{
    struct graph_columns hubs;
    uint64_t n_hubs = 0;
    for (; n_hubs < n && sorted->key[n_hubs] == 0; n_hubs++)
        sorted->key[n_hubs] = UINT32_MAX - degrees[sorted->other[n_hubs]];
    if (n_hubs < 2)
        return 0;
    GRAPH_TRY(graph_sort(graph, &hubs, sorted, n_hubs, UINT64_C(1) << 32));
    memcpy(sorted->other, hubs.other, n_hubs * sizeof *hubs.other);
    graph_columns_free(&hubs);
    return 0;
}

/* Deals vertices out: sorted by how far their degree is from the most. */
static int deal(struct gravel_graph *graph, const uint32_t *degrees, uint32_t *slots)
{
    const uint64_t n = graph->n_vertices;
    struct graph_columns given = {0}, sorted;
    GRAPH_TRY(graph_columns_alloc(&given, &given, n));
#pragma omp parallel for num_threads(graph_threads(graph, n))
    for (uint64_t vertex = 0; vertex < n; vertex++) {
        given.key[vertex] = degrees[vertex] < MOST_DEGREE ? MOST_DEGREE - degrees[vertex] : 0;
        given.other[vertex] = (uint32_t)vertex;
    }
    int code = graph_sort(graph, &sorted, &given, n, MOST_DEGREE + 1);
    graph_columns_free(&given);
    if (!code)
        code = sort_hubs(graph, &sorted, n, degrees);
    if (code) {
        graph_columns_free(&sorted);
        return code;
    }
    memset(graph->vertex_of, 0xff, (uint64_t)graph->n_slots * sizeof *graph->vertex_of);
#pragma omp parallel for num_threads(graph_threads(graph, n))
    for (uint64_t rank = 0; rank < n; rank++) {
        const uint32_t slot =
            (uint32_t)(rank % graph->n_nodes * graph->block + rank / graph->n_nodes);
        slots[sorted.other[rank]] = slot;
        graph->vertex_of[slot] = sorted.other[rank];
    }
    graph_columns_free(&sorted);
    return 0;
}

uint64_t graph_order_bytes(const struct gravel_graph *graph)
{
    return (graph->n_vertices + graph->n_nodes - 1) / graph->n_nodes * sizeof(uint32_t);
}

int graph_order(struct gravel_graph *graph, const struct gravel_graph_edges *edges, uint32_t *slots)
{
    struct degrees degrees = {graph, calloc(graph->n_vertices + 1, sizeof *degrees.of),
                              calloc(graph->n_nodes, sizeof *degrees.sent)};
    int code = degrees.of && degrees.sent
                   ? 0
                   : graph_fail_memory("gravel_graph_create: degrees",
                                       (graph->n_vertices + 1) * sizeof *degrees.of);
    if (!code)
        count_degrees(graph, degrees.of, edges);
    if (graph->n_nodes > 1)
        code = add_degrees(&degrees, code);
    if (!code)
        code = deal(graph, degrees.of, slots);
    free(degrees.of);
    free(degrees.sent);
    return code;
}
