/* SPDX-License-Identifier: MIT */
/*
 * PageRank along edges, Dijkstra's algorithm with a binary heap, Kruskal's, and greedy colouring. See graph.h.
 *
 * Source: E. Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959; J. Kruskal, On the Shortest Spanning Subtree
 * of a Graph, 1956.
 */
#include "graph/graph.h"
#include "frame/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranks ----------------------------------------------------------------------------------- */

double *serial_ranks(const struct graph *graph, double damping, uint64_t n_iterations,
                     bool shares_idle)
{
    const uint64_t n = graph->n_vertices;
    double *rank = app_array(n, sizeof *rank, "the check");
    double *next = app_array(n, sizeof *next, "the check");
    for (uint64_t v = 0; v < n; v++)
        rank[v] = 1 / (double)n;
    for (uint64_t i = 0; i < n_iterations; i++) {
        double idle = 0, *before = rank;
        for (uint64_t u = 0; u < n; u++)
            idle += shares_idle && !graph_degree(graph, u) ? rank[u] : 0;
        for (uint64_t v = 0; v < n; v++)
            next[v] = (1 - damping + damping * idle) / (double)n;
        for (uint64_t u = 0; u < n; u++) {
            const double share = damping * rank[u] / fmax((double)graph_degree(graph, u), 1);
            for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
                next[graph->neighbours[e]] += share;
        }
        rank = next;
        next = before;
    }
    free(next);
    return rank;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* A vertex as often as it came nearer; all but the nearest are passed over. */
struct waiting {
    uint32_t distance, vertex;
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

uint32_t *serial_distances(const struct graph *graph, uint64_t source)
{
    struct heap heap = {.n = 0};
    uint32_t *distances = app_array(graph->n_vertices, sizeof *distances, "the check");
    memset(distances, 0xff, graph->n_vertices * sizeof *distances); /* SERIAL_NONE */
    distances[source] = 0;
    put(&heap, (struct waiting){0, (uint32_t)source});
    while (heap.n) {
        const struct waiting from = take_nearest(&heap);
        const uint32_t u = from.vertex;
        if (from.distance > distances[u])
            continue;
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            const uint32_t v = graph->neighbours[e];
            const uint64_t offer = from.distance + (graph->weights ? graph->weights[e] : 1ull);
            if (offer >= distances[v])
                continue;
            distances[v] = (uint32_t)offer;
            put(&heap, (struct waiting){(uint32_t)offer, v});
        }
    }
    free(heap.each);
    return distances;
}

/* ---- trees, and colours -------------------------------------------------------------------------- */

/* What is taken in an order: edges or vertices; no two are alike in both. */
struct place {
    uint64_t key, number;
};

static int compare(const void *left, const void *right)
{
    const struct place *one = left, *other = right;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

static uint32_t root_of(uint32_t *parents, uint32_t vertex)
{
    while (parents[vertex] != vertex)
        vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

uint8_t *serial_forest(const struct graph *graph)
{
    struct place *order = app_array(graph->n_edges, sizeof *order, "the check");
    uint8_t *is_in = app_array(graph->n_edges, sizeof *is_in, "the check");
    uint32_t *parents = app_array(graph->n_vertices, sizeof *parents, "the check");
    uint32_t *sources = graph_list_sources(graph, 0);
    for (uint64_t e = 0; e < graph->n_edges; e++)
        order[e] = (struct place){graph->weights[e], e};
    for (uint32_t v = 0; v < graph->n_vertices; v++)
        parents[v] = v;
    qsort(order, graph->n_edges, sizeof *order, compare);
    for (uint64_t i = 0; i < graph->n_edges; i++) {
        const uint64_t e = order[i].number;
        const uint32_t from = root_of(parents, sources[e]);
        const uint32_t to = root_of(parents, graph->neighbours[e]);
        is_in[e] = from != to;
        parents[from] = to;
    }
    free(order);
    free(parents);
    free(sources);
    return is_in;
}

uint32_t *serial_colors(const struct graph *graph, serial_key *key_of)
{
    const uint64_t n = graph->n_vertices;
    struct place *order = app_array(n, sizeof *order, "the check");
    uint64_t *marks = app_array(n + 1, sizeof *marks, "the check"); /* by colour: index + 1 */
    uint32_t *colors = app_array(n, sizeof *colors, "the check");
    memset(colors, 0xff, n * sizeof *colors); /* SERIAL_NONE */
    for (uint64_t v = 0; v < n; v++)
        order[v] = (struct place){key_of(graph, v), v};
    qsort(order, n, sizeof *order, compare);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t v = order[i].number;
        for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            if (colors[graph->neighbours[e]] != SERIAL_NONE)
                marks[colors[graph->neighbours[e]]] = i + 1;
        uint32_t color = 0;
        while (marks[color] == i + 1)
            color++;
        colors[v] = color;
    }
    free(order);
    free(marks);
    return colors;
}
