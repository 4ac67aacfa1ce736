/* SPDX-License-Identifier: MIT */
/*
 * Rows from edges in any order: a counting sort over an edge source that can be asked twice.
 *
 * Path: graph_read.c, graph_generate.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any; `edge_at` is called from the calling thread.
 */
#ifndef APPS_GRAPH_BUILD_H
#define APPS_GRAPH_BUILD_H

#include "graph.h"

struct graph_edge {
    uint32_t from, to;
    union graph_weight weight;
};

/* Edge i of a source; the same i gives the same edge again. */
typedef struct graph_edge graph_edge_at(const void *source, uint64_t i);

struct graph_edges {
    graph_edge_at *edge_at;
    const void *source;
    uint64_t n_edges;
    enum graph_weights weights_are;
    bool both_ways; /* enter each edge in both rows; a loop then stands twice in its row */
};

/**
 * Sort edges into rows; a row keeps the order of the source.
 *
 * @param n_vertices  above every end of an edge.
 * @return            0, or -ENOMEM and *out is empty.
 */
int graph_build(struct graph *out, uint64_t n_vertices, const struct graph_edges *edges);

#endif
