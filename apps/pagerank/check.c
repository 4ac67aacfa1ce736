/* SPDX-License-Identifier: MIT */
/*
 * The check: PageRank by pulling, serially, over the whole graph turned round.
 *
 * The fixed-point form must agree in every bit. The float form is compared with double precision.
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
static void pull_fixed(const struct graph *graph, const struct graph *turned, const uint64_t *rank,
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

static void pull_real(const struct graph *graph, const struct graph *turned, const double *rank,
                      double *share, double *next)
{
    uint64_t n = graph->n_vertices;
    double idle = 0;
    for (uint64_t u = 0; u < n; u++) {
        uint64_t degree = graph_degree(graph, u);
        share[u] = degree ? rank[u] / (double)degree : 0;
        idle += degree ? 0 : rank[u];
    }
    for (uint64_t v = 0; v < n; v++) {
        double sum = idle / (double)n;
        for (uint64_t e = turned->offsets[v]; e < turned->offsets[v + 1]; e++)
            sum += share[turned->neighbours[e]];
        next[v] = (1 - DAMPING) / (double)n + DAMPING * sum;
    }
}

static uint64_t check_fixed(const struct pagerank *pagerank, const struct graph *graph,
                            const struct graph *turned, const cl_ulong *own)
{
    uint64_t n = graph->n_vertices, n_wrong = 0;
    uint64_t *rank = app_array(n, sizeof *rank, "the check");
    uint64_t *next = app_array(n, sizeof *next, "the check");
    uint64_t *share = app_array(n, sizeof *share, "the check");
    for (uint64_t v = 0; v < n; v++)
        rank[v] = RANK_ONE / n;
    for (uint64_t i = 0; i < pagerank->n_done; i++) {
        pull_fixed(graph, turned, rank, share, next);
        uint64_t *previous = rank;
        rank = next;
        next = previous;
    }
    for (uint64_t i = 0; i < pagerank->part.rows.n_vertices; i++)
        n_wrong += own[i] != rank[pagerank->part.vertices[i]];
    free(rank);
    free(next);
    free(share);
    return n_wrong;
}

static uint64_t check_real(const struct pagerank *pagerank, const struct graph *graph,
                           const struct graph *turned, const cl_float *own)
{
    uint64_t n = graph->n_vertices, n_wrong = 0;
    double *rank = app_array(n, sizeof *rank, "the check");
    double *next = app_array(n, sizeof *next, "the check");
    double *share = app_array(n, sizeof *share, "the check");
    for (uint64_t v = 0; v < n; v++)
        rank[v] = 1 / (double)n;
    for (uint64_t i = 0; i < pagerank->n_done; i++) {
        pull_real(graph, turned, rank, share, next);
        double *previous = rank;
        rank = next;
        next = previous;
    }
    for (uint64_t i = 0; i < pagerank->part.rows.n_vertices; i++) {
        double right = rank[pagerank->part.vertices[i]];
        double off = fabs((double)own[i] - right);
        n_wrong += !(off <= FLOAT_TOLERANCE * right); /* so that a NaN is wrong */
    }
    free(rank);
    free(next);
    free(share);
    return n_wrong;
}

uint64_t check_ranks(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    struct graph graph, turned = {0};
    bool is_symmetric = pagerank->part.survey.is_symmetric;
    (void)trials;
    part_whole(&graph, &pagerank->part);
    if (!is_symmetric && graph_transpose(&turned, &graph))
        die("no memory to turn %llu edges round", (unsigned long long)graph.n_edges);
    uint64_t n_own = pagerank->part.rows.n_vertices;
    void *own = app_array(n_own, sizeof(union rank), "the check");
    size_t rank_bytes = pagerank->is_fixed ? sizeof(cl_ulong) : sizeof(cl_float);
    node_read(&pagerank->node, pagerank->rank, n_own * rank_bytes, own);
    const struct graph *pulled = is_symmetric ? &graph : &turned;
    uint64_t n_wrong = pagerank->is_fixed ? check_fixed(pagerank, &graph, pulled, own)
                                          : check_real(pagerank, &graph, pulled, own);
    free(own);
    graph_free(&turned);
    graph_free(&graph);
    return n_wrong;
}
