/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic on distances as the kernels do it.
 *
 * Path: sssp.c, search.c, reference.c -> this
 * Owner: nothing outlives a call.
 * Threads: main's.
 */
#include "sssp.h"

#include <math.h>
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
        survey->weights_are == GRAPH_UNWEIGHTED ? GRAPH_MOST_DRAWN_WEIGHT : survey->max_weight;
    if (survey->weights_are == GRAPH_FLOAT)
        sssp->form = SSSP_FLOAT;
    else
        sssp->form = (survey->n_vertices - 1) * most < UINT32_MAX ? SSSP_UINT : SSSP_ULONG;
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
