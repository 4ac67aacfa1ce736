/* SPDX-License-Identifier: MIT */
/*
 * Distances: their form, their buckets and how wide those are, and what is none.
 *
 * Path: open.c, search.c, bench/bench_sssp.c -> this
 * Owner: nothing outlives a call.
 * Threads: any.
 */
#include "sssp/problem.h"
#include "frame/die.h"
#include "graph/weights.h"

#include <math.h>

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

static uint64_t float_bucket_end(double delta, float distance)
{
    float end = (float)((floor((double)distance / delta) + 1) * delta);
    if (!(end > distance)) /* where floats are farther apart than buckets are wide */
        end = nextafterf(distance, INFINITY);
    return isfinite(end) ? sssp_bits_of(end) : UINT32_MAX;
}

uint64_t sssp_bucket_end(enum sssp_form form, double delta, uint64_t distance)
{
    uint64_t far = sssp_far(form), width = (uint64_t)delta, end;
    if (delta == 0 || distance == far)
        return far;
    if (form == SSSP_FLOAT)
        return float_bucket_end(delta, sssp_float_of(distance));
    bool is_past = __builtin_add_overflow(distance / width * width, width, &end) || end > far;
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
