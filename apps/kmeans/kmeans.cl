/* SPDX-License-Identifier: MIT */
/*
 * One round of k-means: every point finds the nearest centre and adds itself to that cluster's sums, wherever
 * they live.
 *
 * With KMEANS_ACCUMULATE, of whole numbers, an accumulator of all sums takes what is added, instead of messages.
 *
 * The host defines N_CLUSTERS, N_DIMENSIONS, BLOCK (clusters of a node), GROUP_ITEMS (work-items of a full
 * group), N_SLICES (of a group's points, for sum_group) and, for the form in whole numbers, KMEANS_FIXED: then
 * coordinates are below 2^14, so that no squared distance in up to 16 dimensions reaches 2^32. A group takes fewer
 * than 2^24 points, so that a float can count them.
 *
 * Points are [N_DIMENSIONS][stride], so that neighbouring work-items read neighbouring words; stride is n_points, and
 * what a last work-item takes beyond. Centres are [N_CLUSTERS][N_DIMENSIONS] in every node's own heap. Sums are
 * [BLOCK][N_COLUMNS] of what points add, at the cluster's node. In whole numbers the last column counts points: so all
 * messages have one operation and one base, and GPUs bin them in long runs. A float could not count far, so the other form
 * has counts [BLOCK].
 *
 * Path:    round.c launches it -> gravel_add; label and total -> reference.c
 * Source:  Lloyd, Least squares quantization in PCM, 1982; Orr 2016, section 5.4.
 */
#include "gravel.cl.h"
#ifdef KMEANS_ACCUMULATE
#include "accumulator.cl.h"
#define MORE , GRAVEL_ACCUMULATOR(a)
#else
#define MORE
#endif

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

#ifdef KMEANS_FIXED
typedef uint coordinate; /* not ushort: PoCL would not vectorize */
typedef uint centre_type;
typedef uint distance_type;
typedef ulong sum_type;
typedef uint difference_type; /* its square is right, also of a negative one */
#define FARTHEST UINT_MAX
#ifdef KMEANS_ACCUMULATE
#define ADD_SUM(g, base, index, value, node) gravel_accumulate_ulong_wi(g, a, index, value, node)
#define ADD_SUM_IF(g, active, base, index, value, node)           \
    do {                                                          \
        (void)(base);                                             \
        if (active)                                               \
            gravel_accumulate_ulong_wi(g, a, index, value, node); \
    } while (0)
#else
#define ADD_SUM gravel_add_ulong_wg
#define ADD_SUM_IF gravel_add_ulong_wg_if
#endif
/* What a point adds to its cluster's sum. */
#define ADDEND(x, centre) (x)
#define COUNT_ONE(g, cluster) ADD_SUM(g, sums, SUM_OF(cluster, N_DIMENSIONS), 1, NODE_OF(cluster))
#define COUNT_IF(g, active, cluster, n) \
    ADD_SUM_IF(g, active, sums, SUM_OF(cluster, N_DIMENSIONS), n, NODE_OF(cluster))
#else
typedef float coordinate;
typedef float centre_type;
typedef float distance_type;
typedef float sum_type;
typedef float difference_type;
#define FARTHEST MAXFLOAT
#define ADD_SUM gravel_add_float_wg
#define ADD_SUM_IF gravel_add_float_wg_if
/* How far it is off: such sums stay near 0, where floats are dense. */
#define ADDEND(x, centre) ((x) - (centre))
#define COUNT_ONE(g, cluster) gravel_inc_ulong_wg(g, counts, (cluster) % BLOCK, NODE_OF(cluster))
#define COUNT_IF(g, active, cluster, n) \
    gravel_add_ulong_wg_if(g, active, counts, (cluster) % BLOCK, n, NODE_OF(cluster))
#endif

#define N_WORDS (N_CLUSTERS * N_DIMENSIONS)
#define N_COLUMNS (N_DIMENSIONS + 1)
#define SUM_OF(cluster, column) ((cluster) % BLOCK * N_COLUMNS + (column))
#define NODE_OF(cluster) ((cluster) / BLOCK)

struct nearest {
    uint cluster;
    distance_type distance;
};

/*
 * The nearest centre to point x[lane], whose next coordinate is `stride` further on; of several equally near, the
 * first. Written for compilers that turn a group into vectors: no branch, and neighbours in memory.
 */
INLINE struct nearest find_nearest(global const coordinate *restrict x, ulong stride, size_t lane,
                                   global const centre_type *restrict centres)
{
    struct nearest best = {0, FARTHEST};
#pragma unroll
    for (uint c = 0; c < N_CLUSTERS; c++) {
        distance_type distance = 0;
#pragma unroll
        for (uint d = 0; d < N_DIMENSIONS; d++) {
            difference_type difference = (difference_type)x[d * stride + lane] -
                                         (difference_type)centres[c * N_DIMENSIONS + d];
            distance += (distance_type)(difference * difference);
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
 * label: [stride] each point's cluster. sums, counts (of floats only), centres: heap offsets. When it ends, all is sent.
 */
kernel void assign(GRAVEL_ARENA, ulong first, global const coordinate *restrict points,
                   ulong stride, global uchar *restrict label, ulong centres_offset, ulong sums,
                   ulong counts MORE)
{
    GRAVEL_OPEN(g);
    global const centre_type *restrict centres = gravel_local(g, centres_offset);
    ulong point = first + get_global_id(0);
    uint c = find_nearest(points + first, stride, get_global_id(0), centres).cluster;
    label[point] = (uchar)c;
    for (uint d = 0; d < N_DIMENSIONS; d++)
        ADD_SUM(g, sums, SUM_OF(c, d),
                ADDEND(points[d * stride + point], centres[c * N_DIMENSIONS + d]), NODE_OF(c));
    COUNT_ONE(g, c);
}

/*
 * A group's own sums: of coordinates, and behind them the count. Points of a slice are summed by N_COLUMNS work-items,
 * one for each, so that no two add to the same word. (PoCL 3.1 compiles a separate count, to which one work-item alone adds,
 * wrongly for one cluster and small groups.)
 */
#define N_SUMS (N_CLUSTERS * N_COLUMNS)

struct group_sums {
    uchar cluster[GROUP_ITEMS];
    sum_type sums[N_SLICES][N_SUMS];
};

INLINE void clear_group(local struct group_sums *group)
{
    local sum_type *sums = &group->sums[0][0];
    for (uint i = get_local_id(0); i < N_SLICES * N_SUMS; i += get_local_size(0))
        sums[i] = 0;
}

/* Work-item (slice, column): add that coordinate of the slice's points, or count them. */
INLINE void sum_slice(local struct group_sums *group, uint slice, uint column, uint n_here,
                      global const coordinate *restrict x,
                      global const centre_type *restrict centres)
{
    bool is_count = column == N_DIMENSIONS;
    uint d = is_count ? 0 : column, end = (slice + 1) * n_here / N_SLICES;
    for (uint i = slice * n_here / N_SLICES; i < end; i++) {
        uint c = group->cluster[i];
        group->sums[slice][c * N_COLUMNS + column] +=
            is_count ? 1 : ADDEND(x[i], centres[c * N_DIMENSIONS + d]);
    }
}

/* Add up the points [begin, begin + n_here), which the group has just labelled. */
INLINE void sum_group(local struct group_sums *group, ulong begin, uint n_here,
                      global const coordinate *restrict points, ulong stride,
                      global const centre_type *restrict centres)
{
    for (uint i = get_local_id(0); i < N_SLICES * N_COLUMNS; i += get_local_size(0)) {
        uint slice = i / N_COLUMNS, column = i % N_COLUMNS;
        sum_slice(group, slice, column, n_here,
                  points + (column < N_DIMENSIONS ? column : 0) * stride + begin, centres);
    }
}

/* All slices of one sum. */
INLINE sum_type sum_of(local struct group_sums *group, uint i)
{
    sum_type sum = 0;
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
kernel void assign_combined(GRAVEL_ARENA, ulong first, global const coordinate *restrict points,
                            ulong stride, global uchar *restrict label, ulong centres_offset,
                            ulong sums, ulong counts, ulong n_points, uint per_item MORE)
{
    GRAVEL_OPEN(g);
    local struct group_sums group;
    global const centre_type *restrict centres = gravel_local(g, centres_offset);
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
        sum_group(&group, begin, n_here, points, stride, centres);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint w = 0; w < N_WORDS; w += n_lanes) {
        uint word = w + lane < N_WORDS ? w + lane : 0;
        uint c = word / N_DIMENSIONS, d = word % N_DIMENSIONS;
        uint active = w + lane < N_WORDS && sum_of(&group, c * N_COLUMNS + N_DIMENSIONS) > 0;
        ADD_SUM_IF(g, active, sums, SUM_OF(c, d), sum_of(&group, c * N_COLUMNS + d), NODE_OF(c));
    }
    for (uint w = 0; w < N_CLUSTERS; w += n_lanes) {
        uint c = w + lane < N_CLUSTERS ? w + lane : 0;
        ulong count = (ulong)sum_of(&group, c * N_COLUMNS + N_DIMENSIONS);
        COUNT_IF(g, w + lane < N_CLUSTERS && count > 0, c, count);
    }
}

/*
 * How well the centres fit: the sum of squared distances, group by group.
 *
 * Global size: this node's points from number `first`; local size: GROUP_ITEMS, or all in one group.
 * totals: [groups] of this node. Sends nothing.
 */
kernel void measure(GRAVEL_ARENA, ulong first, global const coordinate *restrict points,
                    ulong stride, ulong centres_offset, global sum_type *restrict totals)
{
    GRAVEL_OPEN(g);
    local distance_type distances[GROUP_ITEMS];
    global const centre_type *restrict centres = gravel_local(g, centres_offset);
    ulong point = first + get_global_id(0);
    distances[get_local_id(0)] =
        find_nearest(points + first, stride, get_global_id(0), centres).distance;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        sum_type total = 0;
        for (size_t i = 0; i < get_local_size(0); i++)
            total += distances[i];
        totals[point / GROUP_ITEMS] = total;
    }
}
