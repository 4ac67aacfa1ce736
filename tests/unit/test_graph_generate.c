/* SPDX-License-Identifier: MIT */
/*
 * Generated graphs: size, symmetry, shape, and the same for a seed everywhere.
 *
 * Path: meson test -> this, linked with --wrap for side_by_side_threads -> apps/graph/generate.h
 */
#include "cases.h"
#include "frame/random.h"
#include "graph/side_by_side.h"
#include "graph/generate.h"

#include <stdlib.h>
#include <string.h>

enum { KRONECKER, UNIFORM, N_KINDS };

static uint32_t n_threads = 1; /* that build rows */

uint32_t __wrap_side_by_side_threads(void);
uint32_t __wrap_side_by_side_threads(void)
{
    return n_threads;
}

/* Turning sorts rows, so a graph turned twice and once is the same if it is symmetric. */
static void assert_symmetric(const struct graph *graph)
{
    struct graph once, twice;
    assert_int_equal(graph_transpose(&once, graph), 0);
    assert_int_equal(graph_transpose(&twice, &once), 0);
    assert_memory_equal(once.offsets, twice.offsets, (graph->n_vertices + 1) * sizeof(uint64_t));
    assert_memory_equal(once.neighbours, twice.neighbours, graph->n_edges * sizeof(uint32_t));
    graph_free(&once);
    graph_free(&twice);
}

static struct graph generate(bool is_uniform, unsigned scale, unsigned degree, uint64_t seed)
{
    struct edge_numbers numbers;
    struct graph graph;
    assert_int_equal(edge_numbers_of(&numbers, is_uniform, scale, degree, seed), 0);
    const struct graph_stream stream = edge_numbers_stream(&numbers);
    const struct partition all = partition_blocks(UINT64_C(1) << scale, 1);
    assert_int_equal(graph_build_rows(&graph, &all, 0, &stream), 0);
    assert_int_equal(graph.n_vertices, 1u << scale);
    assert_int_equal(graph.n_edges, 2 * (uint64_t)degree << scale); /* the sum of all degrees */
    assert_true(graph_is_sound(&graph));
    assert_symmetric(&graph);
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

/* Whatever the number of threads. Both numbers come from a second implementation, in Python. */
TEST(graph_is_the_same_on_every_machine)
{
    for (int k = 0; k < N_KINDS; k++)
        assert_int_not_equal(fingerprint_of(k, 0, 5, 2), fingerprint_of(k, 10, 16, 0));
    for (n_threads = 1; n_threads <= SIDE_BY_SIDE_MOST; n_threads++) {
        assert_int_equal(fingerprint_of(KRONECKER, 10, 16, 1), 0x50eb68efdaf29bdc);
        assert_int_equal(fingerprint_of(UNIFORM, 10, 16, 1), 0xd150bd9588812e32);
    }
    n_threads = 1;
}
