/* SPDX-License-Identifier: MIT */
/*
 * Minimum spanning trees by the library gravel-graph: read, call, check, print.
 *
 * Path:    main -> node_graph -> gravel_graph_forest -> check
 * Owner:   node_graph.c's.
 * Threads: main's.
 * Source:  Boruvka 1926; Fallin, Gonzalez, Seo, Burtscher, A High-Performance MST Implementation for GPUs, SC 2023.
 */
#include "graph/node_graph.h"
#include "graph/serial.h"

#include <stdlib.h>

struct mst {
    struct node_graph graph; /* results: uint8_t, 1 if an edge is in a tree */
    uint64_t n_tree;         /* edges of all trees */
};

static void find_trees(void *self)
{
    struct mst *mst = self;
    TRY(gravel_graph_forest(mst->graph.graph, mst->graph.results, &mst->n_tree));
}

static void result(void *self, struct trials *trials)
{
    struct mst *mst = self;
    const struct graph *rows = &mst->graph.part.rows;
    const uint8_t *is_in = mst->graph.results;
    uint64_t weight = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        weight += is_in[e] ? rows->weights[e] : 0;
    weight = node_sum(&mst->graph.node, weight);
    trials_add_number(trials, "tree_edges", mst->n_tree);
    trials_add_number(trials, "tree_weight", weight);
    trials_say(trials, "  %llu edges of weight %llu\n", (unsigned long long)mst->n_tree,
               (unsigned long long)weight);
}

/* Compares with the trees of the whole graph, whose edges are those of all nodes in order. */
static uint64_t check(void *self, struct trials *trials)
{
    struct mst *mst = self;
    const struct graph *whole = &mst->graph.part.whole;
    const uint8_t *found = mst->graph.results;
    const double begin_s = trials_clock();
    uint8_t *is_in = serial_forest(whole);
    trials_add_serial(trials, "Kruskal, serial", begin_s);
    const uint8_t *right = is_in + whole->offsets[mst->graph.part.first];
    uint64_t n_wrong = 0, n_tree = 0;
    for (uint64_t e = 0; e < mst->graph.part.rows.n_edges; e++)
        n_wrong += found[e] != right[e];
    for (uint64_t e = 0; e < whole->n_edges; e++)
        n_tree += is_in[e];
    free(is_in);
    return n_wrong + (n_tree != mst->n_tree);
}

static const struct app app = {
    .name = "mst",
    .doc = "Find a graph's minimum spanning tree, or one for each of its parts, whatever the "
           "direction of edges.",
    NODE_GRAPH_APP("", NULL),
    .run = find_trees,
    .describe = node_graph_describe,
    .result = result,
    .check = check};

int main(int argc, char **argv)
{
    struct mst mst = {.graph = NODE_GRAPH_DEFAULT(.wish.has_weights = true, .edge_bytes = 1)};
    return app_main(&app, &mst, argc, argv);
}
