/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by the library gravel-graph: read, call, check, print. Directions of edges, loops and repeated edges do
 * not count. Rounds are as many as the longest path of neighbours in the order, and cost most where nodes are several: of a
 * mesh, whose degrees are nearly all alike, the order is that of the numbers.
 *
 * Path:    main -> node_graph -> gravel_graph_color -> check
 * Owner:   node_graph.c's.
 * Threads: main's.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug et al., Ordering Heuristics for
 *          Parallel Graph Coloring, 2014.
 */
#include "graph/node_graph.h"
#include "graph/serial.h"

#include <stdlib.h>

struct color {
    struct node_graph graph; /* results: colours, uint32_t */
    uint32_t n_colors;
};

static void run(void *self)
{
    struct color *color = self;
    TRY(gravel_graph_color(color->graph.graph, color->graph.results, &color->n_colors));
}

static void result(void *self, struct trials *trials)
{
    const struct color *color = self;
    trials_add_number(trials, "colors", color->n_colors);
    trials_say(trials, "  %u colours\n", color->n_colors);
}

/* Orders vertices: the highest degree is first, and of one degree the least number. @return  this node's vertices with another
 * colour than the serial one [count] */
static uint64_t check(void *self, struct trials *trials)
{
    const struct color *color = self;
    const struct graph *whole = &color->graph.part.whole;
    uint64_t *keys = app_array(whole->n_vertices, sizeof *keys, "the check");
    const double begin_s = trials_clock();
    for (uint64_t v = 0; v < whole->n_vertices; v++)
        keys[v] = (UINT32_MAX - graph_degree(whole, v)) << 32 | v;
    uint32_t *right = serial_colors(whole, keys);
    trials_add_serial(trials, "greedy, serial", begin_s);
    free(keys);
    return node_graph_count_wrong(&color->graph, right);
}

static const struct app app = {
    .name = "color",
    .doc = "Colour the vertices of a graph so that neighbours differ, and say how many edges a "
           "second that took. Directions of edges, loops and repeated edges do not count.",
    NODE_GRAPH_APP("", NULL),
    .run = run,
    .describe = node_graph_describe,
    .result = result,
    .check = check};

int main(int argc, char **argv)
{
    struct color color = {
        .graph = NODE_GRAPH_DEFAULT(.wish.is_undirected = true, .vertex_bytes = sizeof(uint32_t))};
    return app_main(&app, &color, argc, argv);
}
