/* SPDX-License-Identifier: MIT */
/*
 * What any program for the problem needs: distances, their form, their buckets and how wide those are; and all of them
 * by Dijkstra's algorithm, serially, with a binary heap.
 *
 * Path: sssp.c, bench/bench_input.c -> this
 * Owner: see problem.h.
 * Threads: main's.
 * Source: E. Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959.
 */
#include "sssp/problem.h"
#include "frame/die.h"
#include "graph/part.h"

#include <math.h>
#include <stdlib.h>

/* ---- distances -------------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    return (union graph_weight){bits}.as_float;
}

static uint32_t bits_of(float value)
{
    return (union graph_weight){.as_float = value}.as_uint;
}

uint32_t sssp_add(bool is_float, uint32_t distance, union graph_weight weight)
{
    const uint64_t sum = (uint64_t)distance + weight.as_uint;
    if (is_float)
        return bits_of(float_of(distance) + weight.as_float);
    return sum < SSSP_FAR ? (uint32_t)sum : sssp_too_far(false);
}

static uint32_t float_bucket_end(double width, float distance)
{
    float end = (float)((double)distance + width);
    if (!(end > distance)) /* where floats are farther apart than buckets are wide */
        end = nextafterf(distance, INFINITY);
    return isfinite(end) ? bits_of(end) : SSSP_FAR;
}

uint32_t sssp_bucket_end(bool is_float, double width, uint32_t distance)
{
    if (width == 0 || distance == SSSP_FAR)
        return SSSP_FAR;
    if (is_float)
        return float_bucket_end(width, float_of(distance));
    return (uint32_t)fmin(distance + width, SSSP_FAR);
}

double sssp_width(bool is_float, uint64_t n_vertices, uint64_t n_edges, double mean_weight)
{
    double width = mean_weight > 0 ? 2 * mean_weight * (double)n_vertices / (double)n_edges : 1;
    return is_float ? width : fmin(fmax(round(width), 1), UINT32_MAX);
}

/* ---- Dijkstra's algorithm --------------------------------------------------------------------- */

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

uint32_t *sssp_dijkstra(const struct graph *graph, bool is_float, uint64_t source)
{
    struct heap heap = {.n = 0};
    uint32_t *distance = app_array(graph->n_vertices, sizeof *distance, "the check");
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        distance[v] = SSSP_FAR;
    distance[source] = 0;
    put(&heap, (struct waiting){0, (uint32_t)source});
    while (heap.n) {
        const struct waiting from = take_nearest(&heap);
        const uint32_t u = from.vertex;
        if (from.distance > distance[u])
            continue;
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            const uint32_t v = graph->neighbours[e];
            const uint32_t offer = sssp_add(is_float, from.distance, graph->weights[e]);
            if (offer >= distance[v])
                continue;
            distance[v] = offer;
            put(&heap, (struct waiting){offer, v});
        }
    }
    free(heap.each);
    return distance;
}
