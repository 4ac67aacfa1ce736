/* SPDX-License-Identifier: MIT */
/*
 * Minimum spanning trees by the library gravel-graph: read, call, check, print.
 *
 * Path:    main -> node_graph -> gravel_graph_forest -> check
 * Owner:   open_node makes what close_node frees.
 * Threads: main's.
 * Source:  Boruvka 1926; Fallin, Gonzalez, Seo, Burtscher, A High-Performance MST Implementation for GPUs, SC 2023.
 */
#include "graph/node_graph.h"
#include "sections/kruskal.h"

struct mst {
    struct options options;
    struct node node;
    struct node_graph graph;
    uint8_t *is_in;  /* [edges of this node's rows] whether an edge is in a tree */
    uint64_t n_tree; /* edges of all trees */
};

static void open_node(void *self)
{
    struct mst *mst = self;
    node_graph(&mst->node, &mst->graph, mst->options.seed,
               (struct part_wish){.refuse_negative = true});
    mst->is_in = app_array(mst->graph.part.rows.n_edges, sizeof *mst->is_in, "edges");
}

static void close_node(void *self)
{
    struct mst *mst = self;
    free(mst->is_in);
    node_graph_close(&mst->graph);
}

static void find_trees(void *self)
{
    struct mst *mst = self;
    TRY(gravel_graph_forest(mst->graph.graph, mst->is_in, &mst->n_tree));
}

static void describe(void *self, struct trials *trials)
{
    struct mst *mst = self;
    trials->work = (double)mst->graph.facts.n_edges;
    node_graph_describe(&mst->graph, mst->options.seed, mst->graph.facts.n_edges, trials);
}

static void result(void *self, struct trials *trials)
{
    struct mst *mst = self;
    const struct graph *rows = &mst->graph.part.rows;
    double weight = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        weight += mst->is_in[e] ? graph_weight(rows, e) : 0;
    TRY(gravel_reduce(mst->node.gravel, GRAVEL_ADD, GRAVEL_DOUBLE, &weight, 1));
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
    part_whole(&whole, &mst->graph.part);
    graph_draw_weights(&whole, 0, mst->options.seed);
    const double begin_s = trials_clock();
    struct kruskal_edge *edges = app_array(whole.n_edges, sizeof *edges, "the check");
    for (uint64_t u = 0; u < whole.n_vertices; u++)
        for (uint64_t e = whole.offsets[u]; e < whole.offsets[u + 1]; e++)
            edges[e] =
                (struct kruskal_edge){graph_weight(&whole, e), e, (uint32_t)u, whole.neighbours[e]};
    uint8_t *is_in = kruskal(edges, whole.n_edges, whole.n_vertices);
    trials_add_serial(trials, "Kruskal, serial", begin_s);
    const uint8_t *expected = is_in + whole.offsets[mst->graph.part.first];
    uint64_t n_wrong = 0, n_tree = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        n_wrong += mst->is_in[e] != expected[e];
    for (uint64_t e = 0; e < whole.n_edges; e++)
        n_tree += is_in[e];
    free(is_in);
    free(edges);
    graph_free(&whole);
    return n_wrong + (n_tree != mst->n_tree);
}

static const struct app app = {
    .name = "mst",
    .unit = "edges/s",
    .doc = "Find a graph's minimum spanning tree, or one for each of its parts, whatever the "
           "direction of edges.",
    .groups = {GRAPH_OPTIONS_GROUP(offsetof(struct mst, graph.part.options))},
    APP_FIELDS(struct mst),
    .open = open_node,
    .run = find_trees,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct mst mst = {.graph.part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &mst, argc, argv);
}
