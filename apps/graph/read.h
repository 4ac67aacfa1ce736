/* SPDX-License-Identifier: MIT */
/*
 * The edges of a graph from a file, plain or gzip. The suffix of the path, without .gz, says which format it has.
 *
 * Path: part.c -> this -> read_<format>.c -> build.h
 * Owner: graph_read makes what graph_input_free frees.
 * Threads: one at a time; any may read what is read.
 *
 * A fault of the file ends the process, with its line: frame/text.h. Memory grows with the edges really read, never with the
 * counts that a file declares.
 */
#ifndef APPS_GRAPH_READ_H
#define APPS_GRAPH_READ_H

#include "frame/text.h"
#include "graph/build.h"

struct graph_ends {
    uint32_t from, to;
};

struct graph_input {
    uint64_t n_vertices, n_edges;
    struct graph_ends *ends;     /* [n_edges] */
    union graph_weight *weights; /* [n_edges]; NULL if there are none */
    enum graph_weights weights_are;
    bool is_symmetric;   /* each edge is there as often as the same edge turned round */
    uint64_t print;      /* the file's fingerprint */
    bool goes_both_ways; /* a stream lists each edge turned round, too; set by the caller */

    struct text *text;           /* while it is read */
    uint64_t room, weights_room; /* of ends, of weights */
    uint64_t imbalance;          /* 0 if it is symmetric; a chance of 2^-64 says so wrongly */
    bool refuse_negative;        /* weights below 0 are faults of the file */
    bool must_be_symmetric; /* the format says so, of weights too, and leaves that to the body */
};

/** Read a file; or die of its first fault. @param refuse_negative  a weight below 0 is one. */
void graph_read(struct graph_input *input, const char *path, bool refuse_negative);

/** Free what was read, also of a file that is not read to its end. */
void graph_input_free(struct graph_input *input);

/** Return the edges that were read, which must outlive the stream. @param has_weights  if they have any */
struct graph_stream graph_input_stream(const struct graph_input *input, bool has_weights);

/* ---- of the readers ---------------------------------------------------------------------------- */

/** Append an edge. weights_are may change from unweighted before the first edge only. */
void graph_input_add(struct graph_input *input, struct graph_edge edge);

/**
 * Read a weight whose kind is not declared: all are uint32 if all are written whole and fit that, else float.
 *
 * Those read before become floats with the first one that is.
 */
union graph_weight graph_input_weight(struct graph_input *input);

/* From the first line to the end of the text. All check every vertex against the declared count, and the declared counts
 * against the body. */
typedef void graph_reader(struct graph_input *input);

graph_reader graph_read_metis;         /* .graph */
graph_reader graph_read_matrix_market; /* .mtx */
graph_reader graph_read_list;          /* .el .wel .txt .tsv: from to [weight [time]] */

#endif
