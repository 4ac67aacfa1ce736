/* SPDX-License-Identifier: MIT */
/*
 * The edges of a graph from a list.
 *
 * Path: part.c -> this -> build.c
 * Owner: graph_read makes what graph_input_free frees.
 * Threads: one at a time; any may read what is read.
 *
 * A fault of the file ends the process, with its line: frame/text.h. Memory grows with the edges really read.
 */
#ifndef APPS_GRAPH_READ_H
#define APPS_GRAPH_READ_H

#include "frame/text.h"
#include "graph/graph.h"

struct graph_input {
    uint64_t n_vertices, n_edges;
    struct graph_edge *edges; /* [n_edges] */
    bool has_weights;
    bool is_symmetric;   /* each edge is there as often as the same edge turned round */
    bool goes_both_ways; /* a stream lists each edge turned round, too; set by the caller */
    uint64_t print;      /* the file's fingerprint */

    struct text *text;  /* while it is read */
    uint64_t room;      /* of edges */
    uint64_t imbalance; /* 0 if it is symmetric; a chance of 2^-64 says so wrongly */
};

/** Read a file; or die of its first fault. */
void graph_read(struct graph_input *input, const char *path);

/** Free what was read, also of a file that is not read to its end. */
void graph_input_free(struct graph_input *input);

/** Return the edges that were read, which must outlive the stream. */
struct graph_stream graph_input_stream(const struct graph_input *input);

#endif
