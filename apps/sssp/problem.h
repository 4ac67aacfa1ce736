/* SPDX-License-Identifier: MIT */
/*
 * What any program for the problem needs: how a distance is kept, where the search begins, what is right.
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
#include <string.h>

/* How a distance is kept. Floats that are not negative rise with their bits, so that
 * gravel_min_uint_wg finds the least of them. */
enum sssp_form { SSSP_UINT, SSSP_ULONG, SSSP_FLOAT };

/** The form's name in a report. */
const char *sssp_form_name(enum sssp_form form);

/** Choose the form by the weights of the whole graph. */
enum sssp_form sssp_choose_form(const struct graph_survey *survey);

/** A distance is a number of its form; this stands for "not reached". */
static inline uint64_t sssp_far(enum sssp_form form)
{
    return form == SSSP_ULONG ? UINT64_MAX : (uint64_t)UINT32_MAX;
}

/** A float, of its bits, and back. */
static inline float sssp_float_of(uint64_t distance)
{
    uint32_t bits = (uint32_t)distance;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t sssp_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/** A distance of a form, one edge on. */
static inline uint64_t sssp_add(enum sssp_form form, uint64_t distance, union graph_weight weight)
{
    return form == SSSP_FLOAT ? sssp_bits_of(sssp_float_of(distance) + weight.as_float)
                              : distance + weight.as_uint;
}

/** End of the bucket that begins at a distance; far if it has no width. */
uint64_t sssp_bucket_end(enum sssp_form form, double width, uint64_t distance);

/** The width of a bucket for a mean weight: twice that over the mean degree; a whole number, at least 1, for those. */
double sssp_width(enum sssp_form form, uint64_t n_vertices, uint64_t n_edges, double mean_weight);

/** A search begins at the first vertex with edges, from a drawn one on: as many steps behind it, the last vertex's being
 * vertex 0. @return  n_vertices if none of the rows has edges, of which the first is of vertex `first`. */
uint64_t sssp_draw_vertex(uint64_t n_vertices, uint64_t seed);
uint64_t sssp_steps_to_edges(const struct graph *rows, uint64_t first, uint64_t n_vertices,
                             uint64_t drawn);

/**
 * Find all distances serially, with a binary heap; or die.
 *
 * @param graph  the whole one, with weights.
 * @return       [n_vertices] distances, to be freed.
 */
uint64_t *sssp_dijkstra(const struct graph *graph, enum sssp_form form, uint64_t source);

#endif
