/* SPDX-License-Identifier: MIT */
/*
 * A graph of the library gravel-graph, of what options say, and what searches over it share.
 *
 * Path:    an application -> this -> part.h, gravel/graph.h
 * Owner:   node_graph makes it, node_graph_close frees it.
 * Threads: main's.
 */
#ifndef APPS_NODE_GRAPH_H
#define APPS_NODE_GRAPH_H

#include "frame/app.h"
#include "graph/node_part.h"

#include <gravel/graph.h>

#define NODE_GRAPH_DRAW_SOURCE UINT64_MAX

struct node_graph {
    struct graph_part part; /* its options are set by the caller */
    struct gravel_graph *graph;
    struct gravel_graph_facts facts;
    uint64_t source; /* of a search: NODE_GRAPH_DRAW_SOURCE until node_graph draws one with edges */
};

/* -r, of a search; it has `graph`. */
#define NODE_GRAPH_SOURCE_OPTION(in)                                                               \
    {                                                                                              \
        "source", 'r', "VERTEX",                                                                   \
            "Start here; vertices count from 0, whatever the file does (one with edges, drawn by " \
            "--seed)",                                                                             \
            OPTION_NUMBER(in, graph.source, 0, GRAPH_MAX_VERTICES - 1)                             \
    }

/** Open the node, and make its graph; or die. Collective. @param wish  as part_survey has it. */
void node_graph(struct node *node, struct node_graph *self, uint64_t seed, struct part_wish wish);
void node_graph_close(struct node_graph *self);

/** Describe the graph. @param n_edges  of the whole, as the application counts them. */
void node_graph_describe(const struct node_graph *self, uint64_t seed, uint64_t n_edges,
                         struct trials *trials);

#endif
