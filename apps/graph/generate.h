/* SPDX-License-Identifier: MIT */
/*
 * Synthetic undirected graphs, the same for a seed on any machine: Kronecker and uniform.
 *
 * Path: part.c -> this -> build.c
 * Owner: the numbers are the caller's.
 * Threads: any.
 */
#ifndef APPS_GRAPH_GENERATE_H
#define APPS_GRAPH_GENERATE_H

#include "graph/build.h"

/* Edges that are functions of their number: Kronecker or uniform. */
struct edge_numbers {
    bool is_uniform;
    unsigned scale;
    uint64_t n_edges; /* each counted once */
    uint64_t key;
    uint64_t order_key; /* of the vertices' order */
};

#define GENERATE_MAX_SCALE 31
#define GENERATE_MAX_DEGREE 65536

/**
 * Graph500's Kronecker graph (A .57, B .19, C .19, D .05) of 2^scale vertices, in a random order;
 * or, if is_uniform, both ends of every edge uniform over all vertices.
 *
 * @param scale   [0, GENERATE_MAX_SCALE].
 * @param degree  [1, GENERATE_MAX_DEGREE], edges drawn per vertex, as Graph500 and GAPBS count:
 *                each stands in both rows, so the rows have 2 * degree << scale entries. Loops
 *                (twice in their row) and duplicates are kept.
 * @return        0 or -EINVAL.
 *
 * Source: Graph500 specification 2.0, section 3.
 */
int edge_numbers_of(struct edge_numbers *numbers, bool is_uniform, unsigned scale, unsigned degree,
                    uint64_t seed);

/** Edges both ways, of all vertices whatever range is asked for; the numbers must outlive the stream. */
struct graph_stream edge_numbers_stream(const struct edge_numbers *numbers);

#endif
