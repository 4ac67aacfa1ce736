/* SPDX-License-Identifier: MIT */
/*
 * PageRank by a message an edge; or, with HAS_TASKS, by stretches of vertices that pull, as tasks of groups' deques.
 *
 * Path:    pagerank.c launches push, waits for what all nodes send, and launches apply; or it launches pull alone.
 * Memory:  a barrier between all nodes lies between push and apply, and between apply and push.
 * Source:  Orr 2016, section 5.4.2; of the tasks Orr et al. 2015, section 5.3.
 */
#include "gravel.cl.h"

#define DAMPING 0.85f

/* Returns what a vertex gives along each of its edges. */
static float share_of(float rank, global const uint *restrict offsets, size_t v)
{
    return rank / max(offsets[v + 1] - offsets[v], 1u);
}

/*
 * Makes new ranks of the sums that have arrived, which are 0 again when it ends.
 *
 * Global size: this node's vertices from number `first`. sums: heap offset of float [block]. base: rank without any sum.
 * offsets: [vertices + 1] first edge of each. share: [vertices] what each vertex gives along an edge.
 */
kernel void apply(GRAVEL_ARENA, ulong first, ulong sums, float base,
                  global const uint *restrict offsets, global float *restrict rank,
                  global float *restrict share)
{
    GRAVEL_OPEN(g);
    global float *sum = gravel_local(g, sums);
    const size_t v = first + get_global_id(0);
    rank[v] = base + DAMPING * sum[v];
    share[v] = share_of(rank[v], offsets, v);
    sum[v] = 0;
}

#ifndef HAS_TASKS
/*
 * Sends every edge's share of rank to its target, to own ones too.
 *
 * Global size: this node's edges from number `first`. from: [edges] index of the source at this node. to: [edges] number of
 * the target, which is element to % block of node to / block.
 */
kernel void push(GRAVEL_ARENA, ulong first, ulong sums, uint block,
                 global const uint *restrict from, global const uint *restrict to,
                 global const float *restrict share)
{
    GRAVEL_OPEN(g);
    const size_t e = first + get_global_id(0);
    gravel_add_float_wg(g, sums, to[e] % block, share[from[e]], to[e] / block);
}
#else
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"

/*
 * Makes new ranks of the shares of all neighbours, where edges go both ways; a task is as many vertices as a group has
 * work-items.
 *
 * Global size: a group for each deque. to: [edges]. share: [n] of the iteration before; next: of this one.
 */
kernel void pull(GRAVEL_STEAL, uint n, float base, global const uint *restrict offsets,
                 global const uint *restrict to, global const float *restrict share,
                 global float *restrict next, global float *restrict rank)
{
    GRAVEL_STEAL_OPEN(s);
    GRAVEL_STEAL_EACH (s, stretch) {
        const uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        const uint end = v < n ? offsets[v + 1] : 0;
        float sum = 0;
        for (uint e = v < n ? offsets[v] : 0; e < end; e++)
            sum += share[to[e]];
        if (v < n) {
            rank[v] = base + DAMPING * sum;
            next[v] = share_of(rank[v], offsets, v);
        }
    }
}
#endif
