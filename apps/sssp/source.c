/* SPDX-License-Identifier: MIT */
/*
 * Draw the vertex where a search begins: one with edges; the caller tells how many a vertex has.
 *
 * Path: open.c, bench/bench_sssp.c -> this
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "sssp/problem.h"
#include "frame/random.h"

/* How often SSSP_TRIED vertices are drawn. */
enum { N_TRIES = 16 };

bool sssp_draw_source(uint64_t *source, uint64_t n_vertices, uint64_t seed,
                      sssp_degrees *get_degrees, void *context)
{
    uint64_t key = random_mix(random_key(seed)), vertices[SSSP_TRIED], degrees[SSSP_TRIED];
    for (uint64_t try = 0; try < N_TRIES; try++) {
        for (uint64_t i = 0; i < SSSP_TRIED; i++)
            vertices[i] = random_at(key, try * SSSP_TRIED + i) % n_vertices;
        get_degrees(context, vertices, degrees);
        for (uint32_t i = 0; i < SSSP_TRIED; i++) {
            *source = vertices[i];
            if (degrees[i])
                return true;
        }
    }
    return false;
}
