/* SPDX-License-Identifier: MIT */
/*
 * Generated graphs: size, symmetry, shape, and the same for a seed everywhere.
 *
 * Path: meson test -> this -> apps/graph/generate.h
 */
#include "frame/random.h"
#include "graph/generate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

enum { KRONECKER, UNIFORM, N_KINDS };

static struct graph generate(bool is_uniform, unsigned scale, unsigned degree, uint64_t seed)
{
    struct edge_numbers numbers;
    struct graph graph;
    assert_int_equal(edge_numbers_of(&numbers, is_uniform, scale, degree, seed), 0);
    const struct graph_stream stream = edge_numbers_stream(&numbers);
    const struct partition all = partition_blocks(UINT64_C(1) << scale, 1);
    assert_int_equal(graph_build_rows(&graph, &all, 0, &stream), 0);
    return graph;
}

static uint64_t fingerprint(const struct graph *graph)
{
    uint64_t hash = 0;
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            hash = random_mix(hash ^ (u << 32 | graph->neighbours[e]));
    return hash;
}

static uint64_t fingerprint_of(bool is_uniform, unsigned scale, unsigned degree, uint64_t seed)
{
    struct graph graph = generate(is_uniform, scale, degree, seed);
    uint64_t hash = fingerprint(&graph);
    graph_free(&graph);
    return hash;
}

static void graph_has_the_size_asked_for_and_is_symmetric(void **state)
{
    (void)state;
    for (int k = 0; k < N_KINDS; k++)
        for (unsigned scale = 0; scale <= 12; scale++) {
            struct graph graph = generate(k, scale, 5, 3);
            struct graph_mismatch mismatch;
            assert_int_equal(graph.n_vertices, 1u << scale);
            assert_int_equal(graph.n_edges, 2 * 5u << scale); /* the sum of all degrees */
            assert_true(graph_is_sound(&graph));
            assert_int_equal(graph_find_mismatch(&graph, &mismatch), 0);
            assert_false(mismatch.was_found);
            graph_free(&graph);
        }
}

static void same_seed_gives_the_same_graph_and_another_does_not(void **state)
{
    (void)state;
    for (int k = 0; k < N_KINDS; k++) {
        uint64_t hash = fingerprint_of(k, 10, 16, 1);
        assert_int_equal(fingerprint_of(k, 10, 16, 1), hash);
        assert_int_not_equal(fingerprint_of(k, 10, 16, 2), hash);
        assert_int_not_equal(fingerprint_of(k, 10, 16, 0), hash);
    }
}

/* Both numbers come from a second implementation, in Python; who differs has lost determinism. */
static void graph_is_the_same_on_every_machine(void **state)
{
    (void)state;
    assert_int_equal(fingerprint_of(KRONECKER, 10, 16, 1), 0x50eb68efdaf29bdc);
    assert_int_equal(fingerprint_of(UNIFORM, 10, 16, 1), 0xd150bd9588812e32);
}

static int compare_degrees(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Share of all entries that the tenth of the vertices with the highest degrees has. */
static double share_of_top_tenth(const struct graph *graph)
{
    uint64_t n = graph->n_vertices, sum = 0, *degrees = malloc(n * sizeof *degrees);
    assert_non_null(degrees);
    for (uint64_t u = 0; u < n; u++)
        degrees[u] = graph_degree(graph, u);
    qsort(degrees, n, sizeof *degrees, compare_degrees);
    for (uint64_t i = 0; i < n / 10; i++)
        sum += degrees[i];
    free(degrees);
    return (double)sum / (double)graph->n_edges;
}

static void kronecker_is_skewed_and_uniform_is_not(void **state)
{
    (void)state;
    struct graph graph = generate(KRONECKER, 14, 16, 1);
    assert_true(share_of_top_tenth(&graph) > 0.6);
    graph_free(&graph);
    graph = generate(UNIFORM, 14, 16, 1);
    assert_true(share_of_top_tenth(&graph) < 0.2);
    graph_free(&graph);
}

/*
 * Of one level, an end is in the upper half with C + D = .24. Without the shuffle, half the
 * vertices would hold .76 of all ends; with it, blocks of vertices, and so nodes, have like shares.
 */
static void kronecker_order_is_shuffled_over_blocks(void **state)
{
    (void)state;
    struct graph graph = generate(KRONECKER, 16, 16, 1);
    double half = (double)graph.offsets[graph.n_vertices / 2] / (double)graph.n_edges;
    assert_true(half > 0.4 && half < 0.6);
    graph_free(&graph);
}

/* At scale 1 a vertex is one draw: 2 A + B + C = 1.52 of 2 ends lie on one vertex, loops on it are
 * A = .57. */
static void kronecker_draws_have_their_probabilities(void **state)
{
    (void)state;
    struct graph graph = generate(KRONECKER, 1, 65536, 9);
    uint64_t heavy = graph_degree(&graph, 1) > graph_degree(&graph, 0), n_loops = 0;
    for (uint64_t e = graph.offsets[heavy]; e < graph.offsets[heavy + 1]; e++)
        n_loops += graph.neighbours[e] == heavy;
    double n_entries = (double)graph.n_edges;
    assert_true(fabs((double)graph_degree(&graph, heavy) / n_entries - 0.76) < 0.01);
    assert_true(fabs((double)n_loops / n_entries - 0.57) < 0.01);
    graph_free(&graph);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < N_KINDS; k++) {
        struct edge_numbers numbers;
        assert_int_equal(edge_numbers_of(&numbers, k, GENERATE_MAX_SCALE + 1, 16, 1), -EINVAL);
        assert_int_equal(edge_numbers_of(&numbers, k, 4, 0, 1), -EINVAL);
        assert_int_equal(edge_numbers_of(&numbers, k, 4, GENERATE_MAX_DEGREE + 1, 1), -EINVAL);
        assert_int_equal(numbers.n_edges, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_has_the_size_asked_for_and_is_symmetric),
        cmocka_unit_test(same_seed_gives_the_same_graph_and_another_does_not),
        cmocka_unit_test(graph_is_the_same_on_every_machine),
        cmocka_unit_test(kronecker_is_skewed_and_uniform_is_not),
        cmocka_unit_test(kronecker_order_is_shuffled_over_blocks),
        cmocka_unit_test(kronecker_draws_have_their_probabilities),
        cmocka_unit_test(sizes_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
