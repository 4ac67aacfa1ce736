/* SPDX-License-Identifier: MIT */
/*
 * Generated meshes and bands have the statistics of the published inputs that they stand for.
 *
 * Path: meson test -> this -> apps/graph/mesh.h, band.h
 */
#include "generated_graph.h"

#include <math.h>
#include <stdlib.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

struct statistics {
    uint64_t least, most; /* degree */
    double mean;
    double remote; /* share of entries that leave their block of 8 */
};

static struct statistics measure(const struct graph *graph)
{
    struct statistics s = {.least = UINT64_MAX, .mean = (double)graph->n_edges};
    uint64_t block = block_of(graph->n_vertices, 8);
    for (uint64_t u = 0; u < graph->n_vertices; u++) {
        uint64_t degree = graph_degree(graph, u);
        s.least = degree < s.least ? degree : s.least;
        s.most = degree > s.most ? degree : s.most;
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            s.remote += graph->neighbours[e] / block != u / block;
    }
    s.mean /= (double)graph->n_vertices;
    s.remote /= (double)graph->n_edges;
    return s;
}

static uint64_t n_reached(const struct graph *graph)
{
    uint64_t n = 0, n_seen = 1;
    uint32_t *queue = malloc(graph->n_vertices * sizeof *queue);
    bool *is_seen = calloc(graph->n_vertices, sizeof *is_seen);
    queue[0] = 0;
    is_seen[0] = true;
    for (; n < n_seen; n++)
        for (uint64_t e = graph->offsets[queue[n]]; e < graph->offsets[queue[n] + 1]; e++)
            if (!is_seen[graph->neighbours[e]]) {
                is_seen[graph->neighbours[e]] = true;
                queue[n_seen++] = graph->neighbours[e];
            }
    free(queue);
    free(is_seen);
    return n;
}

static void mesh_is_like_hugebubbles(void **state)
{
    (void)state;
    struct graph_options options = generated(GRAPH_FROM_MESH, 500000);
    struct graph graph = whole_graph(&options);
    struct graph_mismatch mismatch;
    struct statistics s = measure(&graph);
    print_message("mesh: %llu vertices, degree %llu to %llu, mean %.4f, %.1f %% remote of 8\n",
                  (unsigned long long)graph.n_vertices, (unsigned long long)s.least,
                  (unsigned long long)s.most, s.mean, 100 * s.remote);
    assert_true(graph.n_vertices >= 500000 && graph.n_vertices < 505000);
    assert_int_equal(s.least, 2);
    assert_int_equal(s.most, 3);
    assert_true(s.mean > 2.99 && s.mean < 3);
    assert_true(s.remote > 0.30 && s.remote < 0.37);
    assert_int_equal(graph_find_mismatch(&graph, &mismatch), 0);
    assert_false(mismatch.was_found);
    assert_int_equal(n_reached(&graph), graph.n_vertices);
    uint64_t n_edges = graph.n_edges;
    for (uint64_t u = 0; u < graph.n_vertices; u++)
        for (uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; e++)
            assert_int_not_equal(graph.neighbours[e], u);
    uint32_t *numbers = malloc(graph.n_vertices * sizeof *numbers);
    for (uint32_t v = 0; v < graph.n_vertices; v++)
        numbers[v] = v;
    graph_make_simple(&graph, numbers);
    assert_int_equal(graph.n_edges, n_edges); /* no edge was there twice */
    free(numbers);
    graph_free(&graph);
}

/* Coarse triangles of a mesh without bubbles are a brick wall: 3 by 2 of them a ring of six. */
static void smallest_mesh_is_a_ring(void **state)
{
    (void)state;
    struct graph_part part = {.options = generated(GRAPH_FROM_MESH, 6)};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        part_survey(&part, seed, (struct part_wish){0});
        if (part.survey.n_vertices == 6)
            break;
        mesh_close(&part.mesh);
    }
    assert_int_equal(part.survey.n_edges, 12);
    struct graph graph;
    part_whole(&graph, &part);
    part_close(&part);
    assert_int_equal(n_reached(&graph), 6);
    for (uint64_t u = 0; u < 6; u++)
        assert_int_equal(graph_degree(&graph, u), 2);
    graph_free(&graph);
}

static void band_is_like_cage15(void **state)
{
    (void)state;
    struct graph_options options = generated(GRAPH_FROM_BAND, 300000);
    struct graph graph = whole_graph(&options);
    struct graph_mismatch mismatch;
    struct statistics s = measure(&graph);
    print_message("band: degree %llu to %llu, mean %.4f, %.1f %% remote of 8\n",
                  (unsigned long long)s.least, (unsigned long long)s.most, s.mean, 100 * s.remote);
    assert_int_equal(graph.n_vertices, 300000);
    assert_true(s.least >= 2 && s.least <= 5);
    assert_true(s.most >= 38 && s.most <= 48);
    assert_true(fabs(s.mean - 19.244) < 0.05);
    assert_true(fabs(s.remote - 0.165) < 0.01);
    assert_int_equal(graph_find_mismatch(&graph, &mismatch), 0);
    assert_false(mismatch.was_found);
    for (uint64_t u = 0; u < graph.n_vertices; u++)
        for (uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; e++)
            assert_true(llabs((long long)graph.neighbours[e] - (long long)u) <= 300000 / 20);
    graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_is_like_hugebubbles),
        cmocka_unit_test(smallest_mesh_is_a_ring),
        cmocka_unit_test(band_is_like_cage15),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
