/* SPDX-License-Identifier: MIT */
/*
 * Searches: levels and distances are those that plain relaxation of all edges gives; parents are the least vertices before
 * on a shortest path, as gravel/graph.h says, and never form a circle; what is refused.
 *
 * Path: meson test -> graphs.c -> graph/bfs.c, sssp.c, parents.c
 */
#include "graphs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_HUB_EDGES 5000u /* more than a team of work-items walks */
#define PATH_EDGES 30u

/* ---- the reference ----------------------------------------------------------------------------- */

struct reference {
    double *distances; /* [n_vertices] INFINITY: no path */
    uint64_t *parents; /* [n_vertices] */
};

static double add(const struct graph_of_test *graph, bool is_weighted, double from, uint64_t edge)
{
    const double sum = from + (is_weighted ? graphs_weight(graph, edge) : 1);
    return !is_weighted || graph->weight_type == GRAVEL_DOUBLE ? sum
           : graph->weight_type == GRAVEL_FLOAT                ? (double)(float)sum
           : sum >= UINT32_MAX                                 ? INFINITY
                                                               : sum;
}

/* Relaxes all edges until nothing changes. */
static void find_distances(const struct graph_of_test *graph, bool is_weighted,
                           const struct graphs_rows *in, uint64_t source, double *distances)
{
    bool has_changed = true;
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        distances[v] = v == source ? 0 : INFINITY;
    while (has_changed) {
        has_changed = false;
        for (uint64_t v = 0; v < graph->n_vertices; v++)
            for (uint64_t e = in->offsets[v]; e < in->offsets[v + 1]; e++) {
                const double sum = add(graph, is_weighted, distances[in->ends[e]], in->edges[e]);
                has_changed |= sum < distances[v];
                distances[v] = fmin(sum, distances[v]);
            }
    }
}

/* In pass 0 from nearer vertices, then from those at the same distance that earlier passes have parents for. */
static void find_parents(const struct graph_of_test *graph, bool is_weighted,
                         const struct graphs_rows *in, uint64_t source,
                         const struct reference *reference)
{
    const double *distances = reference->distances;
    uint64_t *parents = reference->parents,
             *passes = must_calloc(graph->n_vertices, sizeof *passes);
    for (uint64_t v = 0; v < graph->n_vertices; v++) {
        parents[v] = v == source ? v : GRAVEL_GRAPH_NONE;
        passes[v] = v == source ? 0 : UINT64_MAX;
    }
    bool is_done = false;
    for (uint64_t pass = 0; !is_done; pass++) {
        is_done = true;
        for (uint64_t v = 0; v < graph->n_vertices; v++) {
            if (parents[v] != GRAVEL_GRAPH_NONE || isinf(distances[v]))
                continue;
            for (uint64_t e = in->offsets[v]; e < in->offsets[v + 1]; e++) {
                const uint64_t u = in->ends[e];
                if (add(graph, is_weighted, distances[u], in->edges[e]) == distances[v] &&
                    (distances[u] < distances[v] || passes[u] < pass) && u < parents[v])
                    parents[v] = u;
            }
            if (parents[v] != GRAVEL_GRAPH_NONE)
                passes[v] = pass;
            is_done = false;
        }
    }
    free(passes);
}

static struct reference make_reference(const struct graph_of_test *graph, bool is_weighted,
                                       uint64_t source)
{
    struct reference reference = {must_calloc(graph->n_vertices, sizeof(double)),
                                  must_calloc(graph->n_vertices, sizeof(uint64_t))};
    struct graphs_rows in = graphs_rows_of(graph, true);
    find_distances(graph, is_weighted, &in, source, reference.distances);
    find_parents(graph, is_weighted, &in, source, &reference);
    graphs_rows_free(&in);
    return reference;
}

/* ---- what a search gives ------------------------------------------------------------------------ */

/* Returns a distance of this node's results. */
static double found_at(uint32_t type, const void *distances, uint64_t i)
{
    const uint32_t word = type == GRAVEL_DOUBLE ? 0 : ((const uint32_t *)distances)[i];
    return type == GRAVEL_DOUBLE      ? ((const double *)distances)[i]
           : type == GRAVEL_FLOAT     ? (double)((const float *)distances)[i]
           : word == GRAVEL_GRAPH_FAR ? (double)INFINITY
                                      : word;
}

/* @param n_ways  1: both results; 3: also each alone */
static void check_search(struct gravel_graph *made, const struct graph_of_test *graph,
                         bool is_weighted, uint64_t source, int n_ways)
{
    struct gravel_graph_facts facts;
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    double *distances = must_calloc(facts.n, sizeof *distances);
    uint64_t *parents = must_calloc(facts.n, sizeof *parents);
    struct reference reference = make_reference(graph, is_weighted, source);
    const uint32_t type = is_weighted ? graph->weight_type : 0;
    for (int way = 0; way < n_ways; way++) {
        memset(distances, 0x55, facts.n * sizeof *distances);
        memset(parents, 0x55, facts.n * sizeof *parents);
        void *wanted = way == 1 ? NULL : distances;
        uint64_t *wanted_parents = way == 2 ? NULL : parents;
        OK(is_weighted ? gravel_graph_sssp(made, source, wanted, wanted_parents)
                       : gravel_graph_bfs(made, source, wanted, wanted_parents));
        for (uint64_t i = 0; i < facts.n; i++) {
            const uint64_t v = facts.first + i;
            MUST_OF(graph, !wanted || found_at(type, distances, i) == reference.distances[v]);
            MUST_OF(graph, !wanted_parents || parents[i] == reference.parents[v]);
        }
    }
    free(distances);
    free(parents);
    free(reference.distances);
    free(reference.parents);
}

static void check_sources(struct gravel_graph *made, const struct graph_of_test *graph,
                          bool is_weighted)
{
    const uint64_t n = graph->n_vertices;
    expect_code(is_weighted ? gravel_graph_sssp(made, n, NULL, NULL)
                            : gravel_graph_bfs(made, n, NULL, NULL),
                GRAVEL_EINVAL,
                is_weighted ? "gravel_graph_sssp: vertex" : "gravel_graph_bfs: vertex");
    if (!n)
        return;
    check_search(made, graph, is_weighted, n / 2,
                 gravel_n_nodes(node_of_graphs) == 1 ? 3 : 1); /* a star's hub */
    check_search(made, graph, is_weighted, 0, 1);
}

static void check_levels(struct gravel_graph *made, const struct graph_of_test *graph)
{
    check_sources(made, graph, false);
}

static void check_distances(struct gravel_graph *made, const struct graph_of_test *graph)
{
    if (graph->weight_type || graph->n_vertices < 200)
        check_sources(made, graph, true);
}

TEST(levels_and_parents_are_those_of_a_shortest_path)
{
    graphs_each_without_weights(check_levels);
}

TEST(distances_and_parents_are_those_of_a_shortest_path)
{
    graphs_each(check_distances);
}

/* ---- what the table has not ----------------------------------------------------------------------- */

static void check_from_0(struct gravel_graph *made, const struct graph_of_test *graph)
{
    for (int is_weighted = 0; is_weighted < 2; is_weighted++)
        check_search(made, graph, is_weighted, 0, 1);
}

/* From the path's begin the first hub is found by a push, and the second one by a pull. */
TEST(rows_of_hubs_are_walked_to_their_end)
{
    struct graph_of_test graph = graphs_two_hubs(PATH_EDGES, N_HUB_EDGES);
    uint32_t *weights = must_calloc(graph.n_edges, sizeof *weights);
    for (uint64_t i = 0; i < graph.n_edges; i++)
        weights[i] = (uint32_t)(i * 7 % 50);
    graph.weight_type = GRAVEL_UINT;
    graph.weights = weights;
    graphs_check_one(&graph, check_from_0);
    graphs_free(&graph);
}

static uint64_t few_from[] = {0, 1, 2, 0, 4}, few_to[] = {1, 2, 3, 4, 0};
static uint32_t large[] = {1u << 31, (1u << 31) - 2, 1, UINT32_MAX, UINT32_MAX};
static float floats[] = {FLT_MAX, 0, FLT_MAX, 1e-45f, FLT_MIN};
static double doubles[] = {DBL_MAX, DBL_MAX, 0, 5e-324, DBL_MIN};
static uint32_t none[] = {0, 0, 0, 0, 0};

TEST(distances_that_a_word_does_not_hold_are_far_and_weights_may_be_nothing)
{
    const struct graph_of_test graphs[] = {
        {.name = "large", .weight_type = GRAVEL_UINT, .weights = large},
        {.name = "large floats", .weight_type = GRAVEL_FLOAT, .weights = floats},
        {.name = "large doubles", .weight_type = GRAVEL_DOUBLE, .weights = doubles},
        {.name = "weights of 0", .weight_type = GRAVEL_UINT, .weights = none}};
    for (size_t i = 0; i < 2 * sizeof graphs / sizeof *graphs; i++) {
        struct graph_of_test graph = graphs[i / 2];
        graph.n_vertices = graph.n_edges = 5;
        graph.is_undirected = i % 2;
        graph.from = few_from;
        graph.to = few_to;
        graphs_check_one(&graph, check_from_0);
    }
}
