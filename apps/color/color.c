/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by the library gravel-graph: read, call, check, print. Directions of edges, loops and repeated edges do
 * not count.
 *
 * Path:    main -> node_graph -> gravel_graph_color -> check
 * Owner:   node_graph.c's.
 * Threads: main's.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug et al., Ordering Heuristics for
 *          Parallel Graph Coloring, 2014.
 */
#include "graph/greedy.h"
#include "graph/node_graph.h"

struct color {
    struct node_graph graph; /* results: colours, uint32_t [facts.n] */
    uint32_t n_colors;
};

static void open_node(void *self)
{
    struct color *color = self;
    node_graph_open(&color->graph, (struct part_wish){.is_undirected = true});
    color->graph.results = app_array(color->graph.facts.n, sizeof(uint32_t), "colours");
}

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

/* Orders vertices: the highest degree is first, and of one degree the least number. */
static uint64_t key_of(const void *whole, uint32_t vertex)
{
    return (UINT32_MAX - graph_degree(whole, vertex)) << 32 | vertex;
}

/* @return  this node's vertices with another colour than the serial one [count] */
static uint64_t check(void *self, struct trials *trials)
{
    const struct color *color = self;
    const struct gravel_graph_facts *facts = &color->graph.facts;
    const uint32_t *found = color->graph.results;
    struct graph whole;
    uint64_t n_wrong = 0;
    node_graph_whole(&color->graph, &whole);
    const double begin_s = trials_clock();
    uint32_t *right = greedy_colors(&whole, &whole, key_of);
    trials_add_serial(trials, "greedy, serial", begin_s);
    for (uint64_t i = 0; i < facts->n; i++)
        n_wrong += found[i] != right[facts->first + i];
    free(right);
    graph_free(&whole);
    return n_wrong;
}

static const struct app app = {
    .name = "color",
    .doc = "Colour the vertices of a graph so that neighbours differ, and say how many edges a "
           "second that took. Directions of edges, loops and repeated edges do not count.",
    NODE_GRAPH_APP("", NULL),
    .open = open_node,
    .run = run,
    .describe = node_graph_describe,
    .result = result,
    .check = check,
    .close = node_graph_close};

int main(int argc, char **argv)
{
    struct color color = {.graph = NODE_GRAPH_DEFAULT};
    return app_main(&app, &color, argc, argv);
}
