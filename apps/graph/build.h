/* SPDX-License-Identifier: MIT */
/*
 * Rows from edges in any order.
 *
 * Path: read.c, generate.c, mesh.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any, and OpenMP's, which list a stream's items concurrently.
 */
#ifndef APPS_BUILD_H
#define APPS_BUILD_H

#include "graph/graph.h"
#include "graph/partition.h"

struct graph_edge {
    uint32_t from, to;
    union graph_weight weight;
};

typedef void graph_visit(void *context, struct graph_edge edge);

/* Edges that can be listed again and again, by items: edges, or rows; an undirected edge is listed both ways. */
struct graph_stream {
    void (*list)(const void *source, struct block_range items, graph_visit *visit, void *context);
    const void *source;
    uint64_t n_items;
    uint64_t n_vertices, n_edges; /* of the whole graph; an undirected edge is two */
    enum graph_weights weights_are;
};

/**
 * Sort the edges that leave some vertices into rows: row i is of the i-th of them; or die. Neighbours stay numbers of the
 * whole graph. A stream is listed twice, and besides the rows only 8 bytes for each edge of the longest are needed, a
 * thread.
 */
void graph_build_rows(struct graph *out, struct block_range vertices,
                      const struct graph_stream *stream);

#endif
