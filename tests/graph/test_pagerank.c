/* SPDX-License-Identifier: MIT */
/*
 * PageRank: ranks, iterations and changes as a serial power iteration has them, which is NetworkX's: with and without
 * weights and a personalization, in both types; what is refused, and that the graph is of use afterwards.
 *
 * Path:    meson test -> graphs.c -> graph/pagerank.c, strips.c
 * Source:  networkx.algorithms.link_analysis.pagerank_alg, _pagerank_scipy (the reference).
 */
#include "graphs.h"

#include "graph.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100u

/* ---- the reference --------------------------------------------------------------------------- */

struct expected {
    double *ranks, change;
    uint32_t n_iterations;
};

/* Iterates as NetworkX does. @param wishes  [n_vertices] or NULL */
static struct expected rank_serially(const struct graph_of_test *graph, const double *wishes,
                                     const struct gravel_graph_pagerank_options *options)
{
    const uint64_t n = graph->n_vertices;
    struct graphs_rows rows = graphs_rows_of(graph, false);
    double *x = must_calloc(n, sizeof *x), *last = must_calloc(n, sizeof *last),
           *out = must_calloc(n, sizeof *out), wished = 0, change = 0;
    uint32_t i = 0;
    for (uint64_t v = 0; v < n; v++) {
        x[v] = 1 / (double)n;
        wished += wishes ? wishes[v] : 1;
        for (uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; e++)
            out[v] += graphs_weight(graph, rows.edges[e]);
    }
    for (bool is_done = n == 0; !is_done && i < options->most_iterations; i++) {
        double idle = 0;
        double *swap = last;
        last = x;
        x = swap;
        for (uint64_t v = 0; v < n; v++)
            idle += out[v] > 0 ? 0 : last[v];
        memset(x, 0, n * sizeof *x);
        for (uint64_t v = 0; v < n; v++)
            for (uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1] && out[v] > 0; e++)
                x[rows.ends[e]] += last[v] * graphs_weight(graph, rows.edges[e]) / out[v];
        change = 0;
        for (uint64_t v = 0; v < n; v++) {
            const double wish = (wishes ? wishes[v] : 1) / wished;
            x[v] = options->damping * (x[v] + idle * wish) + (1 - options->damping) * wish;
            change += fabs(x[v] - last[v]);
        }
        is_done = change < (double)n * options->tolerance;
    }
    free(last);
    free(out);
    graphs_rows_free(&rows);
    return (struct expected){x, change, i};
}

/* ---- results --------------------------------------------------------------------------------- */

static bool is_near(double value, double right, double relative)
{
    return fabs(value - right) <= relative * fabs(right);
}

/* Returns options with the defaults for what is 0. */
static struct gravel_graph_pagerank_options whole(struct gravel_graph_pagerank_options options)
{
    options.damping = options.damping == 0 ? 0.85 : options.damping;
    options.tolerance = options.tolerance == 0 ? 1e-6 : options.tolerance;
    options.most_iterations = options.most_iterations ? options.most_iterations : 100;
    options.type = options.type ? options.type : GRAVEL_DOUBLE;
    return options;
}

/* Ranks a graph, and compares. @param wishes  [n_vertices] of all, or NULL */
static void compare(struct gravel_graph *made, const struct graph_of_test *graph,
                    struct gravel_graph_pagerank_options options, const double *wishes)
{
    const struct gravel_graph_pagerank_options due = whole(options);
    const struct expected expected = rank_serially(graph, wishes, &due);
    const bool is_double = due.type == GRAVEL_DOUBLE;
    const double near = is_double ? 1e-12 : 2e-5;
    struct gravel_graph_facts facts;
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    void *ranks = must_calloc(facts.n, sizeof(double));
    options.personalization = wishes ? wishes + facts.first : NULL;
    OK(gravel_graph_pagerank(made, &options, ranks));
    /* Where changes are small, rounding may make a float iteration more or less. */
    const uint32_t off = options.n_iterations > expected.n_iterations
                             ? options.n_iterations - expected.n_iterations
                             : expected.n_iterations - options.n_iterations;
    if (off > (!is_double && due.tolerance < 1e-6) ||
        !(fabs(options.change - expected.change) <= near))
        die(__FILE__, __LINE__,
            "graph %s, %s: %u iterations, the last changed %g (expected %u, %g)", graph->name,
            is_double ? "double" : "float", options.n_iterations, options.change,
            expected.n_iterations, expected.change);
    for (uint64_t i = 0; i < facts.n; i++)
        MUST_OF(graph,
                is_near(graph_weight(due.type, ranks, i), expected.ranks[facts.first + i], near));
    free(ranks);
    free(expected.ranks);
}

/* Vertices in turn are wished for, and not. */
static double *make_wishes(const struct graph_of_test *graph)
{
    double *wishes = must_calloc(graph->n_vertices, sizeof *wishes);
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        wishes[v] = (double)(v * 7 % 5) + (v == 0);
    return wishes;
}

static struct gravel_graph_pagerank_options options_of(uint32_t type, double damping,
                                                       double tolerance, uint32_t most_iterations)
{
    return (struct gravel_graph_pagerank_options)
        GRAVEL_GRAPH_PAGERANK(.type = type, .damping = damping, .tolerance = tolerance,
                              .most_iterations = most_iterations);
}

static void check(struct gravel_graph *made, const struct graph_of_test *graph)
{
    const uint32_t last_type = has_double() ? GRAVEL_DOUBLE : GRAVEL_FLOAT;
    const bool is_ranked = has_double() || graph->weight_type != GRAVEL_DOUBLE;
    double *wishes = make_wishes(graph);
    for (uint32_t type = GRAVEL_FLOAT; is_ranked && type <= last_type; type++) {
        const double tolerance = type == GRAVEL_DOUBLE ? 1e-11 : 1e-7;
        compare(made, graph, options_of(type == GRAVEL_DOUBLE ? 0 : type, 0, 0, 0), NULL);
        compare(made, graph, options_of(type, 0.5, tolerance, MOST), wishes);
        compare(made, graph, options_of(type, 1, -1, 3), wishes);
        compare(made, graph, options_of(type, DBL_MIN, tolerance, MOST), NULL);
    }
    free(wishes);
}

TEST(ranks_and_iterations_are_those_of_a_serial_power_iteration)
{
    graphs_each(check);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void refuse(struct gravel_graph *made, struct gravel_graph_pagerank_options options,
                   const char *text)
{
    double ranks[64];
    expect_code(gravel_graph_pagerank(made, &options, ranks), GRAVEL_EINVAL, text);
}

TEST(what_is_out_of_range_is_refused_at_all_nodes_and_the_graph_stays)
{
    enum { N = 60 };
    const uint64_t from[] = {0, 1, 2, 3}, to[] = {1, 2, 0, 0};
    double wishes[N] = {0}, ranks[N];
    struct gravel_graph *made;
    const struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = N, .n_edges = gravel_node(node_of_graphs) ? 0 : 4,
                           .from = from, .to = to);
    OK(gravel_graph_create(&made, node_of_graphs, &edges));
    const uint32_t type = GRAVEL_DOUBLE;
    refuse(made, options_of(type, 1.5, 0, 9), "damping is 1.5 (");
    refuse(made, options_of(type, -0.5, 0, 9), "damping is -0.5 (");
    refuse(made, options_of(type, NAN, 0, 9), "damping");
    refuse(made, options_of(type, 0.5, NAN, 9), "tolerance is not a number (");
    refuse(made, options_of(type, 0.5, 0, UINT32_MAX), "most_iterations is 4294967295 (");
    refuse(made, options_of(GRAVEL_UINT, 0.5, 0, 9), "type is 1 (");
    struct gravel_graph_pagerank_options options = GRAVEL_GRAPH_PAGERANK(.personalization = wishes);
    refuse(made, options, "the sum of the personalization is 0 (");
    wishes[1] = -1;
    refuse(made, options, "personalization[1] is -1 (");
    options.bytes = 8;
    refuse(made, options, "bytes is 8 (");
    /* What one node refuses, and what nodes give differently. */
    const bool is_last = made->node + 1 == made->n_nodes;
    options = options_of(type, is_last ? 2 : 0.5, 0, 9);
    MUST(gravel_graph_pagerank(made, &options, ranks) ==
         (is_last ? GRAVEL_EINVAL : GRAVEL_EMISMATCH));
    options = options_of(type, 0.5, 0, 1 + is_last);
    MUST(gravel_graph_pagerank(made, &options, ranks) ==
         (made->n_nodes > 1 ? GRAVEL_EMISMATCH : 0));
    if (made->n_results)
        MUST(gravel_graph_pagerank(made, NULL, NULL) == GRAVEL_EINVAL);
    OK(gravel_graph_pagerank(made, NULL, ranks));
    OK(gravel_graph_destroy(made));
}
