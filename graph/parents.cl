/* SPDX-License-Identifier: MIT */
/*
 * The parents of a search, from distances of all slots. An edge is tight if its source's distance and its weight make
 * that of its target. Pass 0 takes the least vertex of those nearer than the target along tight edges. Where there is
 * none, all tight edges weigh nothing, or nothing that the sum shows: then pass p takes the least of those at the same
 * distance which earlier passes have parents for, so that parents never form a circle.
 *
 * Path:    parents.c launches it for each pass.
 */
#include "distance.cl.h"

#define NONE 0xffffffffu

/*
 * Global size: n_own * LANES. offsets, ends, weights: rows of own vertices, whose first slot is `first`. distances:
 * [n_slots]. vertex_of: [n_slots]. passes: [n_slots] in which each got its parent; NONE: it has none. parents: [n_own],
 * lowered. n_left: counts those that begin a pass behind the first without a parent.
 */
kernel void parents(uint pass, uint n_own, uint first, global const uint *restrict offsets,
                    global const uint *restrict ends, global const distance_bits *restrict weights,
                    global const distance_bits *restrict distances,
                    global const uint *restrict vertex_of, global uint *passes,
                    volatile global uint *parents, volatile global uint *n_left)
{
    const uint own = (uint)(get_global_id(0) / LANES), lane = get_global_id(0) % LANES;
    if (own >= n_own)
        return;
    const uint slot = first + own, begin = offsets[own], n = offsets[own + 1] - begin;
    const distance_bits due = distances[slot];
    if (due == FAR || passes[slot] < pass)
        return;
    uint least = NONE;
    for (uint k = lane; k < n; k += LANES) {
        const uint source = ends[begin + k];
        const distance_bits from = distances[source];
#ifdef WEIGHT_NONE
        const distance_bits weight = 1;
#else
        const distance_bits weight = weights[begin + k];
#endif
        if (ADD(from, weight) == due && (from < due || (from == due && passes[source] < pass)))
            least = min(least, vertex_of[source]);
    }
    if (lane == 0 && pass > 0)
        atomic_inc(n_left);
    if (least != NONE) {
        atomic_min(parents + own, least);
        passes[slot] = pass;
    }
}
