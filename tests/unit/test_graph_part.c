/* SPDX-License-Identifier: MIT */
/*
 * A node's rows: together they are the whole graph, from files and generators, in every partition.
 *
 * Path: meson test -> this -> apps/graph/part.h
 */
#include "cases.h"
#include "graph/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 7

static const enum graph_partition partitions[] = {
    GRAPH_BY_BLOCK,
    GRAPH_BY_HASH,
#ifdef APPS_METIS
    GRAPH_BY_METIS,
#endif
};
#define N_PARTITIONS (sizeof partitions / sizeof *partitions)

static struct graph_options generated(enum graph_source source, unsigned size)
{
    return (struct graph_options){.source = source, .scale = size, .degree = 3, .n_vertices = size};
}

static struct graph_options from_file(const char *path)
{
    return (struct graph_options){.source = GRAPH_FROM_FILE, .file = path};
}

/* A part that is surveyed. */
static struct graph_part surveyed(const struct graph_options *options, struct part_wish wish)
{
    struct graph_part part = {.options = *options};
    part_survey(&part, 1, wish);
    return part;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Is row u of a part row v of the whole, perhaps in another order? Weights count. */
static void assert_same_row(const struct graph *part, uint64_t u, const struct graph *whole,
                            uint64_t v)
{
    uint64_t n = graph_degree(whole, v), *a = malloc((n + 1) * 8), *b = malloc((n + 1) * 8);
    assert_int_equal(graph_degree(part, u), n);
    assert_int_equal(part->weights_are, whole->weights_are);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t e = part->offsets[u] + i, f = whole->offsets[v] + i;
        a[i] = (uint64_t)part->neighbours[e] << 32 | (part->weights ? part->weights[e].as_uint : 0);
        b[i] =
            (uint64_t)whole->neighbours[f] << 32 | (whole->weights ? whole->weights[f].as_uint : 0);
    }
    qsort(a, n, sizeof *a, compare);
    qsort(b, n, sizeof *b, compare);
    assert_memory_equal(a, b, n * sizeof *a);
    free(a);
    free(b);
}

/* Each vertex is at exactly one node, with its row. */
static void assert_parts_are(const struct graph *whole, const struct graph_options *options,
                             struct part_wish wish, uint32_t n_nodes)
{
    uint64_t n_found = 0, n_edges = 0;
    for (uint32_t node = 0; node < n_nodes; node++) {
        struct graph_part part = surveyed(options, wish);
        assert_int_equal(part.survey.n_vertices, whole->n_vertices);
        part_open(&part, n_nodes, node);
        assert_int_equal(part.rows.n_vertices, partition_count(&part.partition, node));
        assert_true(part.rows.n_vertices <= part.partition.block);
        for (uint64_t i = 0; i < part.rows.n_vertices; i++) {
            uint32_t v = part.vertices[i];
            assert_int_equal(partition_owner(&part.partition, v), node);
            assert_int_equal(partition_index(&part.partition, v), i);
            assert_same_row(&part.rows, i, whole, v);
        }
        n_found += part.rows.n_vertices;
        n_edges += part.rows.n_edges;
        part_close(&part);
    }
    assert_int_equal(n_found, whole->n_vertices);
    assert_int_equal(n_edges, whole->n_edges);
}

static void assert_all_parts_are_the_whole(struct graph_options options, struct part_wish wish)
{
    struct graph whole;
    struct graph_part part = surveyed(&options, wish);
    part_whole(&whole, &part);
    assert_true(graph_is_sound(&whole));
    assert_true(!wish.no_weights || !whole.weights);
    if (!wish.is_undirected)
        assert_int_equal(part.survey.n_edges, whole.n_edges);
    part_close(&part);
    for (uint32_t n_nodes = 1; n_nodes <= MOST_NODES; n_nodes++)
        for (size_t i = 0; i < N_PARTITIONS; i++) {
            options.partition = partitions[i];
            assert_parts_are(&whole, &options, wish, n_nodes);
        }
    graph_free(&whole);
}

TEST(parts_are_the_whole)
{
    static const char *const paths[] = {TEST_DATA "/diamond.el",  TEST_DATA "/diamond.graph",
                                        TEST_DATA "/diamond.mtx", TEST_DATA "/diamond.tsv",
                                        TEST_DATA "/diamond.gr",  TEST_DATA "/oneway.wel",
                                        TEST_DATA "/loops.mtx",   TEST_DATA "/oneway-float.wel"};
    static const struct {
        enum graph_source source;
        unsigned size;
        bool is_undirected;
    } made[] = {{GRAPH_FROM_KRONECKER, 6, false}, {GRAPH_FROM_KRONECKER, 8, false},
                {GRAPH_FROM_UNIFORM, 6, true},    {GRAPH_FROM_UNIFORM, 8, true},
                {GRAPH_FROM_MESH, 6, false},      {GRAPH_FROM_MESH, 7, false},
                {GRAPH_FROM_MESH, 5000, false},   {GRAPH_FROM_BAND, 6, false},
                {GRAPH_FROM_BAND, 333, false},    {GRAPH_FROM_BAND, 1, true}};
    for (size_t i = 0; i < 3 * (sizeof paths / sizeof *paths); i++)
        assert_all_parts_are_the_whole(
            from_file(paths[i / 3]),
            (struct part_wish){.is_undirected = i % 3 == 1, .no_weights = i % 3 == 2});
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_all_parts_are_the_whole(generated(made[i].source, made[i].size),
                                       (struct part_wish){.is_undirected = made[i].is_undirected});
}

TEST(survey_knows_directions)
{
    static const struct {
        const char *path;
        bool is_symmetric;
    } rows[] = {{TEST_DATA "/diamond.el", true},  {TEST_DATA "/diamond.gr", true},
                {TEST_DATA "/diamond.mtx", true}, {TEST_DATA "/oneway.wel", false},
                {TEST_DATA "/loops.mtx", false},  {TEST_DATA "/heavy.gr", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char reason[GRAPH_REASON_BYTES];
        struct graph_survey survey;
        assert_true(graph_read_survey(&survey, rows[i].path, false, reason));
        assert_int_equal(survey.is_symmetric, rows[i].is_symmetric);
    }
}

TEST(undirected_rows_are_simple_and_symmetric)
{
    const struct graph_options options = from_file(TEST_DATA "/loops.mtx");
    struct graph_part part = surveyed(&options, (struct part_wish){.is_undirected = true});
    struct graph whole;
    struct graph_mismatch mismatch;
    part_whole(&whole, &part);
    assert_int_equal(graph_find_mismatch(&whole, &mismatch), 0);
    assert_false(mismatch.was_found);
    assert_int_equal(whole.n_edges, 12); /* 1-2 2-3 3-1 3-4 4-5 2-5, both ways */
    for (uint64_t u = 0; u < whole.n_vertices; u++)
        for (uint64_t e = whole.offsets[u]; e < whole.offsets[u + 1]; e++) {
            assert_int_not_equal(whole.neighbours[e], u);
            assert_true(e == whole.offsets[u] || whole.neighbours[e - 1] < whole.neighbours[e]);
        }
    graph_free(&whole);
    part_close(&part);
}

/* A band of edges, which blocks keep whole, is spread; so are the vertices of many edges at the front of a file. */
TEST(hashed_parts_are_alike)
{
    enum { VERTICES = 20000, NODES = 5 };
    struct partition parts;
    assert_int_equal(partition_hash(&parts, VERTICES, NODES), 0);
    for (uint32_t node = 0; node < NODES; node++) {
        uint64_t n_first = 0;
        assert_in_range(partition_count(&parts, node), VERTICES / NODES * 9 / 10,
                        VERTICES / NODES * 11 / 10);
        for (uint64_t v = 0; v < VERTICES / 10; v++)
            n_first += partition_owner(&parts, v) == node;
        assert_in_range(n_first, VERTICES / NODES / 10 * 8 / 10, VERTICES / NODES / 10 * 12 / 10);
    }
    partition_close(&parts);
    assert_int_equal(partition_hash(&parts, VERTICES, 1), 0);
    assert_int_equal(partition_count(&parts, 0), VERTICES);
    partition_close(&parts);
}

TEST(partition_of_huge_counts_does_not_overflow)
{
    assert_int_equal(block_of(UINT64_MAX, 2), (UINT64_C(1) << 63));
    struct block_range range = block_range(UINT64_MAX, UINT32_MAX, UINT32_MAX - 1);
    assert_true(range.first <= range.last);
    assert_int_equal(range.last, UINT64_MAX);
    assert_int_equal(block_range(UINT64_MAX, 3, 2).last, UINT64_MAX);
}
