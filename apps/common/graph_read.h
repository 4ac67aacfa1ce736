/* SPDX-License-Identifier: MIT */
/*
 * Read a graph from a file, plain or gzip.
 *
 * Path: app_graph.c -> this -> graph_read_<format>.c -> graph.h
 * Owner: the graph is the caller's to free.
 * Threads: any; one at a time per graph.
 *
 * Readers neither print nor exit. A failure leaves the graph empty and one line in `reason`:
 * "PATH:LINE: what is wrong", or "PATH: what is wrong" where there is no line.
 */
#ifndef APPS_GRAPH_READ_H
#define APPS_GRAPH_READ_H

#include "graph.h"

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

/**
 * Read a graph; the suffix of the path, without .gz, says which format it has.
 *
 * @param reason  [GRAPH_REASON_BYTES]; "" on success.
 * @return        false if the suffix is unknown, the file bad or unreadable, or memory short;
 * `reason` tells.
 */
bool graph_read(struct graph *graph, const char *path, char *reason);

/** The same, with the format given and the name of no importance. */
bool graph_read_as(struct graph *graph, const char *path, enum graph_format format, char *reason);

#endif
