/* SPDX-License-Identifier: MIT */
/*
 * How wide buckets are: narrow ones spare relaxations and cost rounds. The first one's width is chosen by weights,
 * degrees and size of the whole graph, and by what a round costs; the next ones' by how many vertices wait. What all
 * nodes choose by is exact and the same on any number of nodes, and so are the rounds.
 *
 * Path:    sssp.c -> this -> problem.c
 * Threads: main's, of each node.
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003.
 */
#include "sssp/sssp.h"

#include <math.h>
#include <string.h>

/* ---- the first bucket ------------------------------------------------------------------------- */

/* A graph with fewer edges than these takes buckets wider by as much, for its rounds would cost more than what they
 * spare. Measured: on PoCL the best widths of meshes, bands and Kronecker graphs of 2^16 to 2^20 vertices; on H200s
 * Kronecker graphs of 2^22 and 2^24, and with --stay a mesh of 2^18. */
#define EDGES_OF_ROUNDS_BY_COPIES 0x1p27
#define EDGES_OF_ROUNDS 0x1p24
#define EDGES_OF_ROUNDS_THAT_STAY 0x1p22

/* Where a round waits for copies: vertices that take as long. */
#define WORTH_OF_ROUNDS_BY_COPIES 0x1p20

/* Weights are summed in units of this part of the heaviest, as integers, whose sum is the same in any order. */
#define UNITS 0x1p24

/* Returns the mean weight of the whole graph's edges, exactly alike on any number of nodes; 0 without any. Collective. */
static double mean_weight(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    double heaviest = 0;
    uint64_t sum = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        heaviest = fmax(heaviest, graph_weight(rows, e));
    TRY(gravel_reduce(sssp->node.gravel, GRAVEL_MAX, GRAVEL_DOUBLE, &heaviest, 1));
    for (uint64_t e = 0; heaviest > 0 && e < rows->n_edges; e++)
        sum += (uint64_t)(graph_weight(rows, e) / heaviest * UNITS);
    sum = node_sum(&sssp->node, sum);
    return heaviest * (double)sum / UNITS / fmax((double)sssp->part.survey.n_edges, 1);
}

void sssp_choose_widths(struct sssp *sssp)
{
    const struct graph_survey *survey = &sssp->part.survey;
    const char *step = gravel_step(sssp->node.gravel);
    bool copies = node_most(&sssp->node, !strcmp(step, "pump") || !strcmp(step, "drain"));
    bool is_chosen = sssp->delta == SSSP_CHOOSE_WIDTH;
    if (is_chosen) {
        const double many = copies        ? EDGES_OF_ROUNDS_BY_COPIES
                            : sssp->stays ? EDGES_OF_ROUNDS_THAT_STAY
                                          : EDGES_OF_ROUNDS;
        double wider = many / fmax((double)survey->n_edges, 1);
        sssp->delta = sssp_width(sssp->is_float, survey->n_vertices, survey->n_edges,
                                 mean_weight(sssp) * fmax(wider, 1));
    }
    if (sssp->worth == SSSP_CHOOSE_WIDTH)
        sssp->worth = is_chosen && copies && !sssp->stays ? WORTH_OF_ROUNDS_BY_COPIES : 0;
}

/* ---- the next ones ---------------------------------------------------------------------------- */

/* What is listed no longer grows from bucket to bucket by more than this: the search has passed its widest front. */
#define MOST_GROWTH 2
#define WIDER 4

double sssp_next_width(const struct sssp *sssp, double width, double *density)
{
    const double n_listed = (double)sssp->n_listed, before = *density;
    *density = n_listed / width;
    const double n_worth = sssp->worth * (double)sssp->n_gathers;
    if (n_listed >= n_worth || *density > MOST_GROWTH * before)
        return width;
    return sssp->is_float ? width * WIDER : fmin(width * WIDER, UINT32_MAX);
}
