/* SPDX-License-Identifier: MIT */
/*
 * Synthetic undirected graphs, the same for a seed on any machine.
 *
 * Path: app.c -> this -> graph_build.c -> graph.h
 * Owner: the graph is the caller's to free.
 * Threads: any; one at a time per graph.
 */
#ifndef APPS_GRAPH_GENERATE_H
#define APPS_GRAPH_GENERATE_H

#include "graph_build.h"

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
 * Graph500's Kronecker graph (A .57, B .19, C .19, D .05) of 2^scale vertices, in a random order.
 *
 * @param scale   [0, GENERATE_MAX_SCALE].
 * @param degree  [1, GENERATE_MAX_DEGREE], edges drawn per vertex, as Graph500 and GAPBS count:
 * each stands in both rows, so n_edges is 2 * degree << scale. Loops (twice in their row) and
 * duplicates are kept.
 * @return        0, -EINVAL, or -ENOMEM; on failure *out is empty.
 *
 * Source: Graph500 specification 2.0, section 3.
 */
int graph_generate_kronecker(struct graph *out, unsigned scale, unsigned degree, uint64_t seed);

/** The same, with both ends of every edge uniform over all vertices. */
int graph_generate_uniform(struct graph *out, unsigned scale, unsigned degree, uint64_t seed);

/**
 * The same graphs as streams, listed both ways; the numbers must outlive the stream. Edges of all
 * vertices are listed, whatever range is asked for.
 *
 * @return  0 or -EINVAL.
 */
int edge_numbers_of(struct edge_numbers *numbers, bool is_uniform, unsigned scale, unsigned degree,
                    uint64_t seed);
struct graph_stream edge_numbers_stream(const struct edge_numbers *numbers);

#endif
