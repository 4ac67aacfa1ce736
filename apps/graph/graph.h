/* SPDX-License-Identifier: MIT */
/*
 * A graph in compressed sparse rows: row u holds the neighbours of vertex u.
 *
 * Path:    read.h, generate.h -> build.c -> this -> the application's kernels
 * Owner:   struct graph owns its arrays; graph_free gives them back. Arrays are plain, to be copied
 *          to a device.
 * Threads: a graph may be read by any number of threads; OpenMP's list a stream's items concurrently.
 *
 * Duplicate edges and loops are kept. Neighbours of a row rise, and of equal ones the weights do.
 */
#ifndef APPS_GRAPH_H
#define APPS_GRAPH_H

#include "graph/partition.h"

#include <stdbool.h>

/* Vertices are numbered in 32 bits and UINT32_MAX is left free for "no vertex"; so are edges, for kernels. */
#define GRAPH_MAX_VERTICES UINT64_C(0xffffffff)
#define GRAPH_MAX_EDGES UINT64_C(0xfffffffe)

struct graph {
    uint64_t n_vertices;
    uint64_t n_edges;     /* entries of neighbours; an undirected edge is two */
    uint64_t *offsets;    /* [n_vertices + 1], rising; row u is [offsets[u], offsets[u + 1]) */
    uint32_t *neighbours; /* [n_edges] */
    uint32_t *weights;    /* [n_edges]; NULL: 1 each */
};

/** Neighbours of vertex u [count]. */
static inline uint64_t graph_degree(const struct graph *graph, uint64_t u)
{
    return graph->offsets[u + 1] - graph->offsets[u];
}

/* ---- from edges in any order ---------------------------------------------------------------------- */

struct graph_edge {
    uint32_t from, to, weight;
};

typedef void graph_visit(void *context, struct graph_edge edge);

/* Edges that can be listed again and again, by items: edges, or rows; an undirected edge is listed both ways. */
struct graph_stream {
    void (*list)(const void *source, struct block_range items, graph_visit *visit, void *context);
    const void *source;
    uint64_t n_items;
    uint64_t n_vertices, n_edges; /* of the graph; an undirected edge is two */
    bool has_weights;
};

/** Sort edges into rows; or die. A stream is listed twice, and besides the rows only 8 bytes for each edge of the longest
 * are needed, a thread. */
void graph_build(struct graph *out, const struct graph_stream *stream);

/* ---- of a graph ----------------------------------------------------------------------------------- */

/** Free the arrays and zero the struct; a zeroed graph is fine. */
void graph_free(struct graph *graph);

/** Drop the loops of each row, all but one of equal neighbours, and the weights: in place. */
void graph_make_simple(struct graph *graph);

/** List the vertex that each edge leaves; or die. @param first  number of the first row's @return  [n_edges], to be freed */
uint32_t *graph_list_sources(const struct graph *rows, uint64_t first);

#endif
