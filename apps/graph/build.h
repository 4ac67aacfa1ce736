/* SPDX-License-Identifier: MIT */
/*
 * Rows from edges in any order.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any, and its own, as many as the process has cores; they list a stream that has parts side by side.
 */
#ifndef APPS_BUILD_H
#define APPS_BUILD_H

#include "graph/side_by_side.h"
#include "graph/graph.h"
#include "graph/partition.h"

struct graph_edge {
    uint32_t from, to;
    union graph_weight weight;
};

typedef void graph_visit(void *context, struct graph_edge edge);

/* What is asked of a stream: edges that leave vertices of a range, of one of equal parts of the stream. */
struct graph_asked {
    struct block_range from;
    uint32_t part, n_parts;
};

/** The part's share [first, last) of a stream of n edges, or rows. */
static inline struct block_range graph_asked_share(const struct graph_asked *asked, uint64_t n)
{
    return (struct block_range){side_by_side_begin(asked->part, asked->n_parts, n),
                                side_by_side_begin(asked->part + 1, asked->n_parts, n)};
}

/*
 * Edges that can be listed, in one order; an undirected one is listed both ways. Asked for a range, a source may list
 * others too. One that has no parts is asked for the whole.
 */
struct graph_stream {
    void (*list)(const void *source, const struct graph_asked *asked, graph_visit *visit,
                 void *context);
    const void *source;
    enum graph_weights weights_are;
    bool has_parts; /* `list` may be called for several side by side */
};

/**
 * Sort the edges that leave a node's vertices into rows: row i is of the node's i-th vertex, and keeps the order of the
 * stream, whatever number of threads sort. Neighbours stay numbers of the whole graph. Besides the rows 8 bytes an edge
 * are needed while it sorts, or 12 if it has a weight. A whole graph is the rows of the only node.
 *
 * @return  0, or -ENOMEM and *out is empty.
 */
int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream);

#endif
