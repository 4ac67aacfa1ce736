/* SPDX-License-Identifier: MIT */
/*
 * One round of k-means: every point finds the nearest centre; a group adds its points up, and sends the sums to the owners of
 * their clusters. With MODELS every point adds itself to its cluster's sums.
 *
 * The host defines N_CLUSTERS, N_DIMENSIONS and BLOCK (clusters of a node). Coordinates are below 2^14, so that no squared
 * distance in up to 16 dimensions reaches 2^32.
 *
 * Points are [N_DIMENSIONS][n_points], so that neighbouring work-items read neighbouring words. Centres are
 * [N_CLUSTERS][N_DIMENSIONS] in every node's own heap. Sums are [BLOCK][N_COLUMNS] of what points add, at the cluster's
 * node; the last column counts points: so all messages have one operation and one base, and GPUs bin them in long runs.
 *
 * A CPU's group is one work-item, whose loops over neighbouring points become vectors; a GPU's work-items read neighbouring
 * points together.
 *
 * Path:    kmeans.c launches it -> gravel_add; label -> kmeans.c
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

#ifdef MODELS
/*
 * Sends a message for each coordinate of each point, and one to count it.
 *
 * Global size: this node's points from number `first`, a work-item each; local size: any.
 * label: [n_points] each point's cluster. sums, centres: heap offsets. When it ends, all is sent.
 */
kernel void assign(GRAVEL_ARENA, ulong first, global const uint *restrict points, ulong n_points,
                   uint per_item, ulong centres_at, global uchar *restrict label, ulong sums)
{
    GRAVEL_OPEN(g);
    global const uint *restrict centres = gravel_local(g, centres_at);
    const ulong point = first + get_global_id(0);
    const uint c = find_nearest(points, n_points, point, centres);
    label[point] = (uchar)c;
    for (uint d = 0; d < N_DIMENSIONS; d++)
        gravel_add_ulong_wg(g, sums, SUM_OF(c, d), points[d * n_points + point], NODE_OF(c));
    gravel_add_ulong_wg(g, sums, SUM_OF(c, N_DIMENSIONS), 1, NODE_OF(c));
}
#else
#define N_SUMS (N_CLUSTERS * N_COLUMNS)
/* Clusters whose sums a work-item makes at once, in registers. */
#define TILE (N_COLUMNS < 40 ? 40 / N_COLUMNS : 1)

/* A work-item's points: `begin`, and from there on every STEP-th, n in all. Compilers of CPUs have to know that it is 1, and make
 * a switch, and no vectors, of a condition for each cluster. */
#if GROUP_ITEMS == 1
#define STEP 1
#define IF(condition, x) ((x) & -(uint)(condition))
#else
#define STEP get_local_size(0)
#define IF(condition, x) ((condition) ? (x) : 0)
#endif
struct points {
    global const uint *coordinates; /* [N_DIMENSIONS][n_points] */
    global uchar *label;            /* [n_points] */
    ulong n_points, begin, n;
};

/* Adds points of the clusters `first` to first + TILE - 1 to the group's sums. */
INLINE void add_tile(local uint *group_sums, uint first, struct points own)
{
    uint sums[TILE][N_COLUMNS] = {{0}};
    for (ulong i = 0; i < own.n; i++) {
        const ulong point = own.begin + i * STEP;
        const uint cluster = own.label[point];
        uint x[N_COLUMNS];
#pragma unroll
        for (uint d = 0; d < N_DIMENSIONS; d++)
            x[d] = own.coordinates[d * own.n_points + point];
        x[N_DIMENSIONS] = 1;
#pragma unroll
        for (uint c = 0; c < TILE; c++)
#pragma unroll
            for (uint column = 0; column < N_COLUMNS; column++)
                sums[c][column] += IF(cluster == first + c, x[column]);
    }
#pragma unroll
    for (uint c = 0; c < TILE; c++)
#pragma unroll
        for (uint column = 0; column < N_COLUMNS; column++)
            if (sums[c][column])
                atomic_add((volatile local uint *)&group_sums[(first + c) * N_COLUMNS + column],
                           sums[c][column]);
}

/*
 * Labels points, and sends the sums of those of each group: a message for each word of a cluster that has some.
 *
 * Global size: from `first`, as many as take n_points with per_item each; local size: any, if a group has at most 2^18
 * points, whose sums fit in 32 bits. A group's points are neighbours.
 * label: [n_points] each point's cluster. sums, centres: heap offsets. When it ends, all is sent.
 */
kernel void assign(GRAVEL_ARENA, ulong first, global const uint *restrict points, ulong n_points,
                   uint per_item, ulong centres_at, global uchar *restrict label, ulong sums)
{
    GRAVEL_OPEN(g);
    local uint group_sums[N_SUMS];
    global const uint *restrict centres = gravel_local(g, centres_at);
    const uint lane = get_local_id(0), n_lanes = get_local_size(0);
    const ulong begin = (first + get_global_id(0) - lane) * per_item + lane;
    const ulong left = begin < n_points ? (n_points - begin + n_lanes - 1) / n_lanes : 0;
    const struct points own = {points, label, n_points, begin, min(left, (ulong)per_item)};
    for (uint w = lane; w < N_SUMS; w += n_lanes)
        group_sums[w] = 0;
    for (ulong i = 0; i < own.n; i++)
        label[begin + i * STEP] = (uchar)find_nearest(points, n_points, begin + i * STEP, centres);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint c = 0; c < N_CLUSTERS; c += TILE)
        add_tile(group_sums, c, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = 0; w < N_SUMS; w += n_lanes) {
        const uint word = w + lane < N_SUMS ? w + lane : 0;
        const uint sum = w + lane < N_SUMS ? group_sums[word] : 0;
        gravel_add_ulong_wg_if(g, sum > 0, sums, SUM_OF(word / N_COLUMNS, word % N_COLUMNS), sum,
                               NODE_OF(word / N_COLUMNS));
    }
}
#endif
