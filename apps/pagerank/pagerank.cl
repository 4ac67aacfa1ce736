/* SPDX-License-Identifier: MIT */
/*
 * PageRank by pushing: every edge adds its source's share to the sum at its target's owner.
 *
 * The host defines GROUP_ITEMS (work-items of a full group) and, for the form that is the same bit for bit in
 * any order, PAGERANK_FIXED: ranks are then integers, in units of 2^-62 of all rank.
 *
 * Path:    iterate.c launches push, waits for all messages, launches apply.
 * Source:  Page, Brin, Motwani, Winograd, The PageRank Citation Ranking, 1999; Orr 2016, section 5.4.2.
 */
#include "gravel.cl.h"
#ifdef HAS_TASKS
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"
#endif

#ifdef PAGERANK_FIXED
typedef ulong rank_type;
#define ADD_RANK gravel_add_ulong_wg
#define DIFFERENCE(a, b) abs_diff(a, b)
#define DAMP(rank) ((rank) - (rank) / 20 * 3) /* so that one unit more always shows */
#else
typedef float rank_type;
#define ADD_RANK gravel_add_float_wg
#define DIFFERENCE(a, b) fabs((a) - (b))
#define DAMP(rank) (0.85f * (rank))
#endif

#define PUSH_ARGUMENTS                                                             \
    GRAVEL_ARENA, ulong first, global const uint *restrict from,                   \
        global const uint *restrict to_node, global const uint *restrict to_index, \
        global const rank_type *restrict share, ulong sums

/*
 * Global size: this node's edges from number `first`; local size: any that divides it.
 * from: [edges] source vertex, by its place at this node. to_node, to_index: [edges] target's owner and place
 * there. share: [vertices] what each vertex gives every neighbour. sums: heap offset of rank_type [block].
 * When it ends, all contributions are sent.
 */
kernel void push(PUSH_ARGUMENTS)
{
    GRAVEL_OPEN(g);
    size_t e = first + get_global_id(0);
    ADD_RANK(g, sums, to_index[e], share[from[e]], to_node[e]);
}

/* With `each` edges a work-item; edges of a group are neighbours. */
kernel void push_several(PUSH_ARGUMENTS, uint each)
{
    GRAVEL_OPEN(g);
    size_t e = first + (get_global_id(0) - get_local_id(0)) * each + get_local_id(0);
    for (uint i = 0; i < each; i++, e += get_local_size(0))
        ADD_RANK(g, sums, to_index[e], share[from[e]], to_node[e]);
}

#define APPLY_RANKS                                                    \
    global rank_type *restrict rank, global rank_type *restrict share, \
        global const uint *restrict degree
#define APPLY_REST rank_type base, rank_type extra, global rank_type *restrict totals

static void apply_at(ulong first, APPLY_RANKS, global rank_type *restrict sums, APPLY_REST,
                     local rank_type *changes, local rank_type *idle)
{
    size_t v = first + get_global_id(0), lane = get_local_id(0);
    rank_type value = base + DAMP(sums[v] + extra);
    uint n_edges = degree[v];
    changes[lane] = DIFFERENCE(value, rank[v]);
    idle[lane] = n_edges ? 0 : value;
    rank[v] = value;
    share[v] = n_edges ? value / n_edges : 0;
    sums[v] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        rank_type change = 0, idle_rank = 0;
        for (size_t i = 0; i < get_local_size(0); i++) {
            change += changes[i];
            idle_rank += idle[i];
        }
        totals[2 * (v / GROUP_ITEMS)] = change;
        totals[2 * (v / GROUP_ITEMS) + 1] = idle_rank;
    }
}

/*
 * New ranks from the sums that have arrived; the sums are 0 again when it ends.
 *
 * Global size: this node's vertices from number `first`; local size: GROUP_ITEMS, or all in one group.
 * rank, share: [vertices]. degree: [vertices] edges that leave. sums_offset: heap offset of sums [block]. base: rank
 * without any sum; extra: what the vertices without edges give each vertex. totals: [groups][2] change of rank, and
 * rank of the vertices without edges, each summed over a group.
 */
kernel void apply(GRAVEL_ARENA, ulong first, APPLY_RANKS, ulong sums_offset, APPLY_REST)
{
    GRAVEL_OPEN(g);
    local rank_type changes[GROUP_ITEMS], idle[GROUP_ITEMS];
    apply_at(first, rank, share, degree, gravel_local(g, sums_offset), base, extra, totals, changes,
             idle);
}

#ifdef HAS_TASKS
/* New ranks with --schedule: sums [vertices] are in an array. */
kernel void apply_own(GRAVEL_ARENA, ulong first, APPLY_RANKS, global rank_type *restrict sums,
                      APPLY_REST)
{
    local rank_type changes[GROUP_ITEMS], idle[GROUP_ITEMS];
    apply_at(first, rank, share, degree, sums, base, extra, totals, changes, idle);
}

/*
 * With --schedule, where all vertices are this node's: a task is a stretch of as many vertices as a group has
 * work-items, and each of them adds up what its sources give it.
 *
 * Global size: a deque a group, or a group a task. offsets: [vertices + 1] of edges by target. sources: [edges].
 */
kernel void pull_tasks(GRAVEL_STEAL, uint n_own, global const uint *restrict offsets,
                       global const uint *restrict sources, global const rank_type *restrict share,
                       global rank_type *restrict sums)
{
    GRAVEL_STEAL_OPEN(s);
    GRAVEL_STEAL_EACH (s, stretch) {
        uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        if (v < n_own) {
            rank_type sum = 0;
            for (uint e = offsets[v]; e < offsets[v + 1]; e++)
                sum += share[sources[e]];
            sums[v] = sum;
        }
    }
}
#endif
