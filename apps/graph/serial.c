/* SPDX-License-Identifier: MIT */
/*
 * PageRank along edges, and Dijkstra's algorithm with a binary heap. See serial.h.
 *
 * Source: E. Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959.
 */
#include "graph/serial.h"
#include "frame/die.h"

#include <math.h>
#include <stdlib.h>

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Makes the next ranks from `rank`. */
static void iterate(const struct graph *graph, double damping, bool shares_idle, const double *rank,
                    double *next)
{
    const uint64_t n = graph->n_vertices;
    double idle = 0;
    for (uint64_t u = 0; u < n; u++)
        idle += shares_idle && !graph_degree(graph, u) ? rank[u] : 0;
    for (uint64_t v = 0; v < n; v++)
        next[v] = (1 - damping + damping * idle) / (double)n;
    for (uint64_t u = 0; u < n; u++) {
        const double share = damping * rank[u] / fmax((double)graph_degree(graph, u), 1);
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            next[graph->neighbours[e]] += share;
    }
}

double *serial_ranks(const struct graph *graph, double damping, uint64_t n_iterations,
                     bool shares_idle)
{
    const uint64_t n = graph->n_vertices;
    double *rank = app_array(n, sizeof *rank, "the check");
    double *next = app_array(n, sizeof *next, "the check");
    for (uint64_t v = 0; v < n; v++)
        rank[v] = 1 / (double)n;
    for (uint64_t i = 0; i < n_iterations; i++) {
        iterate(graph, damping, shares_idle, rank, next);
        double *before = rank;
        rank = next;
        next = before;
    }
    free(next);
    return rank;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* A vertex as often as it came nearer; all but the nearest are passed over. */
struct waiting {
    double distance;
    uint32_t vertex;
};

struct heap {
    struct waiting *each; /* [n] */
    uint64_t n, room;
};

static void put(struct heap *heap, struct waiting waiting)
{
    uint64_t at = heap->n++;
    heap->each = app_room(heap->each, at, &heap->room, sizeof *heap->each, "vertices of the check");
    for (; at && heap->each[(at - 1) / 2].distance > waiting.distance; at = (at - 1) / 2)
        heap->each[at] = heap->each[(at - 1) / 2];
    heap->each[at] = waiting;
}

static struct waiting take_nearest(struct heap *heap)
{
    struct waiting *each = heap->each, nearest = each[0], last = each[--heap->n];
    uint64_t at = 0, below;
    for (; (below = 2 * at + 1) < heap->n; at = below) {
        below += below + 1 < heap->n && each[below + 1].distance < each[below].distance;
        if (last.distance <= each[below].distance)
            break;
        each[at] = each[below];
    }
    each[at] = last;
    return nearest;
}

/* Returns a distance, one edge on. */
static double add(const struct graph *graph, double distance, uint64_t e)
{
    const double sum = distance + graph_weight(graph, e);
    if (graph->weights_are == GRAPH_FLOAT)
        return (double)(float)sum; /* as floats add: doubles have more than twice their bits */
    return sum < UINT32_MAX ? sum : (double)INFINITY;
}

double *serial_distances(const struct graph *graph, uint64_t source)
{
    struct heap heap = {.n = 0};
    double *distances = app_array(graph->n_vertices, sizeof *distances, "the check");
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        distances[v] = (double)INFINITY;
    distances[source] = 0;
    put(&heap, (struct waiting){0, (uint32_t)source});
    while (heap.n) {
        const struct waiting from = take_nearest(&heap);
        const uint32_t u = from.vertex;
        if (from.distance > distances[u])
            continue;
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            const uint32_t v = graph->neighbours[e];
            const double offer = add(graph, from.distance, e);
            if (!(offer < distances[v]))
                continue;
            distances[v] = offer;
            put(&heap, (struct waiting){offer, v});
        }
    }
    free(heap.each);
    return distances;
}
