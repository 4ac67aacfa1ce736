/* SPDX-License-Identifier: MIT */
/*
 * Making a graph: every vertex has the edges that were given, in both directions' rows, with their weights; slots are in
 * order of degree and the same at every node; what is refused, and that the node is of use afterwards.
 *
 * Path: meson test -> graphs.c -> graph/create.c, order.c, spread.c, rows.c, results.c
 */
#include "graphs.h"

#include "graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_TURNED 3 /* ways to see the edges: given, push, pull */

/* ---- edges ------------------------------------------------------------------------------------- */

/* An edge at the node of its target, in the caller's numbers. */
struct seen {
    uint64_t from, to, given;
    double weight;
};

static int compare_seen(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    return a->from != b->from       ? (a->from < b->from ? -1 : 1)
           : a->to != b->to         ? (a->to < b->to ? -1 : 1)
           : a->weight != b->weight ? (a->weight < b->weight ? -1 : 1)
           : a->given != b->given   ? (a->given < b->given ? -1 : 1)
                                    : 0;
}

static bool is_own(const struct gravel_graph *made, uint32_t slot)
{
    return slot / made->block == made->node;
}

/* Returns the slots of all vertices, by what this node knows. */
static uint32_t *slots_of(const struct gravel_graph *made, const struct graph_of_test *graph)
{
    uint32_t *slots = must_calloc(graph->n_vertices, sizeof *slots);
    uint64_t n = 0;
    for (uint32_t slot = 0; slot < made->n_slots; slot++) {
        if (made->vertex_of[slot] == GRAPH_NO_SLOT)
            continue;
        MUST_OF(graph, made->vertex_of[slot] < graph->n_vertices);
        MUST_OF(graph,
                slot % made->block < (graph->n_vertices + made->n_nodes - 1) / made->n_nodes);
        slots[made->vertex_of[slot]] = slot;
        n++;
    }
    MUST_OF(graph, n == graph->n_vertices);
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        MUST_OF(graph, made->vertex_of[slots[v]] == v);
    return slots;
}

/* Returns the edges that belong here, sorted: the reference. */
static struct seen *expected(const struct gravel_graph *made, const struct graph_of_test *graph,
                             const uint32_t *slots, uint64_t *n)
{
    struct seen *edges = must_calloc(2 * graph->n_edges, sizeof *edges);
    *n = 0;
    for (uint64_t i = 0; i < graph->n_edges; i++) {
        const uint64_t u = graph->from[i], v = graph->to[i];
        const double weight = graphs_weight(graph, i);
        if (is_own(made, slots[v]))
            edges[(*n)++] = (struct seen){u, v, i, weight};
        if (graph->is_undirected && u != v && is_own(made, slots[u]))
            edges[(*n)++] = (struct seen){v, u, i, weight};
    }
    qsort(edges, *n, sizeof *edges, compare_seen);
    return edges;
}

/* Reads the edges of rows, whose ends ascend. */
static struct seen *read_rows(struct gravel_graph *made, const struct graph_of_test *graph,
                              const struct graph_rows *rows, bool is_push)
{
    uint32_t *offsets = must_calloc(rows->n_rows + 1, sizeof *offsets),
             *ends = must_calloc(made->n_edges, sizeof *ends);
    void *weights = must_calloc(made->n_edges, sizeof(double));
    struct seen *edges = must_calloc(made->n_edges, sizeof *edges);
    const uint32_t first = graph_first_slot(made), n_ends = is_push ? made->n_own : made->n_slots;
    OK(graph_read(made, rows->offsets, 0, offsets, (rows->n_rows + UINT64_C(1)) * sizeof *offsets));
    OK(graph_read(made, rows->ends, 0, ends, made->n_edges * sizeof *ends));
    if (made->weight_type)
        OK(graph_read(made, rows->weights, 0, weights,
                      made->n_edges * (made->weight_type == GRAVEL_DOUBLE ? 8 : 4)));
    MUST_OF(graph, rows->n_rows == (is_push ? made->n_slots : made->n_own));
    MUST_OF(graph, offsets[0] == 0 && offsets[rows->n_rows] == made->n_edges);
    for (uint32_t row = 0; row < rows->n_rows; row++)
        for (uint32_t e = offsets[row]; e < offsets[row + 1]; e++) {
            MUST_OF(graph, ends[e] < n_ends);
            MUST_OF(graph, e == offsets[row] || ends[e - 1] <= ends[e]);
            edges[e] = (struct seen){made->vertex_of[is_push ? row : ends[e]],
                                     made->vertex_of[first + (is_push ? ends[e] : row)], 0,
                                     graph_weight(made->weight_type, weights, e)};
        }
    qsort(edges, made->n_edges, sizeof *edges, compare_seen);
    free(offsets);
    free(ends);
    free(weights);
    return edges;
}

static struct seen *read_given(const struct gravel_graph *made, const struct graph_of_test *graph)
{
    struct seen *edges = must_calloc(made->n_edges, sizeof *edges);
    for (uint64_t e = 0; e < made->n_edges; e++)
        edges[e] = (struct seen){made->vertex_of[made->from[e]],
                                 made->vertex_of[graph_first_slot(made) + made->to[e]],
                                 graphs_first_edge(graph, GRAPH_GIVEN_NODE(made->given[e])) +
                                     GRAPH_GIVEN_PLACE(made->given[e]),
                                 graph_weight(made->weight_type, made->weights, e)};
    qsort(edges, made->n_edges, sizeof *edges, compare_seen);
    return edges;
}

static void check_edges(struct gravel_graph *made, const struct graph_of_test *graph)
{
    uint64_t n;
    uint32_t *slots = slots_of(made, graph);
    struct seen *wanted = expected(made, graph, slots, &n), *seen[N_TURNED];
    MUST_OF(graph, made->n_edges == n);
    for (int again = 0; again < 2; again++) { /* rows that are there stay */
        OK(graph_need_push(made));
        OK(graph_need_pull(made));
    }
    seen[0] = read_given(made, graph);
    seen[1] = read_rows(made, graph, &made->push, true);
    seen[2] = read_rows(made, graph, &made->pull, false);
    for (int way = 0; way < N_TURNED; way++) {
        for (uint64_t i = 0; i < n; i++) {
            const struct seen *is = &seen[way][i], *due = &wanted[i];
            MUST_OF(graph, is->from == due->from && is->to == due->to && is->weight == due->weight);
            MUST_OF(graph, way > 0 || is->given == due->given);
        }
        free(seen[way]);
    }
    free(wanted);
    free(slots);
}

TEST(every_vertex_has_the_edges_that_were_given)
{
    graphs_each(check_edges);
}

/* ---- slots ------------------------------------------------------------------------------------- */

static void check_order(struct gravel_graph *made, const struct graph_of_test *graph)
{
    uint32_t *slots = slots_of(made, graph),
             *degrees = must_calloc(graph->n_vertices, sizeof *degrees);
    uint64_t sums[2] = {0, 0};
    for (uint64_t i = 0; i < graph->n_edges; i++) {
        degrees[graph->from[i]]++;
        degrees[graph->to[i]]++;
    }
    for (uint64_t rank = 0; rank < graph->n_vertices; rank++) {
        const uint64_t node = rank % made->n_nodes, before = (rank - 1) % made->n_nodes;
        const uint32_t v = made->vertex_of[node * made->block + rank / made->n_nodes],
                       u = rank ? made->vertex_of[before * made->block + (rank - 1) / made->n_nodes]
                                : v;
        MUST_OF(graph, degrees[u] > degrees[v] || (degrees[u] == degrees[v] && u <= v));
        sums[0] = sums[0] * 31 + v;
    }
    MUST_OF(graph, made->n_own <= made->block && made->block % 64 == 0);
    for (uint32_t i = 0; i < made->block; i++)
        MUST_OF(graph, (made->vertex_of[graph_first_slot(made) + i] != GRAPH_NO_SLOT) ==
                           (i < made->n_own));
    for (uint64_t i = 0; i < made->n_results; i++)
        MUST_OF(graph, made->slot_of[i] == slots[made->first + i]);
    if (made->n_nodes > 1) { /* the same at every node */
        sums[1] = ~sums[0];
        OK(gravel_reduce(node_of_graphs, GRAVEL_MIN, GRAVEL_ULONG, sums, 2));
        MUST_OF(graph, sums[0] == ~sums[1]);
    }
    free(slots);
    free(degrees);
}

TEST(slots_are_in_order_of_degree_dealt_in_turn_and_the_same_at_every_node)
{
    graphs_each_without_weights(check_order);
}

static void check_results(struct gravel_graph *made, const struct graph_of_test *graph)
{
    uint64_t *words = must_calloc(made->n_slots, sizeof *words),
             *picked = must_calloc(made->n_results, 8);
    uint32_t *narrow = must_calloc(made->n_slots, sizeof *narrow),
             *picked_narrow = must_calloc(made->n_results, 4), *slots = slots_of(made, graph), slot;
    for (uint32_t i = 0; i < made->block; i++) {
        const uint32_t own = graph_first_slot(made) + i;
        words[own] = made->vertex_of[own] * UINT64_C(0x100000001);
        narrow[own] = ~made->vertex_of[own];
    }
    OK(graph_share(made, "test", 0, words, sizeof *words));
    OK(graph_share(made, "test", 0, narrow, sizeof *narrow));
    for (uint32_t i = 0; i < made->n_slots; i++)
        MUST_OF(graph, words[i] == made->vertex_of[i] * UINT64_C(0x100000001) &&
                           narrow[i] == ~made->vertex_of[i]);
    /* Whole, and own ones. */
    for (uint32_t is_whole = 0; is_whole < 2; is_whole++) {
        cl_mem wide = NULL, thin = NULL;
        const uint64_t n = is_whole ? made->n_slots : made->n_own,
                       at = is_whole ? 0 : graph_first_slot(made);
        OK(graph_buffer(made, &wide, words + at, n * sizeof *words));
        OK(graph_buffer(made, &thin, narrow + at, n * sizeof *narrow));
        OK(graph_results(made, "test", wide, is_whole, sizeof *words, picked));
        OK(graph_results(made, "test", thin, is_whole, sizeof *narrow, picked_narrow));
        OK(graph_results(made, "test", thin, is_whole, sizeof *narrow, NULL));
        for (uint64_t i = 0; i < made->n_results; i++)
            MUST_OF(graph, picked[i] == (made->first + i) * UINT64_C(0x100000001) &&
                               picked_narrow[i] == ~(uint32_t)(made->first + i));
        graph_release(made, &wide);
        graph_release(made, &thin);
    }
    for (uint64_t v = 0; v < graph->n_vertices; v += 1 + graph->n_vertices / 50) {
        OK(graph_slot(made, "test", v, &slot));
        MUST_OF(graph, slot == slots[v]);
    }
    MUST_OF(graph, graph_slot(made, "test", graph->n_vertices, &slot) == GRAVEL_EINVAL);
    MUST_OF(graph, strstr(gravel_last_error(), "test: vertex"));
    if (made->n_nodes > 1)
        MUST_OF(graph, graph_slot(made, "test", made->node, &slot) == GRAVEL_EMISMATCH);
    free(words);
    free(picked);
    free(narrow);
    free(picked_narrow);
    free(slots);
}

TEST(words_of_slots_are_shared_and_picked_for_the_callers_vertices)
{
    graphs_each_without_weights(check_results);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static const uint64_t ends[] = {0, 1, 1, 2}, beyond[] = {0, 1, 3, 2},
                      far_beyond[] = {0, UINT64_C(1) << 32, 1, 2};
static const uint32_t short_ends[] = {0, 1, 1, 2}, short_beyond[] = {0, 1, 2, 7};
static const float floats[] = {0, 1, 2, 3}, negative[] = {0, -0.5f, 2, 3},
                   not_a_number[] = {0, 1, NAN, 3}, infinite[] = {0, 1, 2, INFINITY};
static const double doubles[] = {0, 1, 2, 3}, negatives[] = {-1e-300, 1, 2, 3};

#pragma GCC diagnostic ignored "-Woverride-init" /* what is wrong replaces what is good */
#define GOOD .n_vertices = 3, .n_edges = 4, .from = ends, .to = ends

static const struct refusal {
    const char *part; /* of the text */
    struct gravel_graph_edges edges;
} refusals[] = {
    {"edges.bytes is 8", GRAVEL_GRAPH_EDGES(GOOD, .bytes = 8)},
    {"n_vertices is 4294967296", GRAVEL_GRAPH_EDGES(GOOD, .n_vertices = UINT64_C(1) << 32)},
    {"n_edges is 1099511627776", GRAVEL_GRAPH_EDGES(GOOD, .n_edges = UINT64_C(1) << 40)},
    {"id_bytes is 2", GRAVEL_GRAPH_EDGES(GOOD, .id_bytes = 2)},
    {"is_undirected is 2", GRAVEL_GRAPH_EDGES(GOOD, .is_undirected = 2)},
    {"from is NULL", GRAVEL_GRAPH_EDGES(GOOD, .from = NULL)},
    {"to is NULL", GRAVEL_GRAPH_EDGES(GOOD, .to = NULL)},
    {"weight_type is 0, and", GRAVEL_GRAPH_EDGES(GOOD, .weights = floats)},
    {"weights is NULL", GRAVEL_GRAPH_EDGES(GOOD, .weight_type = GRAVEL_FLOAT)},
    {"weight_type is 3", GRAVEL_GRAPH_EDGES(GOOD, .weights = floats, .weight_type = GRAVEL_ULONG)},
    {"from[2] is 3 (below n_vertices, 3)", GRAVEL_GRAPH_EDGES(GOOD, .from = beyond)},
    {"to[2] is 3 (", GRAVEL_GRAPH_EDGES(GOOD, .to = beyond)},
    {"to[1] is 4294967296 (", GRAVEL_GRAPH_EDGES(GOOD, .to = far_beyond)},
    {"to[3] is 7 (",
     GRAVEL_GRAPH_EDGES(GOOD, .from = short_ends, .to = short_beyond, .id_bytes = 4)},
    {"from[0] is 0 (below n_vertices, 0)", GRAVEL_GRAPH_EDGES(GOOD, .n_vertices = 0)},
    {"weights[1] is -0.5",
     GRAVEL_GRAPH_EDGES(GOOD, .weights = negative, .weight_type = GRAVEL_FLOAT)},
    {"weights[2] is nan",
     GRAVEL_GRAPH_EDGES(GOOD, .weights = not_a_number, .weight_type = GRAVEL_FLOAT)},
    {"weights[3] is inf",
     GRAVEL_GRAPH_EDGES(GOOD, .weights = infinite, .weight_type = GRAVEL_FLOAT)},
    {"weights[0] is -1e-300",
     GRAVEL_GRAPH_EDGES(GOOD, .weights = negatives, .weight_type = GRAVEL_DOUBLE)},
};

static const struct gravel_graph_edges good = GRAVEL_GRAPH_EDGES(GOOD),
                                       none = GRAVEL_GRAPH_EDGES(.n_vertices = 3);

static void expect_refused(const struct gravel_graph_edges *edges, int code, const char *part)
{
    struct gravel_graph *graph = (void *)&graph;
    const int is = gravel_graph_create(&graph, node_of_graphs, edges);
    if (is != code || graph || !strstr(gravel_last_error(), part) ||
        strncmp(gravel_last_error(), "gravel_graph_create: ", 21))
        die(__FILE__, __LINE__, "%s: %s instead: %s", part, gravel_strerror(is),
            gravel_last_error());
}

static void expect_of_use(void)
{
    struct gravel_graph *graph;
    OK(gravel_graph_create(&graph, node_of_graphs, &good));
    OK(graph_need_push(graph));
    OK(gravel_graph_destroy(graph));
}

TEST(what_all_nodes_give_wrongly_is_refused)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        expect_refused(&refusals[i].edges, GRAVEL_EINVAL, refusals[i].part);
    expect_refused(NULL, GRAVEL_EINVAL, "edges is NULL");
    assert_int_equal(gravel_graph_create(NULL, node_of_graphs, &good), GRAVEL_EINVAL);
    assert_non_null(strstr(gravel_last_error(), "gravel_graph_create: out is NULL"));
    expect_of_use();
}

TEST(null_is_refused_or_allowed)
{
    struct gravel_graph *graph = (void *)&graph;
    struct gravel_graph_facts facts;
    assert_int_equal(gravel_graph_create(&graph, NULL, &good), GRAVEL_EINVAL);
    assert_null(graph);
    assert_int_equal(gravel_graph_facts_read(NULL, &facts, sizeof facts), GRAVEL_EINVAL);
    for (const struct graphs_call *call = graphs_calls; call->name; call++)
        expect_code(call->make(NULL, &facts), GRAVEL_EINVAL, call->name);
    OK(gravel_graph_destroy(NULL));
}

TEST(what_one_node_gives_wrongly_is_refused_at_all_of_them)
{
    const uint32_t node = gravel_node(node_of_graphs), n_nodes = graphs_n_givers();
    if (n_nodes == 1)
        skip_because("there is one node");
    const bool is_last = node == n_nodes - 1;
    char failed[64];
    snprintf(failed, sizeof failed, "failed at node %u, which says why: invalid argument",
             n_nodes - 1);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        struct gravel_graph_edges others = good; /* alike, except for what is wrong */
        others.n_vertices = refusal->edges.n_vertices == 0 ? 0 : 3;
        others.n_edges = others.n_vertices ? 4 : 0;
        others.weight_type =
            refusal->edges.weight_type == GRAVEL_ULONG ? 0 : refusal->edges.weight_type;
        others.weights = others.weight_type == GRAVEL_DOUBLE  ? (const void *)doubles
                         : others.weight_type == GRAVEL_FLOAT ? floats
                                                              : NULL;
        expect_refused(is_last ? &refusal->edges : &others,
                       is_last ? GRAVEL_EINVAL : GRAVEL_EMISMATCH,
                       is_last ? refusal->part : failed);
    }
    expect_of_use();
}

TEST(nodes_that_disagree_are_refused)
{
    if (graphs_n_givers() == 1)
        skip_because("there is one node");
    static const struct refusal different[] = {
        {"n_vertices is 3 at one node and 4 at another", GRAVEL_GRAPH_EDGES(GOOD, .n_vertices = 4)},
        {"is_undirected is 0 at one node and 1 at another",
         GRAVEL_GRAPH_EDGES(GOOD, .is_undirected = 1)},
        {"weight_type is 0 at one node and 4 at another",
         GRAVEL_GRAPH_EDGES(GOOD, .weights = floats, .weight_type = GRAVEL_FLOAT)},
    };
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        expect_refused(gravel_node(node_of_graphs) == 0 ? &different[i].edges : &good,
                       GRAVEL_EMISMATCH, different[i].part);
    expect_of_use();
}

TEST(a_node_may_give_no_edges)
{
    struct gravel_graph *graph;
    struct gravel_graph_facts facts;
    OK(gravel_graph_create(&graph, node_of_graphs,
                           gravel_node(node_of_graphs) == 0 ? &good : &none));
    OK(gravel_graph_facts_read(graph, &facts, sizeof facts));
    assert_int_equal(facts.n_vertices, 3);
    assert_int_equal(facts.n_edges, 4);
    assert_int_equal(facts.n, graph->n_results);
    assert_true(facts.device_bytes == 0 && facts.create_ns > 0);
    OK(gravel_graph_destroy(graph));
}
