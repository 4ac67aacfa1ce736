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
#include "graph/node_part.h"

#include <gravel/graph.h>

/* The application's struct begins with it. */
struct node_graph {
    struct options options;
    struct node node;
    struct graph_part part;
    struct gravel_graph *graph;
    struct gravel_graph_facts facts;
    uint64_t source; /* of a search: one with edges, unless -r says otherwise */
    void *results;   /* the application's; node_graph_close frees them */
};

/* Before options are parsed. */
#define NODE_GRAPH_DEFAULT                                          \
    {                                                               \
        .part.options = GRAPH_OPTIONS_DEFAULT, .source = UINT64_MAX \
    }

/* What the tables of applications have in common, and a title of their own options, which may be NULL. */
#define NODE_GRAPH_APP(title, own_options)     \
    APP_FIELDS(struct node_graph),             \
        .unit = "edges/s",                     \
        .groups = {{title, 1, own_options, 0}, \
                   GRAPH_OPTIONS_GROUP(offsetof(struct node_graph, part.options))}

/* -r, of a search. */
#define NODE_GRAPH_SOURCE_OPTION                                                                   \
    {                                                                                              \
        "source", 'r', "VERTEX",                                                                   \
            "Start here; vertices count from 0, whatever the file does (one with edges, drawn by " \
            "--seed)",                                                                             \
            OPTION_NUMBER(struct node_graph, source, 0, GRAPH_MAX_VERTICES - 1)                    \
    }

/** Open the node, and make its graph; or die. Collective. @param wish  as part_survey has it. */
void node_graph_open(struct node_graph *self, struct part_wish wish);
app_step node_graph_close;

/** Describe the graph, and set the work to its edges, of which an undirected one counts at both ends. */
app_report node_graph_describe;

/** Get the whole graph, with weights if the application wants any, for a check; or die. The caller frees it. */
void node_graph_whole(const struct node_graph *self, struct graph *whole);

/* ---- searches ------------------------------------------------------------------------------------ */

/* Results are of each of this node's vertices: a level or uint, GRAVEL_GRAPH_FAR if it is far, or a float. */

/** Describe the graph, and what the search that warmed up has reached, whose edges are the work. Collective. */
app_report node_graph_describe_search;

/** Compare with Dijkstra's algorithm. @return  this node's vertices with a wrong distance [count] */
app_check node_graph_check_search;

#endif
