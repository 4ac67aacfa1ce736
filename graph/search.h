/* SPDX-License-Identifier: MIT */
/*
 * What searches share.
 *
 * Path:    bfs.c, sssp.c -> parents.c.
 * Threads: one at a time.
 */
#ifndef GRAPH_SEARCH_H
#define GRAPH_SEARCH_H

#include "graph.h"

/* Edges of a row that a team of work-items walks, as in bfs.cl and sssp.cl. */
#define GRAPH_PIECE 1024u

/** Returns how many work-items walk a row: 1 on a CPU. */
uint32_t graph_lanes(const struct gravel_graph *graph);

/** Returns what distance.cl.h calls a type of weights, behind WEIGHT_. */
const char *graph_weight_name(uint32_t type);

/* A value of graph_set, of a variable. */
#define GRAPH_ARGUMENT(value)   \
    {                           \
        sizeof(value), &(value) \
    }
/** What finding parents keeps from call to call; zeroed before. */
struct graph_parents {
    cl_kernel kernel;
    cl_mem vertex_of, passes, parents, n_left;
};

/** parents.c: finds each vertex' parent on a shortest path, by distances of all slots. Collective.
 * @param is_weighted  false: distances are levels. @param out  [n of this node]; NULL at all
 * nodes: finds none. */
int graph_find_parents(struct gravel_graph *graph, const char *call, struct graph_parents *parents,
                       bool is_weighted, cl_mem distances, uint32_t source, uint64_t *out);
void graph_parents_free(struct gravel_graph *graph, struct graph_parents *parents);

/** bfs.c: gravel_graph_bfs, for a call of any name. Collective. */
int graph_find_levels(struct gravel_graph *graph, const char *call, uint64_t source,
                      uint32_t *levels, uint64_t *parents);

#endif
