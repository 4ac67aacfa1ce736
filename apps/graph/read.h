/* SPDX-License-Identifier: MIT */
/*
 * The edges of a graph from a file, plain or gzip. The suffix of the path, without .gz, says which format it has.
 *
 * Path: part.c -> this -> read_<format>.c -> build.h
 * Owner: graph_read makes what graph_input_free frees.
 * Threads: one at a time; any may read what is read.
 *
 * Readers neither print nor exit. A failure leaves no edges and one line in `reason`: "PATH:LINE: what is wrong", or
 * "PATH: what is wrong" where there is no line. Memory grows with the edges really read, never with the counts that a file
 * declares.
 */
#ifndef APPS_GRAPH_READ_H
#define APPS_GRAPH_READ_H

#include "graph/build.h"
#include "graph/text.h"

struct graph_ends {
    uint32_t from, to;
};

struct graph_input {
    uint64_t n_vertices, n_edges;
    struct graph_ends *ends;     /* [n_edges] */
    union graph_weight *weights; /* [n_edges]; NULL if there are none */
    enum graph_weights weights_are;
    bool is_symmetric; /* each edge is there as often as the same edge turned round */
    uint64_t print;    /* the file's fingerprint */

    uint64_t capacity;      /* edges there is room for */
    uint64_t imbalance;     /* 0 if it is symmetric; a chance of 2^-64 says so wrongly */
    bool refuse_negative;   /* weights below 0 are faults of the file */
    bool must_be_symmetric; /* the format says so, of weights too, and leaves that to the body */
};

/**
 * Read a file; every fault of it is found.
 *
 * @param refuse_negative  a weight below 0 is a fault.
 * @param reason           [TEXT_REASON_BYTES]; "" on success.
 * @return                 false if the suffix is unknown, the file bad or unreadable, or memory short: `reason`.
 */
bool graph_read(struct graph_input *input, const char *path, bool refuse_negative, char *reason);
void graph_input_free(struct graph_input *input);

/** Edges that were read, which must outlive the stream. @param both_ways  and each turned round */
struct graph_stream graph_input_stream(const struct graph_input *input, bool has_weights,
                                       bool both_ways);

/* ---- of the readers ---------------------------------------------------------------------------- */

/**
 * Append an edge; false, and the text has failed, without memory. weights_are may change from unweighted before the first
 * edge only.
 */
bool graph_input_add(struct graph_input *input, struct text *text, struct graph_edge edge);

/**
 * Read a weight whose kind is not declared: all are uint32 if all are written whole and fit that, else float.
 *
 * Those read before become floats with the first one that is.
 */
bool graph_input_weight(struct graph_input *input, struct text *text, union graph_weight *weight);

/*
 * From the first line to the end of the text. False when the text has failed. All check every vertex against the declared
 * count, and the declared counts against the body.
 */
typedef bool graph_reader(struct text *text, struct graph_input *input);

graph_reader graph_read_metis;         /* .graph */
graph_reader graph_read_matrix_market; /* .mtx */
graph_reader graph_read_el;            /* .el: from to */
graph_reader graph_read_wel;           /* .wel: from to weight */
graph_reader graph_read_columns;       /* .txt .tsv: from to [weight [time]] */
graph_reader graph_read_dimacs;        /* .gr */

#endif
