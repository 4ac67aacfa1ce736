/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths with --schedule, where all vertices are this node's: a task is a stretch of as many vertices as a group has
 * work-items.
 *
 * Path:    scheduled.c launches relax_tasks until no vertex came nearer.
 * Source:  Che et al., Pannotia, 2013; Orr et al. 2015, section 5.3.
 */
#include "distance.cl.h"
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"

/*
 * A round: each vertex that came nearer offers its neighbours a distance.
 *
 * Global size: a group for each deque. best: [n_own] distances, which many groups lower at once. settled:
 * [n_own] the distance each last offered from. counts: vertices that came nearer in this round; reached for the first
 * time.
 */
kernel void relax_tasks(GRAVEL_STEAL, uint n_own, global const uint *restrict offsets,
                        global const uint *restrict slots, global const uint *restrict weights,
                        global uint *restrict settled, global volatile uint *best,
                        global volatile uint *counts)
{
    GRAVEL_STEAL_OPEN(s);
    uint n_nearer = 0, n_reached = 0;
    GRAVEL_STEAL_EACH (s, stretch) {
        uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        uint from = v < n_own ? atomic_min(best + v, FAR) : FAR,
             last = v < n_own ? settled[v] : FAR;
        if (from < last) {
            settled[v] = from;
            n_reached += last == FAR;
            n_nearer++;
            for (uint e = offsets[v]; e < offsets[v + 1]; e++) {
                uint distance = ADD(from, weights[e]);
                atomic_min(best + slots[e], distance);
            }
        }
    }
    if (n_nearer) {
        atomic_add(counts, n_nearer);
        atomic_add(counts + 1, n_reached);
    }
}
