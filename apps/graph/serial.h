/* SPDX-License-Identifier: MIT */
/*
 * Serial methods on a whole graph, with which programs compare what they found.
 *
 * Path:    part_whole -> this -> the application's check
 * Owner:   results are the caller's to free.
 * Threads: any.
 */
#ifndef APPS_GRAPH_SERIAL_H
#define APPS_GRAPH_SERIAL_H

#include "graph/graph.h"

/**
 * Compute PageRank from 1 / n_vertices each; or die.
 *
 * @param shares_idle  the rank of vertices without edges goes to all; else to none.
 * @return             [n_vertices]
 */
double *serial_ranks(const struct graph *graph, double damping, uint64_t n_iterations,
                     bool shares_idle);

/**
 * Find the distances of all vertices by Dijkstra's algorithm, in the arithmetic of the weights: floats are rounded, and whole
 * numbers beyond UINT32_MAX - 1 are far; or die.
 *
 * @param graph  weights are not below 0.
 * @return       [n_vertices] INFINITY: far
 */
double *serial_distances(const struct graph *graph, uint64_t source);

#endif
