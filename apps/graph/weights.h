/* SPDX-License-Identifier: MIT */
/*
 * Weights for a graph that has none.
 *
 * Path: part.h -> this -> an application
 * Owner: the weights are the graph's.
 * Threads: one at a time, and its own, which it joins.
 */
#ifndef APPS_GRAPH_WEIGHTS_H
#define APPS_GRAPH_WEIGHTS_H

#include "graph/graph.h"

/* Weights are drawn as GAPBS does: 1 to this. */
#define GRAPH_MOST_DRAWN_WEIGHT 255

/**
 * Draw a whole weight for each edge, the same in both directions and in every part of the graph; or die. A graph with
 * weights keeps them.
 *
 * @param vertices  [n_vertices] numbers of the rows' vertices in the whole graph; NULL: the rows are of the whole.
 */
void graph_draw_weights(struct graph *rows, const uint32_t *vertices, uint64_t seed);

#endif
