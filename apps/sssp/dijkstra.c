/* SPDX-License-Identifier: MIT */
/*
 * Dijkstra's algorithm, serially, with a binary heap, over the whole graph.
 *
 * Path: reference.c, bench/bench_sssp.c -> this
 * Owner: see problem.h.
 * Threads: main's.
 * Source: E. Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959.
 */
#include "sssp/problem.h"
#include "frame/die.h"

#include <stdlib.h>

/* Vertices by distance; place[v] is where v stands, or ABSENT. */
#define ABSENT UINT32_MAX

struct heap {
    uint64_t *distance; /* [n_vertices] */
    uint32_t *vertices; /* [n] */
    uint32_t *place;    /* [n_vertices] */
    uint32_t n;
};

static void put(struct heap *heap, uint32_t at, uint32_t v)
{
    heap->vertices[at] = v;
    heap->place[v] = at;
}

static void rise(struct heap *heap, uint32_t at, uint32_t v)
{
    for (; at > 0; at = (at - 1) / 2) {
        uint32_t above = heap->vertices[(at - 1) / 2];
        if (heap->distance[above] <= heap->distance[v])
            break;
        put(heap, at, above);
    }
    put(heap, at, v);
}

static void sink(struct heap *heap, uint32_t v)
{
    uint64_t at = 0, below;
    for (; (below = 2 * at + 1) < heap->n; at = below) {
        if (below + 1 < heap->n &&
            heap->distance[heap->vertices[below + 1]] < heap->distance[heap->vertices[below]])
            below++;
        if (heap->distance[v] <= heap->distance[heap->vertices[below]])
            break;
        put(heap, (uint32_t)at, heap->vertices[below]);
    }
    put(heap, (uint32_t)at, v);
}

static uint32_t take_nearest(struct heap *heap)
{
    uint32_t nearest = heap->vertices[0], last = heap->vertices[--heap->n];
    heap->place[nearest] = ABSENT;
    if (heap->n)
        sink(heap, last);
    return nearest;
}

static void come_nearer(struct heap *heap, uint32_t v, uint64_t distance)
{
    if (distance >= heap->distance[v])
        return;
    heap->distance[v] = distance;
    rise(heap, heap->place[v] == ABSENT ? heap->n++ : heap->place[v], v);
}

static void open_heap(struct heap *heap, uint64_t n_vertices, uint64_t far)
{
    *heap = (struct heap){.distance = app_array(n_vertices, sizeof *heap->distance, "the check"),
                          .vertices = app_array(n_vertices, sizeof *heap->vertices, "the check"),
                          .place = app_array(n_vertices, sizeof *heap->place, "the check")};
    for (uint64_t v = 0; v < n_vertices; v++) {
        heap->distance[v] = far;
        heap->place[v] = ABSENT;
    }
}

uint64_t *sssp_dijkstra(const struct graph *graph, enum sssp_form form, uint64_t source)
{
    struct heap heap;
    open_heap(&heap, graph->n_vertices, sssp_far(form));
    come_nearer(&heap, (uint32_t)source, 0);
    while (heap.n) {
        uint32_t u = take_nearest(&heap);
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            come_nearer(&heap, graph->neighbours[e],
                        sssp_add(form, heap.distance[u], graph->weights[e]));
    }
    free(heap.vertices);
    free(heap.place);
    return heap.distance;
}
