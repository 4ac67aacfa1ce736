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
 * Path:    rounds.c -> this -> kmeans.cl, chapter5/kmeans.cl
 * Source:  Lloyd, Least squares quantization in PCM, 1982; Orr 2016, section 5.4.
 */
#include "gravel.cl.h"

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

#define N_COLUMNS (N_DIMENSIONS + 1)
#define SUM_OF(cluster, column) ((cluster) % BLOCK * N_COLUMNS + (column))
#define NODE_OF(cluster) ((cluster) / BLOCK)

struct nearest {
    uint cluster;
    uint distance;
};

/* Returns the nearest centre to a point; of several equally near, the first. Without a branch, so that compilers turn a loop
 * over points, or a group, into vectors. */
INLINE struct nearest find_nearest(global const uint *restrict points, ulong n_points, ulong point,
                                   global const uint *restrict centres)
{
    struct nearest best = {0, UINT_MAX};
#pragma unroll
    for (uint c = 0; c < N_CLUSTERS; c++) {
        uint distance = 0;
#pragma unroll
        for (uint d = 0; d < N_DIMENSIONS; d++) {
            uint difference = points[d * n_points + point] - centres[c * N_DIMENSIONS + d];
            distance += difference * difference; /* right, also of a negative one */
        }
        best.cluster = distance < best.distance ? c : best.cluster;
        best.distance = distance < best.distance ? distance : best.distance;
    }
    return best;
}

/*
 * Measures how well the centres fit: the sum of squared distances of each work-item's points.
 *
 * Global size: from number `first`, as many as take n_points with per_item each; local size: any. A work-item's points are
 * neighbours. totals: [work-items]. Sends nothing.
 */
kernel void measure(GRAVEL_ARENA, ulong first, global const uint *restrict points, ulong n_points,
                    uint per_item, ulong centres_at, global ulong *restrict totals)
{
    GRAVEL_OPEN(g);
    global const uint *restrict centres = gravel_local(g, centres_at);
    const ulong item = first + get_global_id(0), begin = item * per_item,
                end = min(begin + per_item, n_points);
    ulong total = 0;
    for (ulong point = begin; point < end; point++)
        total += find_nearest(points, n_points, point, centres).distance;
    totals[item] = total;
}
