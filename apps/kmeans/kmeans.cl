/* SPDX-License-Identifier: MIT */
/*
 * One round of k-means: every point finds the nearest centre and adds itself to that cluster's sums, wherever
 * they live.
 *
 * The host defines N_CLUSTERS, N_DIMENSIONS, BLOCK (clusters of a node), GROUP_ITEMS (work-items of a full
 * group) and N_SLICES (of a group's points, for sum_group). Coordinates are below 2^14, so that no squared distance in up
 * to 16 dimensions reaches 2^32.
 *
 * Points are [N_DIMENSIONS][stride], so that neighbouring work-items read neighbouring words; stride is n_points, and
 * what a last work-item takes beyond. Centres are [N_CLUSTERS][N_DIMENSIONS] in every node's own heap. Sums are
 * [BLOCK][N_COLUMNS] of what points add, at the cluster's node; the last column counts points: so all messages have one
 * operation and one base, and GPUs bin them in long runs.
 *
 * Path:    kmeans.c launches it -> gravel_add; label and total -> check.c
 * Source:  Lloyd, Least squares quantization in PCM, 1982; Orr 2016, section 5.4.
 */
#include "gravel.cl.h"

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

#define N_WORDS (N_CLUSTERS * N_DIMENSIONS)
#define N_COLUMNS (N_DIMENSIONS + 1)
#define SUM_OF(cluster, column) ((cluster) % BLOCK * N_COLUMNS + (column))
#define NODE_OF(cluster) ((cluster) / BLOCK)

struct nearest {
    uint cluster;
    uint distance;
};

/*
 * The nearest centre to point x[lane], whose next coordinate is `stride` further on; of several equally near, the
 * first. Written for compilers that turn a group into vectors: no branch, neighbours in memory, and no narrower words.
 */
INLINE struct nearest find_nearest(global const uint *restrict x, ulong stride, size_t lane,
                                   global const uint *restrict centres)
{
    struct nearest best = {0, UINT_MAX};
#pragma unroll
    for (uint c = 0; c < N_CLUSTERS; c++) {
        uint distance = 0;
#pragma unroll
        for (uint d = 0; d < N_DIMENSIONS; d++) {
            uint difference = x[d * stride + lane] - centres[c * N_DIMENSIONS + d];
            distance += difference * difference; /* right, also of a negative one */
        }
        best.cluster = distance < best.distance ? c : best.cluster;
        best.distance = distance < best.distance ? distance : best.distance;
    }
    return best;
}

/*
 * A message for each coordinate of each point, and one to count it.
 *
 * Global size: this node's points from number `first`; local size: any.
 * label: [stride] each point's cluster. sums, centres: heap offsets. When it ends, all is sent.
 */
kernel void assign(GRAVEL_ARENA, ulong first, global const uint *restrict points, ulong stride,
                   global uchar *restrict label, ulong centres_offset, ulong sums)
{
    GRAVEL_OPEN(g);
    global const uint *restrict centres = gravel_local(g, centres_offset);
    ulong point = first + get_global_id(0);
    uint c = find_nearest(points + first, stride, get_global_id(0), centres).cluster;
    label[point] = (uchar)c;
    for (uint d = 0; d < N_DIMENSIONS; d++)
        gravel_add_ulong_wg(g, sums, SUM_OF(c, d), points[d * stride + point], NODE_OF(c));
    gravel_add_ulong_wg(g, sums, SUM_OF(c, N_DIMENSIONS), 1, NODE_OF(c));
}

/*
 * A group's own sums: of coordinates, and behind them the count. Points of a slice are summed by N_COLUMNS work-items,
 * one for each, so that no two add to the same word. (PoCL 3.1 compiles a separate count, to which one work-item alone adds,
 * wrongly for one cluster and small groups.)
 */
#define N_SUMS (N_CLUSTERS * N_COLUMNS)

struct group_sums {
    uchar cluster[GROUP_ITEMS];
    ulong sums[N_SLICES][N_SUMS];
};

INLINE void clear_group(local struct group_sums *group)
{
    local ulong *sums = &group->sums[0][0];
    for (uint i = get_local_id(0); i < N_SLICES * N_SUMS; i += get_local_size(0))
        sums[i] = 0;
}

/* Work-item (slice, column): add that coordinate of the slice's points, or count them. */
INLINE void sum_slice(local struct group_sums *group, uint slice, uint column, uint n_here,
                      global const uint *restrict x)
{
    bool is_count = column == N_DIMENSIONS;
    uint end = (slice + 1) * n_here / N_SLICES;
    for (uint i = slice * n_here / N_SLICES; i < end; i++) {
        uint c = group->cluster[i];
        group->sums[slice][c * N_COLUMNS + column] += is_count ? 1 : x[i];
    }
}

/* Add up the points [begin, begin + n_here), which the group has just labelled. */
INLINE void sum_group(local struct group_sums *group, ulong begin, uint n_here,
                      global const uint *restrict points, ulong stride)
{
    for (uint i = get_local_id(0); i < N_SLICES * N_COLUMNS; i += get_local_size(0)) {
        uint slice = i / N_COLUMNS, column = i % N_COLUMNS;
        sum_slice(group, slice, column, n_here,
                  points + (column < N_DIMENSIONS ? column : 0) * stride + begin);
    }
}

/* All slices of one sum. */
INLINE ulong sum_of(local struct group_sums *group, uint i)
{
    ulong sum = 0;
    for (uint slice = 0; slice < N_SLICES; slice++)
        sum += group->sums[slice][i];
    return sum;
}

/*
 * Points are added up inside the work-group first: messages for each cluster of a group, not for each point.
 *
 * Global size: from `first`, as many as take this node's points with per_item each; local size: GROUP_ITEMS, or
 * all in one group. A group's points are neighbours; points past n_points, which is the rest of the last group,
 * are labelled and not added.
 */
kernel void assign_combined(GRAVEL_ARENA, ulong first, global const uint *restrict points,
                            ulong stride, global uchar *restrict label, ulong centres_offset,
                            ulong sums, ulong n_points, uint per_item)
{
    GRAVEL_OPEN(g);
    local struct group_sums group;
    global const uint *restrict centres = gravel_local(g, centres_offset);
    uint lane = get_local_id(0), n_lanes = get_local_size(0);
    ulong begin = (first + get_global_id(0) - lane) * per_item;
    clear_group(&group);
    for (uint i = 0; i < per_item; i++, begin += n_lanes) {
        ulong left = begin < n_points ? n_points - begin : 0;
        uint n_here = left < n_lanes ? (uint)left : n_lanes;
        uint c = find_nearest(points + begin, stride, get_local_id(0), centres).cluster;
        group.cluster[get_local_id(0)] = (uchar)c;
        label[begin + get_local_id(0)] = (uchar)c;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum_group(&group, begin, n_here, points, stride);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint w = 0; w < N_WORDS; w += n_lanes) {
        uint word = w + lane < N_WORDS ? w + lane : 0;
        uint c = word / N_DIMENSIONS, d = word % N_DIMENSIONS;
        uint active = w + lane < N_WORDS && sum_of(&group, c * N_COLUMNS + N_DIMENSIONS) > 0;
        gravel_add_ulong_wg_if(g, active, sums, SUM_OF(c, d), sum_of(&group, c * N_COLUMNS + d),
                               NODE_OF(c));
    }
    for (uint w = 0; w < N_CLUSTERS; w += n_lanes) {
        uint c = w + lane < N_CLUSTERS ? w + lane : 0;
        ulong count = sum_of(&group, c * N_COLUMNS + N_DIMENSIONS);
        gravel_add_ulong_wg_if(g, w + lane < N_CLUSTERS && count > 0, sums, SUM_OF(c, N_DIMENSIONS),
                               count, NODE_OF(c));
    }
}

/*
 * Measures how well the centres fit: the sum of squared distances, group by group.
 *
 * Global size: this node's points from number `first`; local size: GROUP_ITEMS, or all in one group.
 * totals: [groups] of this node. Sends nothing.
 */
kernel void measure(GRAVEL_ARENA, ulong first, global const uint *restrict points, ulong stride,
                    ulong centres_offset, global ulong *restrict totals)
{
    GRAVEL_OPEN(g);
    local uint distances[GROUP_ITEMS];
    global const uint *restrict centres = gravel_local(g, centres_offset);
    ulong point = first + get_global_id(0);
    distances[get_local_id(0)] =
        find_nearest(points + first, stride, get_global_id(0), centres).distance;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        ulong total = 0;
        for (size_t i = 0; i < get_local_size(0); i++)
            total += distances[i];
        totals[point / GROUP_ITEMS] = total;
    }
}
