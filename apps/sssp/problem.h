/* SPDX-License-Identifier: MIT */
/*
 * What any program for the problem needs: how a distance is kept, what is right.
 *
 * Path:    part.h -> problem.c -> this -> the application, bench/bench_input.c
 * Owner:   nothing outlives a call but what sssp_dijkstra returns.
 * Threads: any, one at a time on what a call changes.
 */
#ifndef APPS_SSSP_PROBLEM_H
#define APPS_SSSP_PROBLEM_H

#include "graph/read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A distance has 32 bits: a whole number, or a float's bits, which rise with it as it is not negative. */
#define SSSP_FAR UINT32_MAX /* not reached */

/** Whether distances of a whole graph are floats. */
static inline bool sssp_is_float(const struct graph_survey *survey)
{
    return survey->weights_are == GRAPH_FLOAT;
}

/** What all distances are that 32 bits cannot hold. */
static inline uint32_t sssp_too_far(bool is_float)
{
    return is_float ? 0x7f800000u /* infinite */ : SSSP_FAR - 1;
}

/** A distance, one edge on. */
uint32_t sssp_add(bool is_float, uint32_t distance, union graph_weight weight);

/** End of the bucket that begins at a distance; far if it has no width. */
uint32_t sssp_bucket_end(bool is_float, double width, uint32_t distance);

/** The width of a bucket for a mean weight: twice that over the mean degree; a whole number, at least 1, for those. */
double sssp_width(bool is_float, uint64_t n_vertices, uint64_t n_edges, double mean_weight);

/**
 * Find all distances serially, with a binary heap; or die.
 *
 * @param graph  the whole one, with weights.
 * @return       [n_vertices] distances, to be freed.
 */
uint32_t *sssp_dijkstra(const struct graph *graph, bool is_float, uint64_t source);

#endif
