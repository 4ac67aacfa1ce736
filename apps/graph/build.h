/* SPDX-License-Identifier: MIT */
/*
 * Rows from edges in any order: a counting sort over edges that can be listed twice.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any; `list` is called from the calling thread.
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
 * Sort the edges that leave a node's vertices into rows: row i is of the node's i-th vertex, and keeps the order of the
 * stream. Neighbours stay numbers of the whole graph. Nothing but the rows is stored. A whole graph is the rows of the
 * only node.
 *
 * @return  0, or -ENOMEM and *out is empty.
 */
int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream);

#endif
