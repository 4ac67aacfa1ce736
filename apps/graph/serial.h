/* SPDX-License-Identifier: MIT */
/*
 * Serial methods on a whole graph, with which programs compare what they found.
 *
 * Path:    part_open -> this -> the application's check
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

/* Of a vertex that no path leads to, or one longer than numbers hold; and of a vertex without a colour. */
#define SERIAL_NONE UINT32_MAX

/** Find the distances of all vertices by Dijkstra's algorithm; or die. @return  [n_vertices] */
uint32_t *serial_distances(const struct graph *graph, uint64_t source);

/** Find the edges of a minimum spanning forest by Kruskal's algorithm, of equal weights the first; or die.
 * @return  [n_edges] 1: it is one */
uint8_t *serial_forest(const struct graph *graph);

/** Give each vertex, in an order, the least colour that no neighbour has; or die. @param keys  [n_vertices] by which they
 * are ordered; no two are alike. @return  [n_vertices] */
uint32_t *serial_colors(const struct graph *graph, const uint64_t *keys);

#endif
