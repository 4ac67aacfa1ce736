/* SPDX-License-Identifier: MIT */
/*
 * Read a graph from a file, plain or gzip, in two readings: find out what it is, then get the rows of one node. A whole
 * graph is the rows of the only node. The suffix of the path, without .gz, says which format it has.
 *
 * Path: part.c -> this -> read_<format>.c -> build.h -> graph.h
 * Owner: the rows are the caller's to free.
 * Threads: any; one at a time per graph.
 *
 * Readers neither print nor exit. A failure leaves the graph empty and one line in `reason`:
 * "PATH:LINE: what is wrong", or "PATH: what is wrong" where there is no line.
 */
#ifndef APPS_GRAPH_READ_H
#define APPS_GRAPH_READ_H

#include "graph/graph.h"
#include "graph/partition.h"

/* Room that every reason fits in [bytes]. */
#define GRAPH_REASON_BYTES 512

enum graph_format {
    GRAPH_FORMAT_METIS,
    GRAPH_FORMAT_MATRIX_MARKET,
    GRAPH_FORMAT_EL,
    GRAPH_FORMAT_WEL,
    GRAPH_FORMAT_TXT,
    GRAPH_FORMAT_TSV,
    GRAPH_FORMAT_DIMACS,
    GRAPH_N_FORMATS
};

/* What is known of a graph before any of it is kept. */
struct graph_survey {
    uint64_t n_vertices, n_edges;
    enum graph_weights weights_are;
    uint32_t max_weight; /* of weights that are uint */
    bool is_symmetric;   /* each edge is there as often as the same edge turned round */
    uint64_t print;      /* the file's fingerprint */
};

/* Which edges to keep: those that leave a node's vertices. */
struct graph_filter {
    const struct partition *partition; /* NULL: none */
    uint32_t node;
    bool both_ways;  /* edges turned round too */
    bool no_weights; /* leave them out */
};

/**
 * Read all of a file and keep nothing; every fault of the file is found.
 *
 * @param refuse_negative  a weight below 0 is a fault.
 * @param reason           [GRAPH_REASON_BYTES]; "" on success.
 * @return                 false if the suffix is unknown, the file bad or unreadable, or memory short: `reason`.
 */
bool graph_read_survey(struct graph_survey *survey, const char *path, bool refuse_negative,
                       char *reason);

/**
 * Read a file again and keep a node's edges: 20 bytes for each while reading, 32 if it
 * has a weight, then 4 or 8. Row i is of the node's i-th vertex; neighbours are numbers of the
 * whole graph.
 *
 * @param survey  of the same file; one that has changed since is refused.
 */
bool graph_read_rows(struct graph *rows, const char *path, const struct graph_filter *filter,
                     const struct graph_survey *survey, char *reason);

#endif
