/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths by the library gravel-graph: read, call, check, print. A graph without weights gets whole ones, 1 to 255
 * at random, the same in both directions.
 *
 * Path:    main -> node_graph -> gravel_graph_sssp -> check
 * Owner:   node_graph.c's.
 * Threads: main's.
 * Source:  Meyer and Sanders, Delta-stepping, 2003; Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags,
 *          weights).
 */
#include "graph/node_graph.h"

static void search(void *graph)
{
    struct node_graph *self = graph;
    TRY(gravel_graph_sssp(self->graph, self->source, self->results, NULL));
}

static const struct app_option own_options[] = {NODE_GRAPH_SOURCE_OPTION, {0}};

static const struct app app = {
    .name = "sssp",
    .doc = "Find the shortest paths from one vertex of a graph to all others, and say how many "
           "edges a second that took.",
    NODE_GRAPH_APP("SSSP:", own_options),
    .run = search,
    .describe = node_graph_describe_search,
    .check = node_graph_check_search};

int main(int argc, char **argv)
{
    struct node_graph graph =
        NODE_GRAPH_DEFAULT(.wish.has_weights = true, .vertex_bytes = sizeof(uint32_t));
    return app_main(&app, &graph, argc, argv);
}
