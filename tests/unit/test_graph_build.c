/* SPDX-License-Identifier: MIT */
/*
 * Rows, transposes, symmetry and the block partition.
 *
 * Path: meson test -> this -> apps/graph/build.h, graph.h, partition.h
 */
#include "cases.h"
#include "frame/random.h"
#include "graph/build.h"

#include <stdlib.h>

struct list {
    const struct graph_edge *edges;
    uint64_t n_edges;
};

static void list_edges(const void *source, const struct graph_asked *asked, graph_visit *visit,
                       void *context)
{
    const struct list *list = source;
    const struct block_range edges = graph_asked_share(asked, list->n_edges);
    for (uint64_t i = edges.first; i < edges.last; i++)
        visit(context, list->edges[i]);
}

static struct graph build(uint64_t n_vertices, const struct graph_edge *edges, uint64_t n_edges)
{
    const struct list list = {edges, n_edges};
    const struct graph_stream stream = {list_edges, &list, GRAPH_UINT, false};
    const struct partition all = partition_blocks(n_vertices, 1);
    struct graph graph;
    assert_int_equal(graph_build_rows(&graph, &all, 0, &stream), 0);
    assert_true(graph_is_sound(&graph));
    return graph;
}

static struct graph_edge edge(uint32_t from, uint32_t to, uint32_t weight)
{
    return (struct graph_edge){from, to, {weight}};
}

enum { N_RANDOM = 5000, N_VERTICES = 300 };

static struct graph random_graph(struct graph_edge *list)
{
    for (uint64_t i = 0; i < N_RANDOM; i++) {
        uint64_t number = random_at(7, i);
        list[i] = edge((uint32_t)(number % N_VERTICES), (uint32_t)((number >> 32) % N_VERTICES),
                       (uint32_t)i);
    }
    return build(N_VERTICES, list, N_RANDOM);
}

/* Checked by scanning the list for each row: its entries in the list's order. */
TEST(build_keeps_every_edge_in_order)
{
    static struct graph_edge list[N_RANDOM];
    struct graph graph = random_graph(list);
    for (uint32_t u = 0; u < N_VERTICES; u++) {
        uint64_t e = graph.offsets[u];
        for (uint64_t i = 0; i < N_RANDOM; i++) {
            if (list[i].from != u)
                continue;
            assert_int_equal(graph.neighbours[e], list[i].to);
            assert_int_equal(graph.weights[e++].as_uint, list[i].weight.as_uint);
        }
        assert_int_equal(e, graph.offsets[u + 1]);
    }
    graph_free(&graph);
}

TEST(transpose_turns_every_edge_with_its_weight)
{
    static struct graph_edge list[N_RANDOM];
    struct graph graph = random_graph(list), turned;
    assert_int_equal(graph_transpose(&turned, &graph), 0);
    assert_true(graph_is_sound(&turned));
    assert_int_equal(turned.n_edges, N_RANDOM);
    for (uint32_t v = 0; v < N_VERTICES; v++)
        for (uint64_t e = turned.offsets[v]; e < turned.offsets[v + 1]; e++) {
            /* A weight is its edge's number, so it tells which edge this was. */
            const struct graph_edge *was = &list[turned.weights[e].as_uint];
            assert_true(was->to == v && was->from == turned.neighbours[e]);
            assert_true(e == turned.offsets[v] || turned.neighbours[e - 1] <= turned.neighbours[e]);
        }
    graph_free(&turned);
    graph_free(&graph);
}

TEST(unsound_graphs_and_mismatches_are_found)
{
    struct graph_mismatch mismatch;
    const struct graph_edge list[] = {edge(0, 1, 0), edge(1, 0, 0), edge(2, 1, 0), edge(1, 2, 0),
                                      edge(2, 1, 0)};
    for (uint64_t n = 4; n <= 5; n++) { /* the last is a duplicate, one way only */
        struct graph graph = build(3, list, n);
        assert_int_equal(graph_find_mismatch(&graph, &mismatch), 0);
        assert_int_equal(mismatch.was_found, n == 5);
        assert_true(n == 4 || (mismatch.from == 2 && mismatch.to == 1));
        graph.neighbours[1] = 3;
        assert_false(graph_is_sound(&graph));
        graph.neighbours[1] = 0;
        graph.offsets[1] = 4;
        assert_false(graph_is_sound(&graph));
        graph_free(&graph);
    }
}

/* Every vertex has one owner, whose range holds it at its index. */
TEST(partition_covers_each_vertex_once)
{
    for (uint64_t n = 0; n < 40; n++)
        for (uint32_t n_nodes = 1; n_nodes < 50; n_nodes++) {
            uint64_t block = block_of(n, n_nodes), next = 0;
            for (uint32_t node = 0; node < n_nodes; node++) {
                struct block_range range = block_range(n, n_nodes, node);
                assert_int_equal(range.first, next);
                assert_true(range.last - range.first <= block);
                for (uint64_t v = range.first; v < range.last; v++) {
                    assert_int_equal(block_owner(v, block), node);
                    assert_int_equal(block_index(v, block), v - range.first);
                }
                next = range.last;
            }
            assert_int_equal(next, n);
        }
}

TEST(partition_of_huge_counts_does_not_overflow)
{
    assert_int_equal(block_of(UINT64_MAX, 2), (UINT64_C(1) << 63));
    struct block_range range = block_range(UINT64_MAX, UINT32_MAX, UINT32_MAX - 1);
    assert_true(range.first <= range.last);
    assert_int_equal(range.last, UINT64_MAX);
    assert_int_equal(block_range(UINT64_MAX, 3, 2).last, UINT64_MAX);
}
