/* SPDX-License-Identifier: MIT */
/*
 * Sets of slots as trees: a root is its own parent, and every other slot has a lesser one. Any work-items join sets
 * and find roots concurrently.
 *
 * Path:    components.cl, forest.cl -> this
 * Memory:  relaxed atomics. A parent only ever falls, and always to a slot of the same set, so a stale one is right.
 * Source:  Jaiganesh and Burtscher, A High-Performance Connected Components Implementation for GPUs, HPDC 2018.
 */
#include "gravel.cl.h"

/* Returns the root of a slot's set, and halves the way there for the next that asks. */
static uint root_of(global volatile uint *parents, uint slot)
{
    uint parent = parents[slot];
    for (uint next = parents[parent]; next != parent; next = parents[parent]) {
        atomic_min(parents + slot, next);
        slot = parent;
        parent = next;
    }
    return parent;
}

/* Makes one set of the sets of two slots. */
static void join_sets(global volatile uint *parents, uint one, uint other)
{
    uint high = root_of(parents, one), low = root_of(parents, other);
    while (high != low) {
        const uint root = max(high, low);
        low = min(high, low);
        const uint seen = atomic_cmpxchg(parents + root, root, low);
        if (seen == root)
            return;
        high = root_of(parents, seen);
        low = root_of(parents, low);
    }
}
