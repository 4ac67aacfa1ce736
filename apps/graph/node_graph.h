/* SPDX-License-Identifier: MIT */
/*
 * An application of the library gravel-graph: a graph, of what options say, and what searches over it share.
 *
 * Path:    an application -> this -> part.h, gravel/graph.h
 * Owner:   node_graph_open makes what node_graph_close frees.
 * Threads: main's.
 */
#ifndef APPS_NODE_GRAPH_H
#define APPS_NODE_GRAPH_H

#include "frame/app.h"
#include "graph/part.h"

#include <gravel/graph.h>

/* The application's struct begins with it. */
struct node_graph {
    struct options options;
    struct node node;
    struct part_wish wish;             /* the application's, */
    uint32_t vertex_bytes, edge_bytes; /* and its results: of each vertex, or of each edge */
    struct graph_part part;
    struct gravel_graph *graph;
    uint64_t source; /* of a search: one with edges, unless -r says otherwise */
    void *results;   /* of this node's vertices, or of the edges of its rows */
};

/* Before options are parsed, with the application's members. */
#define NODE_GRAPH_DEFAULT(...)           \
    {                                     \
        .source = UINT64_MAX, __VA_ARGS__ \
    }

/* What the tables of applications have in common, and a title of their own options, which may be NULL. */
#define NODE_GRAPH_APP(title, own_options)                                          \
    APP_FIELDS(struct node_graph),                                                  \
        .unit = "edges/s",                                                          \
        .groups = {{title, 1, own_options, 0},                                      \
                   GRAPH_OPTIONS_GROUP(offsetof(struct node_graph, part.options))}, \
        .open = node_graph_open, .close = node_graph_close

/* -r, of a search. */
#define NODE_GRAPH_SOURCE_OPTION                                                                   \
    {                                                                                              \
        "source", 'r', "VERTEX",                                                                   \
            "Start here; vertices count from 0, whatever the file does (one with edges, drawn by " \
            "--seed)",                                                                             \
            OPTION_NUMBER(struct node_graph, source, 0, GRAPH_MAX_VERTICES - 1)                    \
    }

/** Open the node, and make its graph; or die. Collective. */
app_step node_graph_open, node_graph_close;

/** Describe the graph. */
app_report node_graph_describe;

/** Compare this node's results of 32 bits with those of all vertices, which are freed. @return  how many differ [count] */
uint64_t node_graph_count_wrong(const struct node_graph *self, uint32_t *right);

/* ---- searches: results are uint32_t, GRAVEL_GRAPH_FAR if a vertex is far --------------------------- */

/** Describe the graph, and what the search that warmed up has reached, whose edges are the work. Collective. */
app_report node_graph_describe_search;

/** Compare with Dijkstra's algorithm. @return  this node's vertices with a wrong distance [count] */
app_check node_graph_check_search;

#endif
