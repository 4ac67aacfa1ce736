/* SPDX-License-Identifier: MIT */
/*
 * The check: PageRank by pulling, serially, over the whole graph turned round.
 *
 * It adds in fixed point: that form must agree in every bit, and the float form nearly.
 *
 * Path: pagerank.c -> this
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "pagerank.h"

#include <math.h>
#include <stdlib.h>

/* Of each rank. Measured after 20 iterations: at most 6e-7 on meshes and uniform graphs, 2e-5 on a
 * Kronecker graph of 2^18 vertices, whose hubs add many floats one by one. */
#define FLOAT_TOLERANCE 1e-3

/* One iteration: `next` from `rank`; `share` is scratch. */
static void pull(const struct graph *graph, const struct graph *turned, const uint64_t *rank,
                 uint64_t *share, uint64_t *next)
{
    uint64_t n = graph->n_vertices, idle = 0;
    uint64_t base = (RANK_ONE - DAMP_FIXED(RANK_ONE)) / n;
    for (uint64_t u = 0; u < n; u++) {
        uint64_t degree = graph_degree(graph, u);
        share[u] = degree ? rank[u] / degree : 0;
        idle += degree ? 0 : rank[u];
    }
    for (uint64_t v = 0; v < n; v++) {
        uint64_t sum = idle / n;
        for (uint64_t e = turned->offsets[v]; e < turned->offsets[v + 1]; e++)
            sum += share[turned->neighbours[e]];
        next[v] = base + DAMP_FIXED(sum);
    }
}

/* Computes the ranks of all vertices serially. @return  [n_vertices] to be freed. */
static uint64_t *rank_serially(const struct graph *graph, const struct graph *turned,
                               uint64_t n_iterations)
{
    const uint64_t n = graph->n_vertices;
    uint64_t *rank = app_array(n, sizeof *rank, "the check");
    uint64_t *next = app_array(n, sizeof *next, "the check");
    uint64_t *share = app_array(n, sizeof *share, "the check");
    for (uint64_t v = 0; v < n; v++)
        rank[v] = RANK_ONE / n;
    for (uint64_t i = 0; i < n_iterations; i++) {
        pull(graph, turned, rank, share, next);
        uint64_t *previous = rank;
        rank = next;
        next = previous;
    }
    free(next);
    free(share);
    return rank;
}

/* A NaN is wrong. */
static bool is_near(cl_float rank, uint64_t expected)
{
    const double right = (double)expected / (double)RANK_ONE;
    return fabs((double)rank - right) <= FLOAT_TOLERANCE * right;
}

uint64_t check_ranks(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    struct graph graph, turned = {0};
    const bool is_symmetric = pagerank->part.survey.is_symmetric, is_fixed = pagerank->is_fixed;
    const uint64_t n_own = pagerank->part.rows.n_vertices;
    uint64_t n_wrong = 0;
    (void)trials;
    part_whole(&graph, &pagerank->part);
    if (!is_symmetric && graph_transpose(&turned, &graph))
        die("no memory to turn %llu edges round", (unsigned long long)graph.n_edges);
    uint64_t *expected = rank_serially(&graph, is_symmetric ? &graph : &turned, pagerank->n_done);
    void *own = app_array(n_own, sizeof(union rank), "the check");
    node_read(&pagerank->node, pagerank->rank,
              n_own * (is_fixed ? sizeof(cl_ulong) : sizeof(cl_float)), own);
    for (uint64_t i = 0; i < n_own; i++) {
        const uint64_t right = expected[pagerank->part.first + i];
        n_wrong += is_fixed ? ((const cl_ulong *)own)[i] != right
                            : !is_near(((const cl_float *)own)[i], right);
    }
    free(own);
    free(expected);
    graph_free(&turned);
    graph_free(&graph);
    return n_wrong;
}
