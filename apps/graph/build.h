/* SPDX-License-Identifier: MIT */
/*
 * Rows from edges in any order: a counting sort over edges that can be listed twice.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any; a stream that has parts is listed by threads of its own, as many as the process has cores.
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

/** Where a part begins, of n edges; where it ends, part + 1 begins. */
static inline uint64_t graph_part_begin(const struct graph_asked *asked, uint32_t part, uint64_t n)
{
    return n / asked->n_parts * part + n % asked->n_parts * part / asked->n_parts;
}

/*
 * Edges that can be listed again and again, in one order; an undirected one is listed both ways. Asked for a range, a
 * source may list others too. One that has no parts is asked for the whole.
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
 * stream, whatever number of threads sort. Neighbours stay numbers of the whole graph. Beside the rows 4 bytes a row and
 * thread are needed while it sorts. A whole graph is the rows of the only node.
 *
 * @return  0, or -ENOMEM and *out is empty.
 */
int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream);

#endif
