/* SPDX-License-Identifier: MIT */
/*
 * Components and spanning forests beside plain C on the whole graph: sets of vertices, and Kruskal's algorithm with the
 * same order of edges, which makes the forest the only one.
 *
 * Path: meson test -> graph/components.c, graph/forest.c
 */
#include "graphs.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

enum { N_CALLS = 2 }; /* of a graph: what the first one keeps serves the next */

/* Returns the least vertex of a vertex's set. */
static uint64_t find(uint64_t *sets, uint64_t v)
{
    while (sets[v] != v)
        v = sets[v] = sets[sets[v]];
    return v;
}

/* Returns whether an edge joins two sets, and joins them. */
static bool join(uint64_t *sets, const struct graph_of_test *graph, uint64_t i)
{
    const uint64_t one = find(sets, graph->from[i]), other = find(sets, graph->to[i]);
    sets[one > other ? one : other] = one > other ? other : one;
    return one != other;
}

static uint64_t *make_sets(const struct graph_of_test *graph)
{
    uint64_t *sets = must_calloc(graph->n_vertices, sizeof *sets);
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        sets[v] = v;
    return sets;
}

/* ---- components -------------------------------------------------------------------------------- */

static void check_components(struct gravel_graph *made, const struct graph_of_test *graph)
{
    struct gravel_graph_facts facts;
    uint64_t *sets = make_sets(graph), due = graph->n_vertices;
    for (uint64_t i = 0; i < graph->n_edges; i++)
        due -= join(sets, graph, i);
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    for (int calls = 0; calls < N_CALLS; calls++) {
        uint64_t *labels = must_calloc(facts.n, sizeof *labels), n = UINT64_MAX;
        OK(gravel_graph_components(made, labels, calls ? NULL : &n));
        MUST_OF(graph, calls || n == due);
        for (uint64_t i = 0; i < facts.n; i++)
            MUST_OF(graph, labels[i] == find(sets, facts.first + i));
        free(labels);
    }
    free(sets);
}

TEST(components_have_their_least_vertex)
{
    graphs_each_without_weights(check_components);
}

/* ---- forests ----------------------------------------------------------------------------------- */

static const struct graph_of_test *sorted; /* what `compare` compares edges of */

static int compare(const void *left, const void *right)
{
    const uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;
    const double first = graphs_weight(sorted, one), second = graphs_weight(sorted, other);
    return first != second ? (first > second) - (first < second) : (one > other) - (one < other);
}

/* Marks the edges of the forest, by Kruskal. Returns how many there are. */
static uint64_t mark(const struct graph_of_test *graph, uint8_t *is_in)
{
    uint64_t *sets = make_sets(graph), *order = must_calloc(graph->n_edges, sizeof *order), n = 0;
    for (uint64_t i = 0; i < graph->n_edges; i++)
        order[i] = i;
    sorted = graph;
    qsort(order, graph->n_edges, sizeof *order, compare);
    for (uint64_t i = 0; i < graph->n_edges; i++)
        n += is_in[order[i]] = join(sets, graph, order[i]);
    free(sets);
    free(order);
    return n;
}

static void check_forest(struct gravel_graph *made, const struct graph_of_test *graph)
{
    const uint64_t first = graphs_first_edge(graph, made->node),
                   n_part = graphs_first_edge(graph, made->node + 1) - first;
    uint8_t *due = must_calloc(graph->n_edges, 1);
    const uint64_t n_due = mark(graph, due);
    for (int calls = 0; calls < N_CALLS; calls++) {
        uint8_t *is_in = must_calloc(n_part, 1);
        uint64_t n = UINT64_MAX;
        memset(is_in, 2, n_part + 1);
        OK(gravel_graph_forest(made, is_in, calls ? NULL : &n));
        MUST_OF(graph, calls || n == n_due);
        MUST_OF(graph, !memcmp(is_in, due + first, n_part));
        MUST_OF(graph, is_in[n_part] == 2);
        free(is_in);
    }
    free(due);
}

TEST(a_forest_has_the_edges_that_kruskal_takes)
{
    graphs_each(check_forest);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

TEST(what_the_last_node_gives_wrongly_is_refused_at_all_and_the_graph_stays_of_use)
{
    static const uint64_t from[] = {0, 1, 1}, to[] = {1, 0, 2};
    static const float weights[] = {-0.0f, 0, 0}; /* alike, so the first is in the forest */
    const struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = 100, .n_edges = 3, .from = from, .to = to,
                           .weights = weights, .weight_type = GRAVEL_FLOAT);
    struct gravel_graph *made;
    uint64_t labels[100], n = 0;
    uint8_t is_in[3];
    OK(gravel_graph_create(&made, node_of_graphs, &edges));
    const bool is_last = made->node == made->n_nodes - 1;
    const int due = is_last ? GRAVEL_EINVAL : GRAVEL_EMISMATCH;
    expect_code(gravel_graph_components(made, is_last ? NULL : labels, &n), due,
                is_last ? "gravel_graph_components: labels is NULL" : "");
    expect_code(gravel_graph_forest(made, is_last ? NULL : is_in, &n), due,
                is_last ? "gravel_graph_forest: is_in is NULL" : "");
    OK(gravel_graph_components(made, labels, &n));
    assert_int_equal(n, 98);
    OK(gravel_graph_forest(made, is_in, &n));
    assert_int_equal(n, 2);
    for (int i = 0; i < 3;
         i++) /* every node gives the same edges, and the first node's are first */
        assert_int_equal(is_in[i], made->node == 0 && i != 1);
    OK(gravel_graph_destroy(made));
}
