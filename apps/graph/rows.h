/* SPDX-License-Identifier: MIT */
/*
 * All rows of a graph, by as many threads as the process has cores: each takes some that follow each other, and parts
 * have about as many rows and edges.
 *
 * Path: part.c, an application's host code -> this -> graph/side_by_side.h
 * Owner: the caller's; threads have ended on return.
 * Threads: main's.
 */
#ifndef APPS_GRAPH_ROWS_H
#define APPS_GRAPH_ROWS_H

#include "graph/side_by_side.h"
#include "graph/graph.h"

/* Rows [first, last), and their edges [first_edge, last_edge). */
struct graph_rows {
    uint32_t part; /* below SIDE_BY_SIDE_MOST */
    uint64_t first, last, first_edge, last_edge;
};

/** Rows of one of n_parts, the first of which begins at row 0, and the last of which ends with the last row. */
struct graph_rows graph_rows_of(const struct graph *graph, uint32_t part, uint32_t n_parts);

/** Do the work of each part; parts are cut before any work begins, and `work` may change the offsets of its rows. */
void graph_rows_side_by_side(const struct graph *graph,
                             void (*work)(void *context, struct graph_rows rows), void *context);

#endif
