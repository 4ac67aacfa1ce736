/* SPDX-License-Identifier: MIT */
/*
 * A graph in compressed sparse rows: row u holds the neighbours of vertex u.
 *
 * Path:    read.h, generate.h, mesh.h -> build.h -> this -> the application's kernels
 * Owner:   struct graph owns its arrays; graph_free gives them back. Arrays are plain, to be copied
 *          to a device.
 * Threads: a graph may be read by any number of threads.
 *
 * Duplicate edges and loops are kept. Neighbours of a row rise, and of equal ones the bits of their weights do.
 */
#ifndef APPS_GRAPH_H
#define APPS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* Vertices are numbered in 32 bits and UINT32_MAX is left free for "no vertex". */
#define GRAPH_MAX_VERTICES UINT64_C(0xffffffff)

enum graph_weights { GRAPH_UNWEIGHTED, GRAPH_UINT, GRAPH_FLOAT };

union graph_weight {
    uint32_t as_uint;
    float as_float;
};

struct graph {
    uint64_t n_vertices;
    uint64_t n_edges;     /* entries of neighbours; an undirected edge is two */
    uint64_t *offsets;    /* [n_vertices + 1], rising; row u is [offsets[u], offsets[u + 1]) */
    uint32_t *neighbours; /* [n_edges], each below n_vertices */
    union graph_weight *weights; /* [n_edges], NULL if unweighted */
    enum graph_weights weights_are;
};

/** Neighbours of vertex u [count]. */
static inline uint64_t graph_degree(const struct graph *graph, uint64_t u)
{
    return graph->offsets[u + 1] - graph->offsets[u];
}

/** Weight of an edge, as a number; 1 in a graph without weights. */
static inline double graph_weight(const struct graph *graph, uint64_t e)
{
    if (graph->weights_are == GRAPH_UNWEIGHTED)
        return 1;
    return graph->weights_are == GRAPH_FLOAT ? (double)graph->weights[e].as_float
                                             : (double)graph->weights[e].as_uint;
}

/** Free the arrays and zero the struct; a zeroed graph is fine. */
void graph_free(struct graph *graph);

/**
 * Drop the loops of each row, which rises, all but one of equal neighbours, and the weights: in place.
 *
 * @param first  number of the first row's vertex in the whole graph.
 */
void graph_make_simple(struct graph *rows, uint64_t first);

#endif
