/* SPDX-License-Identifier: MIT */
/*
 * Choose the width of a bucket: by weights, degrees and size of the whole graph, and by what a round costs.
 *
 * Narrow buckets spare relaxations and cost rounds. What all nodes choose by is exact and the same on any number of
 * nodes, and so are the rounds.
 *
 * Path: open.c -> this -> distance.c
 * Owner: nothing outlives a call.
 * Threads: main's.
 */
#include "sssp.h"

#include <math.h>
#include <string.h>

/* Weights are summed in units of this part of the heaviest, as integers, whose sum is the same in any order. */
#define UNITS 0x1p24

/* A graph with fewer edges than these takes buckets wider by as much, for its rounds would cost more than what they
 * spare. Measured: on PoCL the best widths of meshes, bands and Kronecker graphs of 2^16 to 2^20 vertices, on an H100
 * those of Kronecker graphs of 2^18 and 2^22. */
#define EDGES_OF_ROUNDS_BY_COPIES 0x1p26
#define EDGES_OF_ROUNDS 0x1p24

static double weight_of(const struct graph *rows, uint64_t e)
{
    return rows->weights_are == GRAPH_FLOAT ? (double)rows->weights[e].as_float
                                            : (double)rows->weights[e].as_uint;
}

static double find_heaviest(struct sssp *sssp)
{
    double heaviest = 0;
    for (uint64_t e = 0; e < sssp->part.rows.n_edges; e++)
        heaviest = fmax(heaviest, weight_of(&sssp->part.rows, e));
    TRY(gravel_reduce(sssp->node.gravel, GRAVEL_MAX, GRAVEL_DOUBLE, &heaviest, 1));
    return heaviest;
}

static double find_mean_weight(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    double heaviest = find_heaviest(sssp);
    uint64_t sum = 0;
    for (uint64_t e = 0; heaviest > 0 && e < rows->n_edges; e++)
        sum += (uint64_t)(weight_of(rows, e) / heaviest * UNITS);
    sum = node_sum(&sssp->node, sum);
    return heaviest * (double)sum / UNITS / fmax((double)sssp->part.survey.n_edges, 1);
}

static double edges_of_rounds(struct sssp *sssp)
{
    const char *step = gravel_step(sssp->node.gravel);
    bool copies = !strcmp(step, "pump") || !strcmp(step, "drain");
    return node_most(&sssp->node, copies) ? EDGES_OF_ROUNDS_BY_COPIES : EDGES_OF_ROUNDS;
}

double sssp_choose_width(struct sssp *sssp)
{
    const struct graph_survey *survey = &sssp->part.survey;
    double wider = edges_of_rounds(sssp) / fmax((double)survey->n_edges, 1);
    return sssp_width(sssp->form, survey->n_vertices, survey->n_edges,
                      find_mean_weight(sssp) * fmax(wider, 1));
}
