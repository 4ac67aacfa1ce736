/* SPDX-License-Identifier: MIT */
/*
 * The nearest centre to a point.
 *
 * The host defines N_CLUSTERS, N_DIMENSIONS and BLOCK (clusters of a node). Coordinates are below 2^14, so that no squared
 * distance in up to 16 dimensions reaches 2^32.
 *
 * Points are [N_DIMENSIONS][n_points], so that neighbouring work-items read neighbouring words. Centres are
 * [N_CLUSTERS][N_DIMENSIONS] in every node's own heap. Sums are [BLOCK][N_COLUMNS] of what points add, at the cluster's
 * node; the last column counts points: so all messages have one operation and one base, and GPUs bin them in long runs.
 *
 * Path:    kmeans.c -> this -> kmeans.cl, chapter5/kmeans.cl
 * Source:  Lloyd, Least squares quantization in PCM, 1982; Orr 2016, section 5.4.
 */
#include "gravel.cl.h"

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

#define N_COLUMNS (N_DIMENSIONS + 1)
#define SUM_OF(cluster, column) ((cluster) % BLOCK * N_COLUMNS + (column))
#define NODE_OF(cluster) ((cluster) / BLOCK)

/* Returns the nearest centre to a point; of several equally near, the first. Without a branch, so that compilers turn a loop
 * over points, or a group, into vectors. */
INLINE uint find_nearest(global const uint *restrict points, ulong n_points, ulong point,
                         global const uint *restrict centres)
{
    uint nearest = 0, least = UINT_MAX;
#pragma unroll
    for (uint c = 0; c < N_CLUSTERS; c++) {
        uint distance = 0;
#pragma unroll
        for (uint d = 0; d < N_DIMENSIONS; d++) {
            uint difference = points[d * n_points + point] - centres[c * N_DIMENSIONS + d];
            distance += difference * difference; /* right, also of a negative one */
        }
        nearest = distance < least ? c : nearest;
        least = distance < least ? distance : least;
    }
    return nearest;
}
