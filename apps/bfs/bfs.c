/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search by the library gravel-graph: read, call, check, print.
 *
 * Path:    main -> node_graph -> gravel_graph_bfs -> check
 * Owner:   open_node makes what close_node frees.
 * Threads: main's.
 * Source:  Beamer, Asanovic, Patterson, Direction-Optimizing Breadth-First Search, 2012.
 */
#include "graph/node_graph.h"

#include <stdlib.h>

struct bfs {
    struct options options;
    struct node node;
    struct node_graph graph;
    uint32_t *levels; /* [facts.n] */
    uint64_t *parents;
    bool wants_parents;
};

static void open_node(void *self)
{
    struct bfs *bfs = self;
    node_graph(&bfs->node, &bfs->graph, bfs->options.seed, (struct part_wish){.no_weights = true});
    bfs->levels = app_array(bfs->graph.facts.n, sizeof *bfs->levels, "levels");
    if (bfs->wants_parents)
        bfs->parents = app_array(bfs->graph.facts.n, sizeof *bfs->parents, "parents");
}

static void close_node(void *self)
{
    struct bfs *bfs = self;
    free(bfs->levels);
    free(bfs->parents);
    node_graph_close(&bfs->graph);
}

static void search(void *self)
{
    struct bfs *bfs = self;
    TRY(gravel_graph_bfs(bfs->graph.graph, bfs->graph.source, bfs->levels, bfs->parents));
}

/* The search that warmed up shows which vertices are reached. */
static void describe(void *self, struct trials *trials)
{
    struct bfs *bfs = self;
    const struct graph *rows = &bfs->graph.part.rows;
    uint64_t n_edges = 0, n_reached = 0, depth = 0;
    for (uint64_t i = 0; i < rows->n_vertices; i++) {
        const bool is_reached = bfs->levels[i] != GRAVEL_GRAPH_FAR;
        n_edges += is_reached ? graph_degree(rows, i) : 0;
        n_reached += is_reached;
        depth = is_reached && bfs->levels[i] > depth ? bfs->levels[i] : depth;
    }
    n_edges = node_sum(&bfs->node, n_edges);
    trials->work = (double)n_edges;
    node_graph_describe(&bfs->graph, bfs->options.seed, bfs->graph.part.survey.n_edges, trials);
    trials_add_number(trials, "source", bfs->graph.source);
    trials_add_number(trials, "levels", node_most(&bfs->node, depth));
    trials_add_number(trials, "reached_vertices", node_sum(&bfs->node, n_reached));
    trials_add_number(trials, "reached_edges", n_edges);
}

/* Finds all levels serially. @return  [n_vertices], to be freed */
static uint32_t *search_serially(const struct graph *whole, uint64_t source)
{
    uint32_t *levels = app_array(whole->n_vertices, sizeof *levels, "the check");
    uint32_t *list = app_array(whole->n_vertices, sizeof *list, "the check");
    uint64_t n = 1;
    for (uint64_t v = 0; v < whole->n_vertices; v++)
        levels[v] = GRAVEL_GRAPH_FAR;
    levels[source] = 0;
    list[0] = (uint32_t)source;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t e = whole->offsets[list[i]]; e < whole->offsets[list[i] + 1]; e++) {
            const uint32_t v = whole->neighbours[e];
            if (levels[v] != GRAVEL_GRAPH_FAR)
                continue;
            levels[v] = levels[list[i]] + 1;
            list[n++] = v;
        }
    free(list);
    return levels;
}

/* @return  this node's vertices with a wrong level or parent [count]. */
static uint64_t check(void *self, struct trials *trials)
{
    struct bfs *bfs = self;
    struct graph whole;
    part_whole(&whole, &bfs->graph.part);
    const double begin_s = trials_clock();
    uint32_t *levels = search_serially(&whole, bfs->graph.source);
    const double serial_s = trials_clock() - begin_s;
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < bfs->graph.facts.n; i++) {
        const uint64_t v = bfs->graph.facts.first + i, parent = bfs->parents ? bfs->parents[i] : v;
        const bool has_parent = bfs->parents && levels[v] && levels[v] != GRAVEL_GRAPH_FAR;
        n_wrong += bfs->levels[i] != levels[v];
        n_wrong += has_parent && (parent >= whole.n_vertices || levels[parent] + 1 != levels[v]);
    }
    trials_add_real(trials, "serial_seconds", serial_s);
    trials_say(trials, "  source %llu; serial: %.6f s\n", (unsigned long long)bfs->graph.source,
               serial_s);
    free(levels);
    graph_free(&whole);
    return n_wrong;
}

static const struct app_option own_options[] = {NODE_GRAPH_SOURCE_OPTION(struct bfs),
                                                {"parents", 0, NULL,
                                                 "Find the vertex before each, too",
                                                 OPTION_FLAG(struct bfs, wants_parents)},
                                                {0}};

static const struct app app = {
    .name = "bfs",
    .unit = "edges/s",
    .doc = "Find the levels of all vertices of a graph, seen from one, and say how many edges a "
           "second that took.",
    .groups = {{"BFS:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct bfs, graph.part.options))},
    APP_FIELDS(struct bfs),
    .open = open_node,
    .run = search,
    .describe = describe,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct bfs bfs = {
        .graph = {.part.options = GRAPH_OPTIONS_DEFAULT, .source = NODE_GRAPH_DRAW_SOURCE}};
    return app_main(&app, &bfs, argc, argv);
}
