/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths by the library gravel-graph: read, call, check, print. A graph without weights gets whole ones, 1 to 255
 * at random, the same in both directions.
 *
 * Path:    main -> node_graph -> gravel_graph_sssp -> check
 * Owner:   open_node makes what close_node frees.
 * Threads: main's.
 * Source:  Meyer and Sanders, Delta-stepping, 2003; Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags,
 *          weights).
 */
#include "graph/node_graph.h"
#include "graph/serial.h"

#include <math.h>
#include <stdlib.h>

struct sssp {
    struct options options;
    struct node node;
    struct node_graph graph;
    union graph_weight *distances; /* [facts.n] */
};

static void open_node(void *self)
{
    struct sssp *sssp = self;
    node_graph(&sssp->node, &sssp->graph, sssp->options.seed,
               (struct part_wish){.refuse_negative = true});
    sssp->distances = app_array(sssp->graph.facts.n, sizeof *sssp->distances, "distances");
}

static void close_node(void *self)
{
    struct sssp *sssp = self;
    free(sssp->distances);
    node_graph_close(&sssp->graph);
}

static void search(void *self)
{
    struct sssp *sssp = self;
    TRY(gravel_graph_sssp(sssp->graph.graph, sssp->graph.source, sssp->distances, NULL));
}

/* Returns the distance of this node's i-th vertex; infinite if it is far. */
static double distance_of(const struct sssp *sssp, uint64_t i)
{
    if (sssp->graph.part.rows.weights_are == GRAPH_FLOAT)
        return (double)sssp->distances[i].as_float;
    return sssp->distances[i].as_uint == GRAVEL_GRAPH_FAR ? (double)INFINITY
                                                          : sssp->distances[i].as_uint;
}

/* The search that warmed up shows which vertices are reached. */
static void describe(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    const struct graph *rows = &sssp->graph.part.rows;
    uint64_t n_edges = 0, n_reached = 0;
    for (uint64_t i = 0; i < rows->n_vertices; i++) {
        const bool is_reached = !isinf(distance_of(sssp, i));
        n_edges += is_reached ? graph_degree(rows, i) : 0;
        n_reached += is_reached;
    }
    n_edges = node_sum(&sssp->node, n_edges);
    trials->work = (double)n_edges;
    node_graph_describe(&sssp->graph, sssp->options.seed, sssp->graph.facts.n_edges, trials);
    trials_add_number(trials, "source", sssp->graph.source);
    trials_add_word(trials, "distances", rows->weights_are == GRAPH_FLOAT ? "float" : "uint");
    trials_add_number(trials, "reached_vertices", node_sum(&sssp->node, n_reached));
    trials_add_number(trials, "reached_edges", n_edges);
}

/*
 * Compares with Dijkstra's algorithm, in every bit, floats too: rounding never turns two sums round, so the least of all
 * paths is the same whichever way it is found.
 *
 * @return  this node's vertices with a wrong distance [count]
 */
static uint64_t check(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    const struct gravel_graph_facts *facts = &sssp->graph.facts;
    struct graph whole;
    uint64_t n_wrong = 0;
    part_whole(&whole, &sssp->graph.part);
    graph_draw_weights(&whole, 0, sssp->options.seed);
    const double begin_s = trials_clock();
    double *right = serial_distances(&whole, sssp->graph.source);
    trials_add_serial(trials, "Dijkstra, serial", begin_s);
    for (uint64_t i = 0; i < facts->n; i++)
        n_wrong += distance_of(sssp, i) != right[facts->first + i];
    free(right);
    graph_free(&whole);
    return n_wrong;
}

static const struct app_option own_options[] = {NODE_GRAPH_SOURCE_OPTION(struct sssp), {0}};

static const struct app app = {
    .name = "sssp",
    .unit = "edges/s",
    .doc = "Find the shortest paths from one vertex of a graph to all others, and say how many "
           "edges a second that took.",
    .groups = {{"SSSP:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct sssp, graph.part.options))},
    APP_FIELDS(struct sssp),
    .open = open_node,
    .run = search,
    .describe = describe,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct sssp sssp = {
        .graph = {.part.options = GRAPH_OPTIONS_DEFAULT, .source = NODE_GRAPH_DRAW_SOURCE}};
    return app_main(&app, &sssp, argc, argv);
}
