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
#include "sections/kruskal.h"

struct mst {
    struct node_graph
        graph;       /* results: uint8_t [edges of this node's rows], 1 if an edge is in a tree */
    uint64_t n_tree; /* edges of all trees */
};

static void open_node(void *self)
{
    struct mst *mst = self;
    node_graph_open(&mst->graph, (struct part_wish){.refuse_negative = true});
    mst->graph.results = app_array(mst->graph.part.rows.n_edges, sizeof(uint8_t), "edges");
}

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
    double weight = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        weight += is_in[e] ? graph_weight(rows, e) : 0;
    TRY(gravel_reduce(mst->graph.node.gravel, GRAVEL_ADD, GRAVEL_DOUBLE, &weight, 1));
    trials_add_number(trials, "tree_edges", mst->n_tree);
    trials_add_real(trials, "tree_weight", weight);
    trials_say(trials, "  %llu edges of weight %.10g\n", (unsigned long long)mst->n_tree, weight);
}

/* Compares with Kruskal's trees of the whole graph, whose edges are those of all nodes in order. */
static uint64_t check(void *self, struct trials *trials)
{
    struct mst *mst = self;
    const struct graph *rows = &mst->graph.part.rows;
    struct graph whole;
    node_graph_whole(&mst->graph, &whole);
    const double begin_s = trials_clock();
    struct kruskal_edge *edges = app_array(whole.n_edges, sizeof *edges, "the check");
    for (uint64_t u = 0; u < whole.n_vertices; u++)
        for (uint64_t e = whole.offsets[u]; e < whole.offsets[u + 1]; e++)
            edges[e] =
                (struct kruskal_edge){graph_weight(&whole, e), e, (uint32_t)u, whole.neighbours[e]};
    uint8_t *is_in = kruskal(edges, whole.n_edges, whole.n_vertices);
    trials_add_serial(trials, "Kruskal, serial", begin_s);
    const uint8_t *expected = is_in + whole.offsets[mst->graph.part.first],
                  *found = mst->graph.results;
    uint64_t n_wrong = 0, n_tree = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        n_wrong += found[e] != expected[e];
    for (uint64_t e = 0; e < whole.n_edges; e++)
        n_tree += is_in[e];
    free(is_in);
    free(edges);
    graph_free(&whole);
    return n_wrong + (n_tree != mst->n_tree);
}

static const struct app app = {
    .name = "mst",
    .doc = "Find a graph's minimum spanning tree, or one for each of its parts, whatever the "
           "direction of edges.",
    NODE_GRAPH_APP("", NULL),
    .open = open_node,
    .run = find_trees,
    .describe = node_graph_describe,
    .result = result,
    .check = check,
    .close = node_graph_close};

int main(int argc, char **argv)
{
    struct mst mst = {.graph = NODE_GRAPH_DEFAULT};
    return app_main(&app, &mst, argc, argv);
}
