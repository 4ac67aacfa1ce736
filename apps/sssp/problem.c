/* SPDX-License-Identifier: MIT */
/*
 * What any program for the problem needs: where the search begins; distances, their form, their buckets and how wide
 * those are; and all of them by Dijkstra's algorithm, serially, with a binary heap.
 *
 * Path: sssp.c, bench/bench_input.c -> this
 * Owner: see problem.h.
 * Threads: main's.
 * Source: E. Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959.
 */
#include "sssp/problem.h"
#include "frame/die.h"
#include "frame/random.h"
#include "graph/weights.h"

#include <math.h>
#include <stdlib.h>

/* ---- the vertex where a search begins --------------------------------------------------------- */

/* How often SSSP_TRIED vertices are drawn. */
enum { N_TRIES = 16 };

bool sssp_draw_source(uint64_t *source, uint64_t n_vertices, uint64_t seed,
                      sssp_degrees *get_degrees, void *context)
{
    uint64_t key = random_mix(random_key(seed)), vertices[SSSP_TRIED], degrees[SSSP_TRIED];
    for (uint64_t try = 0; try < N_TRIES; try++) {
        for (uint64_t i = 0; i < SSSP_TRIED; i++)
            vertices[i] = random_at(key, try * SSSP_TRIED + i) % n_vertices;
        get_degrees(context, vertices, degrees);
        for (uint32_t i = 0; i < SSSP_TRIED; i++) {
            *source = vertices[i];
            if (degrees[i])
                return true;
        }
    }
    return false;
}

/* The sssp_degrees, of a whole graph. */
static void get_degrees_of_whole(void *context, const uint64_t *vertices, uint64_t *degrees)
{
    const struct graph *const *whole = context;
    for (uint32_t i = 0; i < SSSP_TRIED; i++)
        degrees[i] = graph_degree(*whole, vertices[i]);
}

uint64_t sssp_draw_source_of(const struct graph *whole, uint64_t seed)
{
    uint64_t source;
    if (sssp_draw_source(&source, whole->n_vertices, seed, get_degrees_of_whole, &whole))
        return source;
    for (uint64_t u = 0; u < whole->n_vertices; u++)
        if (graph_degree(whole, u))
            return u;
    return 0;
}

/* ---- distances -------------------------------------------------------------------------------- */

const char *sssp_form_name(enum sssp_form form)
{
    static const char *const names[] = {"uint", "ulong", "float"};
    return names[form];
}

/* No path is longer than the heaviest edge once for every vertex but one, and an offer that would close a circle is one
 * edge longer. */
enum sssp_form sssp_choose_form(const struct graph_survey *survey)
{
    uint64_t most =
        survey->weights_are == GRAPH_UNWEIGHTED ? GRAPH_MOST_DRAWN_WEIGHT : survey->max_weight;
    if (survey->weights_are == GRAPH_FLOAT)
        return SSSP_FLOAT;
    return survey->n_vertices * most < UINT32_MAX ? SSSP_UINT : SSSP_ULONG;
}

static uint64_t float_bucket_end(double width, float distance)
{
    float end = (float)((double)distance + width);
    if (!(end > distance)) /* where floats are farther apart than buckets are wide */
        end = nextafterf(distance, INFINITY);
    return isfinite(end) ? sssp_bits_of(end) : UINT32_MAX;
}

uint64_t sssp_bucket_end(enum sssp_form form, double width, uint64_t distance)
{
    uint64_t far = sssp_far(form), end;
    if (width == 0 || distance == far)
        return far;
    if (form == SSSP_FLOAT)
        return float_bucket_end(width, sssp_float_of(distance));
    bool is_past = __builtin_add_overflow(distance, (uint64_t)width, &end) || end > far;
    return is_past ? far : end;
}

double sssp_width(enum sssp_form form, uint64_t n_vertices, uint64_t n_edges, double mean_weight)
{
    double width = mean_weight > 0 ? 2 * mean_weight * (double)n_vertices / (double)n_edges : 1;
    return form == SSSP_FLOAT ? width : fmin(fmax(round(width), 1), UINT32_MAX);
}

void sssp_check_source(uint64_t n_vertices, uint64_t source)
{
    if (source >= n_vertices)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)source,
            (unsigned long long)n_vertices - 1);
}

void sssp_check_delta(enum sssp_form form, double delta)
{
    if (form != SSSP_FLOAT && (delta != floor(delta) || delta > (double)UINT32_MAX))
        die("-d: weights are whole numbers, and %g is not in 0..%u", delta, UINT32_MAX);
}

/* ---- Dijkstra's algorithm --------------------------------------------------------------------- */

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
