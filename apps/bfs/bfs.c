/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search by the library gravel-graph: read, call, check, print.
 *
 * Path:    main -> node_graph -> gravel_graph_bfs -> check
 * Owner:   node_graph.c's.
 * Threads: main's.
 * Source:  Beamer, Asanovic, Patterson, Direction-Optimizing Breadth-First Search, 2012.
 */
#include "graph/node_graph.h"

static void search(void *graph)
{
    struct node_graph *self = graph;
    TRY(gravel_graph_bfs(self->graph, self->source, self->results, NULL));
}

static const struct app_option own_options[] = {NODE_GRAPH_SOURCE_OPTION, {0}};

static const struct app app = {
    .name = "bfs",
    .doc = "Find the levels of all vertices of a graph, seen from one, and say how many edges a "
           "second that took.",
    NODE_GRAPH_APP("BFS:", own_options),
    .run = search,
    .describe = node_graph_describe_search,
    .check = node_graph_check_search};

int main(int argc, char **argv)
{
    struct node_graph graph = NODE_GRAPH_DEFAULT(.vertex_bytes = sizeof(uint32_t));
    return app_main(&app, &graph, argc, argv);
}
