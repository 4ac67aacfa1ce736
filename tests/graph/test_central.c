/* SPDX-License-Identifier: MIT */
/*
 * Betweenness and triangles beside plain C on the whole graph: Brandes' algorithm with a stack, scaled as NetworkX does;
 * and pairs of neighbours that are neighbours. What is refused, and that the graph is of use afterwards.
 *
 * Path:    meson test -> graphs.c -> graph/betweenness.c, triangles.c
 * Source:  networkx.algorithms.centrality.betweenness, networkx.algorithms.cluster (the references).
 */
#include "graphs.h"

#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR UINT64_MAX
#define MOST_EXACT 1000u /* vertices of a graph whose sources are all tried */
#define GRID_WIDTH 48u   /* of a grid whose sources are too many to search from at once */
#define N_HUB_EDGES 3000u
#define PATH_EDGES 5u

static int compare_numbers(const void *left, const void *right)
{
    const uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;
    return (one > other) - (one < other);
}

/* Returns rows whose ends ascend, each once, without loops. */
static struct graphs_rows simple_rows(const struct graph_of_test *graph)
{
    struct graphs_rows rows = graphs_rows_of(graph, false);
    uint64_t at = 0, begin = 0;
    for (uint64_t v = 0; v < graph->n_vertices; v++) {
        const uint64_t end = rows.offsets[v + 1], first = at;
        qsort(rows.ends + begin, end - begin, sizeof *rows.ends, compare_numbers);
        rows.offsets[v] = at;
        for (uint64_t e = begin; e < end; e++)
            if (rows.ends[e] != v && (at == first || rows.ends[at - 1] != rows.ends[e]))
                rows.ends[at++] = rows.ends[e];
        begin = end;
    }
    rows.offsets[graph->n_vertices] = at;
    return rows;
}

/* ---- betweenness ------------------------------------------------------------------------------- */

/* Adds what paths from a source come to. */
static void add_source(const struct graphs_rows *rows, uint64_t n, uint64_t source, bool endpoints,
                       double *sums)
{
    uint64_t *order = must_calloc(n, sizeof *order), *level = must_calloc(n, sizeof *level);
    double *paths = must_calloc(n, sizeof *paths), *depends = must_calloc(n, sizeof *depends);
    uint64_t n_found = 1;
    memset(level, 0xff, n * sizeof *level);
    level[source] = 0;
    paths[source] = 1;
    order[0] = source;
    for (uint64_t i = 0; i < n_found; i++)
        for (uint64_t e = rows->offsets[order[i]]; e < rows->offsets[order[i] + 1]; e++) {
            const uint64_t w = rows->ends[e];
            if (level[w] == FAR) {
                level[w] = level[order[i]] + 1;
                order[n_found++] = w;
            }
            if (level[w] == level[order[i]] + 1)
                paths[w] += paths[order[i]];
        }
    for (uint64_t i = n_found; i-- > 1;) { /* what depends on a vertex is whole when it is taken */
        const uint64_t v = order[i];
        for (uint64_t e = rows->offsets[v]; e < rows->offsets[v + 1]; e++)
            if (level[rows->ends[e]] == level[v] + 1)
                depends[v] += paths[v] * (1 + depends[rows->ends[e]]) / paths[rows->ends[e]];
        sums[v] += depends[v] + endpoints;
    }
    sums[source] += endpoints ? (double)(n_found - 1) : 0;
    free(order);
    free(level);
    free(paths);
    free(depends);
}

/* Scales as NetworkX's _rescale does. @param k  sources; 0: all */
static void rescale(const struct graph_of_test *graph,
                    const struct gravel_graph_betweenness_options *options, uint64_t k,
                    double *sums)
{
    const double pairs = (double)graph->n_vertices - (options->has_endpoints ? 0 : 1),
                 ways = graph->is_undirected ? 2 : 1;
    if (pairs < 2)
        return;
    for (uint64_t v = 0; v < graph->n_vertices; v++) {
        double n_sources = k ? (double)k : pairs;
        for (uint64_t i = 0; k && !options->has_endpoints && i < k; i++)
            n_sources -= options->sources[i] == v;
        if (n_sources < 1)
            sums[v] = (double)NAN;
        else if (options->is_raw)
            sums[v] *= pairs / (n_sources * ways);
        else
            sums[v] *= 1 / (n_sources * (pairs - 1));
    }
}

static bool is_near(double value, double right)
{
    return isnan(right) ? isnan(value) : fabs(value - right) <= 1e-9 * fabs(right);
}

static void check_options(struct gravel_graph *made, const struct graph_of_test *graph,
                          struct gravel_graph_betweenness_options options)
{
    const uint64_t n = graph->n_vertices, k = options.sources ? options.n_sources : n;
    struct gravel_graph_facts facts;
    struct graphs_rows rows = simple_rows(graph);
    double *due = must_calloc(n, sizeof *due);
    for (uint64_t i = 0; i < k; i++)
        add_source(&rows, n, options.sources ? options.sources[i] : i, options.has_endpoints, due);
    rescale(graph, &options, k == n ? 0 : k, due);
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    double *found = must_calloc(facts.n, sizeof *found);
    OK(gravel_graph_betweenness(made, &options, found));
    for (uint64_t i = 0; i < facts.n; i++)
        if (!is_near(found[i], due[facts.first + i]))
            die(__FILE__, __LINE__,
                "graph %s, %llu sources: vertex %llu has %.17g (expected %.17g)", graph->name,
                (unsigned long long)k, (unsigned long long)(facts.first + i), found[i],
                due[facts.first + i]);
    graphs_rows_free(&rows);
    free(due);
    free(found);
}

/* A few sources, with each of the options, and then all. */
static void check_betweenness(struct gravel_graph *made, const struct graph_of_test *graph)
{
    const uint64_t n = graph->n_vertices;
    const uint64_t sources[] = {n / 2, 0, n - 1, n / 3, n / 5}; /* a star's hub is the first one */
    const bool is_odd = n % 4 > 1;
    if (n > 20)
        check_options(made, graph,
                      (struct gravel_graph_betweenness_options)GRAVEL_GRAPH_BETWEENNESS(
                              .sources = sources, .n_sources = graph->is_undirected ? 5 : 1,
                              .has_endpoints = is_odd, .is_raw = graph->is_undirected));
    if (n < MOST_EXACT)
        check_options(made, graph,
                      (struct gravel_graph_betweenness_options)
                          GRAVEL_GRAPH_BETWEENNESS(.has_endpoints = !is_odd,
                                                   .is_raw = !graph->is_undirected));
}

TEST(betweenness_is_that_of_a_stack_of_vertices)
{
    if (has_double())
        graphs_each_without_weights(check_betweenness);
}

static void check_all_sources(struct gravel_graph *made, const struct graph_of_test *graph)
{
    check_options(made, graph, (struct gravel_graph_betweenness_options)GRAVEL_GRAPH_BETWEENNESS());
}

TEST(more_sources_than_fit_are_taken_in_turns)
{
    const uint64_t n = GRID_WIDTH * GRID_WIDTH;
    struct graph_of_test graph = graphs_new("a grid", n, 2 * n);
    for (uint64_t v = 0; v < n; v++) {
        if ((v + 1) % GRID_WIDTH)
            graphs_add(&graph, v, v + 1);
        if (v + GRID_WIDTH < n)
            graphs_add(&graph, v, v + GRID_WIDTH);
    }
    if (has_double())
        graphs_check_one(&graph, check_all_sources);
    graphs_free(&graph);
}

/* Two calls have the same results, to the last bit. */
static void check_hubs(struct gravel_graph *made, const struct graph_of_test *graph)
{
    const uint64_t sources[] = {0, PATH_EDGES + 7, N_HUB_EDGES + PATH_EDGES + 1};
    const struct gravel_graph_betweenness_options options =
        GRAVEL_GRAPH_BETWEENNESS(.sources = sources, .n_sources = 3, .is_raw = 1);
    double *found[2];
    struct gravel_graph_facts facts;
    check_options(made, graph, options);
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    for (int i = 0; i < 2; i++) {
        found[i] = must_calloc(facts.n, sizeof **found);
        OK(gravel_graph_betweenness(made, &options, found[i]));
    }
    MUST_OF(graph, !memcmp(found[0], found[1], facts.n * sizeof **found));
    free(found[0]);
    free(found[1]);
}

/* Checks counts of paths: each neighbour of the hubs gives one path to the second hub. */
TEST(rows_of_hubs_are_summed_by_lanes)
{
    struct graph_of_test graph = graphs_two_hubs(PATH_EDGES, N_HUB_EDGES);
    for (int is_undirected = 0; is_undirected < 2 && has_double(); is_undirected++) {
        graph.is_undirected = is_undirected;
        graphs_check_one(&graph, check_hubs);
    }
    graphs_free(&graph);
}

/* ---- triangles --------------------------------------------------------------------------------- */

static void check_triangles(struct gravel_graph *made, const struct graph_of_test *graph)
{
    const uint64_t n = graph->n_vertices;
    struct gravel_graph_facts facts;
    struct graphs_rows rows = simple_rows(graph);
    uint8_t *is_neighbour = must_calloc(n, 1);
    uint64_t *due = must_calloc(n, sizeof *due), n_due = 0;
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    uint64_t *found = must_calloc(facts.n, sizeof *found), total = UINT64_MAX;
    if (!graph->is_undirected)
        expect_code(gravel_graph_triangles(made, found, &total), GRAVEL_EINVAL,
                    "gravel_graph_triangles: the graph is directed");
    for (uint64_t v = 0; v < n && graph->is_undirected; v++) {
        for (int pass = 1; pass >= 0; pass--) { /* mark, then unmark */
            for (uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; e++)
                is_neighbour[rows.ends[e]] = (uint8_t)pass;
            for (uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1] && pass; e++)
                for (uint64_t f = rows.offsets[rows.ends[e]]; f < rows.offsets[rows.ends[e] + 1];
                     f++)
                    due[v] += is_neighbour[rows.ends[f]];
        }
        due[v] /= 2;
        n_due += due[v];
    }
    for (int calls = 0; calls < 3 && graph->is_undirected; calls++) {
        memset(found, 0x55, facts.n * sizeof *found);
        OK(gravel_graph_triangles(made, calls == 1 ? NULL : found, calls == 2 ? NULL : &total));
        MUST_OF(graph, total == n_due / 3);
        for (uint64_t i = 0; i < facts.n && calls != 1; i++)
            MUST_OF(graph, found[i] == due[facts.first + i]);
    }
    graphs_rows_free(&rows);
    free(is_neighbour);
    free(due);
    free(found);
}

TEST(triangles_are_pairs_of_neighbours_that_are_neighbours)
{
    graphs_each_without_weights(check_triangles);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static void refuse(struct gravel_graph *made, struct gravel_graph_betweenness_options options,
                   const char *text)
{
    double centrality[64];
    expect_code(gravel_graph_betweenness(made, &options, centrality), GRAVEL_EINVAL, text);
}
#define REFUSE(text, ...)                                                                        \
    refuse(made, (struct gravel_graph_betweenness_options)GRAVEL_GRAPH_BETWEENNESS(__VA_ARGS__), \
           text)

TEST(what_is_out_of_range_is_refused_at_all_nodes_and_the_graph_stays)
{
    enum { N = 60 };
    const uint64_t from[] = {0, 1, 2}, to[] = {1, 2, 0}, wrong[] = {3, N, 3};
    double centrality[N];
    uint64_t total = 0;
    struct gravel_graph *made;
    const struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = N, .n_edges = gravel_node(node_of_graphs) ? 0 : 3,
                           .from = from, .to = to, .is_undirected = 1);
    OK(gravel_graph_create(&made, node_of_graphs, &edges));
    REFUSE("n_sources is 0 (", .sources = wrong);
    REFUSE("n_sources is 61 (", .sources = wrong, .n_sources = N + 1);
    REFUSE("sources[1] is 60 (", .sources = wrong, .n_sources = 3);
    REFUSE("sources[1] is 3 (", .sources = (const uint64_t[]){3, 3}, .n_sources = 2);
    REFUSE("has_endpoints is 2, is_raw is 0 (", .has_endpoints = 2);
    if (made->n_results)
        MUST(gravel_graph_betweenness(made, NULL, NULL) == GRAVEL_EINVAL);
    /* What one node refuses, and what nodes give differently. */
    const bool is_last = made->node + 1 == made->n_nodes;
    struct gravel_graph_betweenness_options options =
        GRAVEL_GRAPH_BETWEENNESS(.sources = wrong + is_last, .n_sources = 1);
    MUST(gravel_graph_betweenness(made, &options, centrality) ==
         (is_last ? GRAVEL_EINVAL : GRAVEL_EMISMATCH));
    options.sources = from + is_last;
    const int code = gravel_graph_betweenness(made, &options, centrality);
    MUST(code == (made->n_nodes > 1 ? GRAVEL_EMISMATCH : has_double() ? 0 : GRAVEL_ECAPABILITY));
    options.bytes = 8;
    refuse(made, options, "bytes is 8 (");
    MUST(gravel_graph_betweenness(made, NULL, centrality) ==
         (has_double() ? 0 : GRAVEL_ECAPABILITY));
    OK(gravel_graph_triangles(made, NULL, &total));
    assert_int_equal(total, 1);
    OK(gravel_graph_destroy(made));
}
