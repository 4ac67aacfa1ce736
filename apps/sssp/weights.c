/* SPDX-License-Identifier: MIT */
/*
 * Weights, and arithmetic on distances as the kernels do it.
 *
 * Path: sssp.c, search.c, reference.c -> this
 * Owner: nothing outlives a call, but for the weights of a graph.
 * Threads: main's.
 */
#include "sssp.h"
#include "frame/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t sssp_distance_bytes(const struct sssp *sssp)
{
    return sssp->form == SSSP_ULONG ? sizeof(cl_ulong) : sizeof(cl_uint);
}

/* No path is longer than the heaviest edge once for every vertex but one. */
void sssp_choose_form(struct sssp *sssp)
{
    const struct graph_survey *survey = &sssp->part.survey;
    uint64_t most =
        survey->weights_are == GRAPH_UNWEIGHTED ? MOST_DRAWN_WEIGHT : survey->max_weight;
    if (survey->weights_are == GRAPH_FLOAT)
        sssp->form = SSSP_FLOAT;
    else
        sssp->form = (survey->n_vertices - 1) * most < UINT32_MAX ? SSSP_UINT : SSSP_ULONG;
}

static uint32_t drawn_weight(uint64_t key, uint32_t u, uint32_t v)
{
    uint64_t ends = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
    return 1 + (uint32_t)(random_at(key, ends) % MOST_DRAWN_WEIGHT);
}

void sssp_draw_weights(struct graph *rows, const uint32_t *vertices, uint64_t seed)
{
    if (rows->weights_are != GRAPH_UNWEIGHTED)
        return;
    uint64_t key = random_key(~seed); /* not the one that drew the edges */
    rows->weights = malloc(rows->n_edges ? rows->n_edges * sizeof *rows->weights : 1);
    if (!rows->weights)
        die("no memory for weights of %llu edges", (unsigned long long)rows->n_edges);
    rows->weights_are = GRAPH_UINT;
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            rows->weights[e].as_uint =
                drawn_weight(key, vertices ? vertices[u] : (uint32_t)u, rows->neighbours[e]);
}

static float float_of(uint64_t distance)
{
    uint32_t bits = (uint32_t)distance;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t sssp_add(enum sssp_form form, uint64_t distance, union graph_weight weight)
{
    return form == SSSP_FLOAT ? bits_of(float_of(distance) + weight.as_float)
                              : distance + weight.as_uint;
}

static uint64_t float_bucket_end(double delta, float distance)
{
    float end = (float)((floor((double)distance / delta) + 1) * delta);
    if (!(end > distance)) /* where floats are farther apart than buckets are wide */
        end = nextafterf(distance, INFINITY);
    return isfinite(end) ? bits_of(end) : UINT32_MAX;
}

uint64_t sssp_bucket_end(const struct sssp *sssp, uint64_t distance)
{
    uint64_t far = FAR_OF(sssp), delta = (uint64_t)sssp->delta, end;
    if (sssp->delta == 0 || distance == far)
        return far;
    if (sssp->form == SSSP_FLOAT)
        return float_bucket_end(sssp->delta, float_of(distance));
    bool is_past = __builtin_add_overflow(distance / delta * delta, delta, &end) || end > far;
    return is_past ? far : end;
}
