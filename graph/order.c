/* SPDX-License-Identifier: MIT */
/*
 * Finds the slots of all vertices: in order of degree, those of most edges first, and dealt in turn to the nodes. Edges of
 * both directions count, so a loop counts twice. Vertices of one degree are in order of their numbers.
 *
 * Each node counts its own edges. Counts are added up at a node for each range of vertices, which sends the sums to all: so
 * all sort the same.
 *
 * Path:    create.c -> this -> results.c, sort.c -> spread.c.
 * Owner:   the caller has the slots; degrees are freed on return.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* Adds an edge at each end of those that this node gives. */
static void count_degrees(const struct gravel_graph *graph, uint64_t *degrees,
                          const struct gravel_graph_edges *edges)
{
#pragma omp parallel for num_threads(graph_threads(graph, edges->n_edges))
    for (uint64_t i = 0; i < edges->n_edges; i++) {
        uint64_t *from = &degrees[graph_id(edges->from, edges->id_bytes, i)],
                 *to = &degrees[graph_id(edges->to, edges->id_bytes, i)];
#pragma omp atomic
        (*from)++;
#pragma omp atomic
        (*to)++;
    }
}

/* Deals vertices out: sorted by how far their degree is from the most. */
static int deal(struct gravel_graph *graph, const uint64_t *degrees, uint32_t *slots)
{
    const uint64_t n = graph->n_vertices;
    struct graph_columns given = {0}, sorted;
    uint64_t most = 0;
    GRAPH_TRY(graph_columns_alloc(&given, &given, n));
#pragma omp parallel for reduction(max : most) num_threads(graph_threads(graph, n))
    for (uint64_t vertex = 0; vertex < n; vertex++)
        most = degrees[vertex] > most ? degrees[vertex] : most;
    most = most < UINT32_MAX ? most : UINT32_MAX; /* from which on all are one */
#pragma omp parallel for num_threads(graph_threads(graph, n))
    for (uint64_t vertex = 0; vertex < n; vertex++) {
        given.key[vertex] = degrees[vertex] < most ? (uint32_t)(most - degrees[vertex]) : 0;
        given.other[vertex] = (uint32_t)vertex;
    }
    const int code = graph_sort(graph, &sorted, &given, n, most + 1);
    graph_columns_free(&given);
    if (code)
        return code;
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

int graph_order(struct gravel_graph *graph, const char *call,
                const struct gravel_graph_edges *edges, uint32_t *slots)
{
    uint64_t *degrees = calloc(graph->n_slots, sizeof *degrees);
    int code = degrees ? 0 : graph_fail_memory(call, graph->n_slots * sizeof *degrees);
    code = graph_agree(graph, call, code);
    if (!code) {
        count_degrees(graph, degrees, edges);
        code = graph_add_up(graph, degrees, false);
    }
    if (!code)
        code = graph_share(graph, call, 0, degrees, sizeof *degrees);
    if (!code)
        code = deal(graph, degrees, slots);
    free(degrees);
    return code;
}
