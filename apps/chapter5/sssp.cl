/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths by a message an edge; or, with HAS_TASKS, by stretches of vertices, as tasks of groups' deques.
 *
 * Path:    sssp.c launches gather, counts over all nodes, launches relax, and waits for what all nodes send; or it launches
 *          relax_tasks alone; until no vertex came nearer.
 * Memory:  messages lower words of `distances` in relax, and gather reads these behind a barrier between all nodes.
 *          relax_tasks lowers words of `best` by relaxed atomics: a word that is read too old only costs a round.
 * Source:  Che et al., Pannotia, 2013; Orr 2016, section 5.4.2; of the tasks Orr et al. 2015, section 5.3.
 */
#include "gravel.cl.h"

#define FAR 0xffffffffu /* not reached; a longer path's length, too */

#ifndef HAS_TASKS
/*
 * Lists the vertices that came nearer.
 *
 * Global size: this node's vertices from number `first`. distances: heap offset of uint [block]. offered: [vertices] the
 * distance that each last offered from. front: [n_front] these vertices.
 */
kernel void gather(GRAVEL_ARENA, ulong first, ulong distances, global uint *restrict offered,
                   global uint *restrict front, global volatile uint *n_front)
{
    GRAVEL_OPEN(g);
    const uint v = (uint)(first + get_global_id(0));
    const uint distance = ((global uint *)gravel_local(g, distances))[v];
    if (distance < offered[v]) {
        offered[v] = distance;
        front[atomic_inc(n_front)] = v;
    }
}

/*
 * Offers a distance to the far end of each edge of the listed vertices, to own ones too; rows differ much, so a group's
 * work-items share its edges.
 *
 * Global size: n_front from number `first`, or more. offsets: [vertices + 1]. to: [edges] number of the target, which is
 * element to % block of node to / block.
 */
kernel void relax(GRAVEL_ARENA, ulong first, uint n_front, ulong distances, uint block,
                  global const uint *restrict front, global const uint *restrict offsets,
                  global const uint *restrict to, global const uint *restrict weights,
                  global const uint *restrict offered)
{
    GRAVEL_OPEN(g);
    GRAVEL_SHARES(shares);
    const size_t begin = first + get_global_id(0) - get_local_id(0), i = begin + get_local_id(0);
    const uint v = front[i < n_front ? i : 0], n = i < n_front ? offsets[v + 1] - offsets[v] : 0;
    GRAVEL_FOR_SHARED_WG (g, shares, turn, n) {
        const uint u = front[turn.active ? begin + turn.lane : 0];
        const uint e = turn.active ? offsets[u] + turn.i : 0;
        const uint distance = turn.active ? add_sat(offered[u], weights[e]) : 0;
        gravel_min_uint_wg_if(g, turn.active, distances, to[e] % block, distance, to[e] / block);
    }
}
#else
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"

/*
 * A round: each vertex that came nearer lowers its neighbours' distances; a task is as many vertices as a group has
 * work-items.
 *
 * Global size: a group for each deque. best: [n] distances. offered: [n] the distance that each last offered from.
 * n_nearer: vertices that came nearer.
 */
kernel void relax_tasks(GRAVEL_STEAL, uint n, global const uint *restrict offsets,
                        global const uint *restrict to, global const uint *restrict weights,
                        global uint *restrict offered, global volatile uint *best,
                        global volatile uint *n_nearer)
{
    GRAVEL_STEAL_OPEN(s);
    uint n_found = 0;
    GRAVEL_STEAL_EACH (s, stretch) {
        const uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        const uint distance = v < n ? atomic_min(best + v, FAR) : FAR;
        if (v < n && distance < offered[v]) {
            offered[v] = distance;
            n_found++;
            for (uint e = offsets[v]; e < offsets[v + 1]; e++)
                atomic_min(best + to[e], add_sat(distance, weights[e]));
        }
    }
    if (n_found)
        atomic_add(n_nearer, n_found);
}
#endif
