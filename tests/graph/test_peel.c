/* SPDX-License-Identifier: MIT */
/*
 * Colours and core numbers beside plain C on the whole graph: vertices one after the other in order of degree; and peeling
 * level by level. A directed graph, and for cores one with loops, is refused.
 *
 * Path: meson test -> graph/peel.c, graph/order.c
 */
#include "graphs.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define N_HUBS 3u
#define HUB_EDGES 65600u /* degrees of more than 16 bits */

#define MANY 100u /* vertices, of which several nodes take many rounds, each long on few cores */

/* ---- references ---------------------------------------------------------------------------------- */

/* Counts edges at each vertex: a loop twice. @return  [n_vertices] */
static uint64_t *count_degrees(const struct graph_of_test *graph)
{
    uint64_t *degrees = must_calloc(graph->n_vertices, sizeof *degrees);
    for (uint64_t i = 0; i < graph->n_edges; i++) {
        degrees[graph->from[i]]++;
        degrees[graph->to[i]]++;
    }
    return degrees;
}

static const uint64_t *sorted_by; /* what `compare` compares vertices by */

static int compare(const void *left, const void *right)
{
    const uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right,
                   first = sorted_by[one], second = sorted_by[other];
    return first != second ? (first < second) - (first > second) : (one > other) - (one < other);
}

/* Colours vertices one after the other, as NetworkX does. @return  how many colours */
static uint32_t color_serially(const struct graph_of_test *graph, uint32_t *colors)
{
    struct graphs_rows rows = graphs_rows_of(graph, false);
    uint64_t *degrees = count_degrees(graph),
             *order = must_calloc(graph->n_vertices, sizeof *order),
             *marks = must_calloc(graph->n_vertices + 1, sizeof *marks); /* by colour: place + 1 */
    uint32_t n = 0;
    for (uint64_t v = 0; v < graph->n_vertices; v++) {
        order[v] = v;
        colors[v] = UINT32_MAX;
    }
    sorted_by = degrees;
    qsort(order, graph->n_vertices, sizeof *order, compare);
    for (uint64_t place = 0; place < graph->n_vertices; place++) {
        const uint64_t v = order[place];
        uint32_t color = 0;
        for (uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; e++)
            if (colors[rows.ends[e]] != UINT32_MAX)
                marks[colors[rows.ends[e]]] = place + 1;
        while (marks[color] == place + 1)
            color++;
        colors[v] = color;
        n = color >= n ? color + 1 : n;
    }
    free(degrees);
    free(order);
    free(marks);
    graphs_rows_free(&rows);
    return n;
}

/* Peels level by level. @return  0, as calls of cores count nothing */
static uint32_t find_cores(const struct graph_of_test *graph, uint32_t *cores)
{
    struct graphs_rows rows = graphs_rows_of(graph, false);
    uint64_t *left = count_degrees(graph), n_left = graph->n_vertices;
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        cores[v] = UINT32_MAX;
    for (uint32_t level = 0; n_left; level++)
        for (bool has_changed = true; has_changed;) {
            has_changed = false;
            for (uint64_t v = 0; v < graph->n_vertices; v++) {
                if (cores[v] != UINT32_MAX || left[v] > level)
                    continue;
                cores[v] = level;
                n_left--;
                has_changed = true;
                for (uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; e++)
                    left[rows.ends[e]]--;
            }
        }
    free(left);
    graphs_rows_free(&rows);
    return 0;
}

/* ---- what calls give ------------------------------------------------------------------------------ */

/* @param find  fills in what is due, and returns how many there are. @param call  of the library */
static void check(struct gravel_graph *made, const struct graph_of_test *graph,
                  uint32_t (*find)(const struct graph_of_test *graph, uint32_t *due),
                  int (*call)(struct gravel_graph *graph, uint32_t *found, uint32_t *n))
{
    struct gravel_graph_facts facts;
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    uint32_t *due = must_calloc(graph->n_vertices, sizeof *due),
             *found = must_calloc(facts.n, sizeof *found), n = UINT32_MAX;
    const uint32_t n_due = find(graph, due);
    const int n_calls = made->n_nodes > 1 && made->n_vertices > MANY ? 1 : 2;
    for (int calls = 0; calls < n_calls; calls++) { /* what the first keeps serves the next */
        memset(found, 0x55, facts.n * sizeof *found);
        OK(call(made, found, calls ? NULL : &n));
        MUST_OF(graph, n == n_due);
        MUST_OF(graph, !memcmp(found, due + facts.first, facts.n * sizeof *found));
    }
    free(due);
    free(found);
}

static void check_colors(struct gravel_graph *made, const struct graph_of_test *graph)
{
    check(made, graph, color_serially, gravel_graph_color);
}

static int core_numbers(struct gravel_graph *graph, uint32_t *found, uint32_t *n)
{
    if (n)
        *n = 0;
    return gravel_graph_core_numbers(graph, found);
}

static void check_cores(struct gravel_graph *made, const struct graph_of_test *graph)
{
    check(made, graph, find_cores, core_numbers);
}

/* What only some nodes see, the others hear of. */
static void expect_refused(int code, const char *text)
{
    const bool is_elsewhere = code == GRAVEL_EMISMATCH && gravel_n_nodes(node_of_graphs) > 1;
    expect_code(code, is_elsewhere ? code : GRAVEL_EINVAL, is_elsewhere ? "" : text);
}

/* Cores of what is left of a graph without its loops. */
static void check_without_loops(const struct graph_of_test *graph)
{
    struct graph_of_test left = graphs_new(graph->name, graph->n_vertices, graph->n_edges);
    left.id_bytes = graph->id_bytes;
    for (uint64_t i = 0; i < graph->n_edges; i++)
        if (graph->from[i] != graph->to[i])
            graphs_add(&left, graph->from[i], graph->to[i]);
    graphs_check_one(&left, check_cores);
    graphs_free(&left);
}

static void check_colors_of_table(struct gravel_graph *made, const struct graph_of_test *graph)
{
    uint32_t n;
    if (graph->is_undirected)
        check_colors(made, graph);
    else
        expect_refused(gravel_graph_color(made, &n, &n),
                       "gravel_graph_color: the graph is directed");
}

static void check_cores_of_table(struct gravel_graph *made, const struct graph_of_test *graph)
{
    uint32_t *found = must_calloc(graph->n_vertices, sizeof *found), loop = UINT32_MAX;
    char said[64];
    for (uint64_t i = 0; i < graph->n_edges; i++)
        if (graph->from[i] == graph->to[i] && graph->from[i] < loop)
            loop = (uint32_t)graph->from[i];
    snprintf(said, sizeof said, made->n_nodes > 1 ? " has a loop" : "vertex %u has a loop", loop);
    if (!graph->is_undirected)
        expect_refused(gravel_graph_core_numbers(made, found),
                       "gravel_graph_core_numbers: the graph is directed");
    else if (loop == UINT32_MAX)
        check_cores(made, graph);
    else {
        expect_refused(gravel_graph_core_numbers(made, found), said);
        check_without_loops(graph);
    }
    free(found);
}

TEST(colours_are_those_of_one_vertex_after_the_other)
{
    graphs_each_without_weights(check_colors_of_table);
}

TEST(core_numbers_are_those_of_peeling_level_by_level)
{
    graphs_each_without_weights(check_cores_of_table);
}

/* ---- what the table has not ------------------------------------------------------------------------ */

/* Hubs that know each other, the one of the highest number having most edges: so it is coloured first. */
TEST(hubs_are_coloured_in_order_of_degree)
{
    struct graph_of_test graph =
        graphs_new("hubs", N_HUBS + HUB_EDGES + N_HUBS, N_HUBS * (HUB_EDGES + 2 * N_HUBS));
    for (uint64_t hub = 0; hub < N_HUBS; hub++)
        for (uint64_t v = hub + 1; v < N_HUBS + HUB_EDGES + hub; v++)
            graphs_add(&graph, hub, v);
    graph.id_bytes = 4;
    graphs_check_one(&graph, check_colors);
    graphs_check_one(&graph, check_cores);
    graphs_free(&graph);
}

/* As many colours as vertices, and as high a core. */
TEST(a_complete_graph_has_as_many_colours_as_vertices)
{
    const uint64_t n = gravel_n_nodes(node_of_graphs) > 1 ? 70 : 300; /* there a round takes long */
    struct graph_of_test graph = graphs_new("complete", n, n * n / 2);
    for (uint64_t u = 0; u < n; u++)
        for (uint64_t v = 0; v < u; v++)
            graphs_add(&graph, u, v);
    graphs_check_one(&graph, check_colors);
    graphs_check_one(&graph, check_cores);
    graphs_free(&graph);
}

static void check_nulls(struct gravel_graph *made, const struct graph_of_test *graph)
{
    uint32_t n;
    expect_refused(gravel_graph_color(made, NULL, &n), "gravel_graph_color: colors is NULL");
    expect_refused(gravel_graph_core_numbers(made, NULL),
                   "gravel_graph_core_numbers: cores is NULL");
    check_colors(made, graph);
    check_cores(made, graph);
}

TEST(null_is_refused_and_the_graph_stays_of_use)
{
    struct graph_of_test graph;
    graphs_make_named(&graph, "disconnected, undirected, no weights");
    for (uint64_t e = 0; e < graph.n_edges; e++) /* which has no loops then */
        graph.to[e] = graph.to[e] == graph.from[e] ? graph.to[e] + 1 : graph.to[e];
    graphs_check_one(&graph, check_nulls);
    graphs_free(&graph);
}
