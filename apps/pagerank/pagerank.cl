/* SPDX-License-Identifier: MIT */
/*
 * PageRank: each node pulls its sources' shares of rank for each target, and sends the sums for other nodes' targets; or it
 * sends a share along each edge.
 *
 * The host defines GROUP_ITEMS (work-items of a full group), EACH (edges of a work-item that sends) and, for the form that
 * is the same bit for bit in any order, PAGERANK_FIXED: ranks are then integers, in units of 2^-62 of all rank.
 *
 * Path:    pull.c launches pull and store_sums, or push.c push, waits for what all nodes send; pagerank.c launches apply.
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
#define ADD_RANK_IF gravel_add_ulong_wg_if
#define DIFFERENCE(a, b) abs_diff(a, b)
#define DAMP(rank) ((rank) - (rank) / 20 * 3) /* so that one unit more always shows */
#else
typedef float rank_type;
#define ADD_RANK gravel_add_float_wg
#define ADD_RANK_IF gravel_add_float_wg_if
#define DIFFERENCE(a, b) fabs((a) - (b))
#define DAMP(rank) (0.85f * (rank))
#endif

/*
 * Global size: this node's n_edges, from number `first`; or, if EACH is not 1, as many full groups as take them with EACH a
 * work-item. from: [edges] source vertex, by its index at this node. to: [edges] target, of the whole graph, which is
 * target % block of node target / block. share: [vertices] what each vertex gives every neighbour. sums: heap offset of rank_type [block].
 * When it ends, all contributions are sent.
 */
kernel void push(GRAVEL_ARENA, ulong first, ulong n_edges, global const uint *restrict from,
                 global const uint *restrict to, uint block, global const rank_type *restrict share,
                 ulong sums)
{
    GRAVEL_OPEN(g);
#if EACH == 1
    size_t e = first + get_global_id(0);
    ADD_RANK(g, sums, to[e] % block, share[from[e]], to[e] / block);
#else
    const size_t n_lanes = get_local_size(0),
                 begin = (first + get_global_id(0) - get_local_id(0)) * EACH;
    const bool is_whole = begin + n_lanes * EACH <= n_edges;
    for (uint i = 0; i < EACH; i++) {
        const size_t at = begin + i * n_lanes + get_local_id(0), e = at < n_edges ? at : 0;
        if (is_whole)
            ADD_RANK(g, sums, to[e] % block, share[from[e]], to[e] / block);
        else
            ADD_RANK_IF(g, at < n_edges, sums, to[e] % block, share[from[e]], to[e] / block);
    }
#endif
}

/* Returns what the sources of a chunk's edges give. */
static rank_type pull_chunk(uint e, uint end, global const uint *restrict sources,
                            global const rank_type *restrict share)
{
    rank_type sum = 0;
    for (; e < end; e++)
        sum += share[sources[e]];
    return sum;
}

/*
 * Sum up what own vertices give each target, by chunks of the edges that end at one.
 *
 * Global size: chunks from number `first`. starts: [chunks + 1] first edge of each. sources: [edges to pull along] by
 * target. share: [vertices]. partial: [chunks] sums.
 */
kernel void pull(GRAVEL_ARENA, ulong first, global const uint *restrict starts,
                 global const uint *restrict sources, global const rank_type *restrict share,
                 global rank_type *restrict partial)
{
    size_t chunk = first + get_global_id(0);
    partial[chunk] = pull_chunk(starts[chunk], starts[chunk + 1], sources, share);
}

/* Returns what a vertex's chunks add up to; most have one or none, which takes no branch. */
static rank_type sum_chunks(global const rank_type *restrict partial, uint chunk, uint end)
{
    rank_type sum = partial[chunk];
    sum = chunk < end ? sum : 0;
    while (++chunk < end)
        sum += partial[chunk];
    return sum;
}

/*
 * Sums for targets of other nodes, which come after the own ones, into the slots of a mirror.
 *
 * Global size: these targets from number `first`. slots: heap offset of rank_type [targets of other nodes]. n_own:
 * vertices. chunks: [targets + 1], partial: see apply. Each slot is one work-item's: a plain store.
 */
kernel void store_sums(GRAVEL_ARENA, ulong first, ulong slots, uint n_own,
                       global const uint *restrict chunks, global const rank_type *restrict partial)
{
    GRAVEL_OPEN(g);
    size_t i = first + get_global_id(0), target = n_own + i;
    ((global rank_type *)gravel_local(g, slots))[i] =
        sum_chunks(partial, chunks[target], chunks[target + 1]);
}

/*
 * New ranks from the sums that have arrived, which are 0 again when it ends, and from those of own edges.
 *
 * Global size: this node's vertices from number `first`; local size: GROUP_ITEMS, or all in one group.
 * rank, share: [vertices]. degree: [vertices] edges that leave. sums_offset: heap offset of sums [block]. base: rank
 * without any sum; extra: what the vertices without edges give each vertex. totals: [groups][2] change of rank, and
 * rank of the vertices without edges, each summed over a group. chunks: [vertices + 1] first of each in
 * partial, which has one word more than there are chunks.
 */
kernel void apply(GRAVEL_ARENA, ulong first, global rank_type *restrict rank,
                  global rank_type *restrict share, global const uint *restrict degree,
                  ulong sums_offset, rank_type base, rank_type extra,
                  global rank_type *restrict totals, global const uint *restrict chunks,
                  global const rank_type *restrict partial)
{
    GRAVEL_OPEN(g);
    local rank_type changes[GROUP_ITEMS], idle[GROUP_ITEMS];
    global rank_type *restrict sums = gravel_local(g, sums_offset);
    size_t v = first + get_global_id(0), lane = get_local_id(0);
    rank_type sum = sums[v] + sum_chunks(partial, chunks[v], chunks[v + 1]);
    rank_type value = base + DAMP(sum + extra);
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

#ifdef HAS_TASKS
/*
 * pull with --schedule, where all vertices are this node's and a chunk has all edges that end at one: a task is a
 * stretch of as many as a group has work-items.
 *
 * Global size: a group for each deque.
 */
kernel void pull_tasks(GRAVEL_STEAL, uint n_chunks, global const uint *restrict starts,
                       global const uint *restrict sources, global const rank_type *restrict share,
                       global rank_type *restrict partial)
{
    GRAVEL_STEAL_OPEN(s);
    GRAVEL_STEAL_EACH (s, stretch) {
        uint chunk = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        if (chunk < n_chunks)
            partial[chunk] = pull_chunk(starts[chunk], starts[chunk + 1], sources, share);
    }
}
#endif
