/* SPDX-License-Identifier: MIT */
/*
 * PageRank: each vertex adds up what its sources give, their rank over their weight out, and so has its next rank.
 *
 * Rows are numbered from the longest to the shortest, and summed by teams of LANES work-items. A *strip* is a row, or a
 * part of a long one, whose edges the team shares: its lanes add up every LANES-th one, and their sums are added. Short
 * rows lie side by side in a *slice*, whose columns are interleaved: each lane has a row of its own. With LANES 1, for a
 * CPU, all rows are strips.
 *
 * The host defines T, T2 and T4 (of ranks), GROUP (work-items of a group, a power of two), LANES, and WEIGHTS, their type, if
 * there are any; with several nodes SEVERAL_NODES.
 *
 * Path:    pull.c -> pull -> join -> apply -> total; with several nodes a mirror, take.
 * Memory:  a kernel reads what the one before it in the queue has stored.
 * Source:  Page, Brin, Motwani, Winograd, The PageRank Citation Ranking, 1999; Monakov, Lokhmotov, Avetisyan,
 *          Automatically Tuning Sparse Matrix-Vector Multiplication for GPU Architectures, 2010 (sliced ELLPACK).
 */
#ifdef SEVERAL_NODES
#include "gravel.cl.h"
#endif

/* In pull: what edge i of a strip, or of a slice, gives. */
#ifdef WEIGHTS
typedef WEIGHTS W;
#define GIVEN(i) (given[from[i]] * (T)times[i])
#else
typedef uint W;
#define GIVEN(i) given[from[i]]
#endif

#define OF_GROUP kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void

/* Every work-item: returns to the first of each `width` neighbours, a power of two, their sum. part: [GROUP] */
static T2 sum_of_team(local T2 *part, T2 value, uint width)
{
    const uint at = get_local_id(0), lane = at % width;
    part[at] = value;
#if LANES > 1
    for (uint k = width / 2; k > 0; k /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < k)
            part[at] += part[at + k];
    }
#else /* one thread runs the work-items in turn: no steps */
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 1; lane == 0 && k < width; k++)
        part[at] += part[at + k];
#endif
    return part[at];
}

#if LANES > 1
#define TEAM_OPEN(part) local T2 part[GROUP]
#define TEAM_SUM(part, value) sum_of_team(part, (T2)(value, 0), LANES).x
#else
#define TEAM_OPEN(part)
#define TEAM_SUM(part, value) value
#endif

/*
 * Interleave the columns of short rows. Global size: LANES for each slice.
 *
 * rows: [n_rows] as strips of pull. slices: [slices + 1] where the columns of each begin. Behind a row's end is
 * `zero`, a slot that gives nothing.
 */
OF_GROUP interleave(uint n_slices, uint n_rows, uint zero, global const uint2 *restrict rows,
                    global const uint *restrict ends, global const W *restrict weights,
                    global const ulong *restrict slices, global uint *restrict columns,
                    global W *restrict column_weights)
{
    const uint i = get_global_id(0), slice = i / LANES;
    if (slice >= n_slices)
        return;
    const uint2 row = i < n_rows ? rows[i] : (uint2)(0, 0);
    uint edge = row.x;
    for (ulong at = slices[slice] + i % LANES; at < slices[slice + 1]; at += LANES, edge++) {
        columns[at] = edge < row.y ? ends[edge] : zero;
#ifdef WEIGHTS
        column_weights[at] = edge < row.y ? weights[edge] : 0;
#endif
    }
}

/*
 * Add up strips and slices. Global size: LANES for each strip, rounded up to whole groups; then for each slice.
 *
 * strips: [n_strips] first edge in `ends`, and that behind the last. slices, columns: see interleave. given: [slots + 1]
 * what each vertex gives, and 0.
 * sums: [n_cut] of strips of rows that are cut, then of each row: the n_wide that are cut, those that are one strip, and
 * those of slices.
 */
OF_GROUP pull(uint n_strips, uint n_cut, uint n_wide, uint n_slices,
              global const uint2 *restrict strips, global const ulong *restrict slices,
              global const uint *restrict ends, global const W *restrict weights,
              global const uint *restrict columns, global const W *restrict column_weights,
              global const T *restrict given, global T *restrict sums)
{
    TEAM_OPEN(part);
    const uint per_group = GROUP / LANES, lane = get_local_id(0) % LANES,
               strip = (uint)get_global_id(0) / LANES,
               first_slice = (n_strips + per_group - 1) / per_group * per_group,
               slice = strip - first_slice;
    const bool is_strip = strip < n_strips, is_slice = strip >= first_slice && slice < n_slices;
    ulong first = 0;
    uint n = 0;
    if (is_strip) {
        first = strips[strip].x;
        n = strips[strip].y - strips[strip].x;
    } else if (is_slice) {
        first = slices[slice];
        n = (uint)(slices[slice + 1] - first);
    }
    global const uint *from = (is_slice ? columns : ends) + first;
    global const W *times = (is_slice ? column_weights : weights) + first;
    T4 sums4 =
        0; /* whose loads do not wait for each other, and whose sums are nearer to the true one */
    uint i = lane;
    for (; i + 3 * LANES < n; i += 4 * LANES)
        sums4 += (T4)(GIVEN(i), GIVEN(i + LANES), GIVEN(i + 2 * LANES), GIVEN(i + 3 * LANES));
    if (i < n)
        sums4 += (T4)(GIVEN(i), i + LANES < n ? GIVEN(i + LANES) : 0,
                      i + 2 * LANES < n ? GIVEN(i + 2 * LANES) : 0, 0);
    const T sum = sums4.x + sums4.y + (sums4.z + sums4.w);
    const T whole = TEAM_SUM(part, sum);
    if (is_strip && lane == 0)
        sums[strip < n_cut ? strip : strip + n_wide] = whole;
    if (is_slice)
        sums[n_strips + n_wide + slice * LANES + lane] = sum;
}

/* Add up the strips of rows that are cut. Global size: LANES for each. firsts: [n_wide + 1] strips of each. */
OF_GROUP join(uint n_wide, uint n_cut, global const uint *restrict firsts, global T *sums)
{
    TEAM_OPEN(part);
    const uint row = get_global_id(0) / LANES, lane = get_local_id(0) % LANES;
    T sum = 0;
    for (uint i = row < n_wide ? firsts[row] + lane : 0; row < n_wide && i < firsts[row + 1];
         i += LANES)
        sum += sums[i];
    const T whole = TEAM_SUM(part, sum);
    if (row < n_wide && lane == 0)
        sums[n_cut + row] = whole;
}

/*
 * Make ranks of sums. Global size: a work-item for each own vertex.
 *
 * places: [n] where each vertex's sum is; of several nodes there are three parts of it: sources here, and at lower and
 * higher nodes. shares: [n] 1 / weight out; 0 of vertices that give all their rank to all.
 * wishes: [n] personalization, whose sum is 1; or NULL: `even`. ranks: [n]. given: of own vertices; with several nodes also
 * to `words`, a heap offset. known: of the iteration before, its change, and the rank of vertices without weight out, which
 * several nodes have added up to `idle`. partial: [groups] the same, of this one.
 */
OF_GROUP apply(uint n, T damping, T even, global const uint *restrict places,
               global const T *restrict sums, global const T *restrict shares,
               global const T *restrict wishes, global const T *restrict before,
               global T *restrict ranks, uint first_slot, global T *restrict given,
               global const T2 *restrict known, uint last, global T2 *restrict partial
#ifdef SEVERAL_NODES
               ,
               global const uint *restrict places1, global const T *restrict sums1,
               global const uint *restrict places2, global const T *restrict sums2, T idle,
               ulong words, GRAVEL_ARENA
#endif
)
{
    local T2 part[GROUP];
#ifdef SEVERAL_NODES
    GRAVEL_OPEN(g);
    global T *shown = (global T *)gravel_local(g, words);
#else
    const T idle = known[last].y;
#endif
    const uint v = get_global_id(0);
    T2 own = 0;
    if (v < n) {
        T sum = sums[places[v]];
#ifdef SEVERAL_NODES
        sum += sums1[places1[v]] + sums2[places2[v]];
#endif
        const T wish = wishes ? wishes[v] : even, share = shares[v],
                rank = damping * sum + (damping * idle + (1 - damping)) * wish;
        own = (T2)(fabs(rank - before[v]), share == 0 ? rank : 0);
        ranks[v] = rank;
        given[first_slot + v] = rank * share;
#ifdef SEVERAL_NODES
        shown[v] = rank * share;
#endif
    }
    const T2 sum = sum_of_team(part, own, GROUP);
    if (get_local_id(0) == 0)
        partial[v / GROUP] = sum;
}

/* Add up what groups have of an iteration. Global size: one group. */
OF_GROUP total(uint n, global const T2 *restrict partial, global T2 *restrict known, uint at)
{
    local T2 part[GROUP];
    T2 own = 0;
    for (uint i = get_local_id(0); i < n; i += GROUP)
        own += partial[i];
    const T2 sum = sum_of_team(part, own, GROUP);
    if (get_local_id(0) == 0)
        known[at] = sum;
}

#ifdef SEVERAL_NODES
/* What vertices of other nodes give, from copies in the heap. Global size: at least n. slots: [n] of each copy. */
kernel void take(GRAVEL_ARENA, ulong copies, uint n, global const uint *restrict slots,
                 global T *restrict given)
{
    GRAVEL_OPEN(g);
    const size_t i = get_global_id(0);
    if (i < n)
        given[slots[i]] = ((global const T *)gravel_local(g, copies))[i];
}
#endif
