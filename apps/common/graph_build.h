/* SPDX-License-Identifier: MIT */
/*
 * Rows from edges in any order: a counting sort over an edge source that can be asked twice.
 *
 * Path: graph_read.c, graph_generate.c, graph_part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any; `edge_at` is called from the calling thread.
 */
#ifndef APPS_GRAPH_BUILD_H
#define APPS_GRAPH_BUILD_H

#include "graph.h"
#include "partition.h"

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

typedef void graph_visit(void *context, struct graph_edge edge);

/*
 * Edges that can be listed again and again, in the same order; an undirected one is listed both
 * ways. Asked for a range, a source may list others too.
 */
struct graph_stream {
    void (*list)(const void *source, struct block_range from, graph_visit *visit, void *context);
    const void *source;
    enum graph_weights weights_are;
};

/**
 * Sort the edges that leave a node's vertices into rows: row i is of the node's i-th vertex.
 * Neighbours stay numbers of the whole graph. Nothing but the rows is stored.
 *
 * @return  0, or -ENOMEM and *out is empty.
 */
int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream);

#endif
