/* SPDX-License-Identifier: MIT */
/*
 * The check: Dijkstra's distances over the whole graph.
 *
 * Each distance must agree in every bit, floats too: rounding never turns two sums round, so the
 * least of all paths is the same whichever way it is found.
 *
 * Path: sssp.c -> this -> dijkstra.c
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "sssp.h"

#include <stdlib.h>

uint64_t sssp_check(struct sssp *sssp)
{
    struct graph whole;
    part_whole(&whole, &sssp->part);
    graph_draw_weights(&whole, NULL, sssp->options.seed);
    double start = trials_clock();
    uint64_t *distance = sssp_dijkstra(&whole, sssp->form, sssp->source);
    sssp->check_s = trials_clock() - start;
    uint64_t *own = sssp_read(sssp), n_wrong = 0;
    for (uint64_t i = 0; i < sssp->part.rows.n_vertices; i++)
        n_wrong += own[i] != distance[sssp->part.vertices[i]];
    free(own);
    free(distance);
    graph_free(&whole);
    return n_wrong;
}
