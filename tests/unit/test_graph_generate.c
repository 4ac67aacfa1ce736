/* SPDX-License-Identifier: MIT */
/*
 * Generated graphs: size, symmetry, shape, and the same for a seed everywhere.
 *
 * Path: meson test -> this -> apps/graph/graph.h
 */
#include "cases.h"
#include "graph_rows.h"
#include "frame/random.h"

#ifdef _OPENMP
#include <omp.h>
#else
#define omp_set_num_threads(n) (void)(n)
#endif

enum { MOST_THREADS = 16 };

static struct graph generate(graph_generate *kind, unsigned scale, unsigned degree, uint64_t seed)
{
    struct graph graph;
    const struct graph_stream stream = kind(scale, degree, seed);
    graph_build(&graph, &stream);
    assert_int_equal(graph.n_vertices, 1u << scale);
    assert_int_equal(graph.n_edges, 2 * (uint64_t)degree << scale); /* the sum of all degrees */
    assert_int_equal(stream.n_edges, graph.n_edges);
    assert_true(rows_are_sound(&graph));
    assert_true(rows_are_symmetric(&graph));
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

static uint64_t fingerprint_of(graph_generate *kind, unsigned scale, unsigned degree, uint64_t seed)
{
    struct graph graph = generate(kind, scale, degree, seed);
    uint64_t hash = fingerprint(&graph);
    graph_free(&graph);
    return hash;
}

/* Whatever the number of threads. Both numbers come from a second implementation, in Python. */
TEST(graph_is_the_same_on_every_machine)
{
    graph_generate *const kinds[] = {kronecker_stream, uniform_stream};
    for (int k = 0; k < 2; k++)
        assert_int_not_equal(fingerprint_of(kinds[k], 0, 5, 2),
                             fingerprint_of(kinds[k], 10, 16, 0));
    for (int n_threads = 1; n_threads <= MOST_THREADS; n_threads++) {
        omp_set_num_threads(n_threads);
        assert_int_equal(fingerprint_of(kronecker_stream, 10, 16, 1), 0x2445a60b6c5c4682);
        assert_int_equal(fingerprint_of(uniform_stream, 10, 16, 1), 0x5527cee30fc0e624);
    }
}
