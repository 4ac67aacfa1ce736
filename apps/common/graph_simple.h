/* SPDX-License-Identifier: MIT */
/*
 * What an algorithm on neighbours wants of rows: each neighbour once.
 *
 * Path: graph_part.c -> this
 * Owner: the caller's rows are changed in place.
 * Threads: one at a time per graph.
 */
#ifndef APPS_GRAPH_SIMPLE_H
#define APPS_GRAPH_SIMPLE_H

#include "graph.h"

/**
 * Sort each row, drop its loops, all but one of equal neighbours, and the weights.
 *
 * @param vertices  [n_vertices] number of each row's vertex in the whole graph.
 */
void graph_make_simple(struct graph *rows, const uint32_t *vertices);

#endif
