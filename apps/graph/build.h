/* SPDX-License-Identifier: MIT */
/*
 * Rows from edges in any order.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any, and OpenMP's, which list a stream that has parts side by side.
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

/* What is asked of a stream: edges that leave vertices of a range, of one of equal parts of the stream. */
struct graph_asked {
    struct block_range from;
    uint32_t part, n_parts;
};

/** Return the part's share [first, last) of a stream of n edges, or rows. */
static inline struct block_range graph_asked_share(const struct graph_asked *asked, uint64_t n)
{
    const uint64_t part = asked->part, n_parts = asked->n_parts, each = n / n_parts,
                   rest = n % n_parts;
    return (struct block_range){each * part + rest * part / n_parts,
                                each * (part + 1) + rest * (part + 1) / n_parts};
}

/*
 * Edges that can be listed again and again; an undirected one is listed both ways. Asked for a range, a source may list
 * others too. One that has no parts is asked for the whole.
 */
struct graph_stream {
    void (*list)(const void *source, const struct graph_asked *asked, graph_visit *visit,
                 void *context);
    const void *source;
    enum graph_weights weights_are;
    bool has_parts; /* `list` may be called for several side by side */
};

/* Counts edges of the whole graph; an undirected edge is two. */
struct graph_size {
    uint64_t n_vertices, n_edges;
};

/**
 * Sort the edges that leave a node's vertices into rows: row i is of the node's i-th vertex. Neighbours stay numbers of the
 * whole graph. A stream is listed twice, and besides the rows only 8 bytes for each edge of the longest are needed, a
 * thread. A whole graph is the rows of the only node.
 *
 * @return  0, or -ENOMEM and *out is empty.
 */
int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream);

#endif
