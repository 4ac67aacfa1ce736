/* SPDX-License-Identifier: MIT */
/*
 * GUPS with idle work-items: few have updates to make, and those have different numbers of them.
 *
 * Random numbers are functions of (key, number), SplitMix64's, so that the check can draw them again.
 *
 * Path:    gups-mod.c launches it -> GRAVEL_FOR, gravel_inc_ulong_if or gravel_inc_ulong_wi.
 * Source:  Orr 2016, sections 5.3 (divergence) and 5.6.2 (GUPS-mod).
 */
#include "gravel.cl.h"

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

INLINE ulong random_at(ulong key, ulong number)
{
    ulong x = key + (number + 1) * 0x9e3779b97f4a7c15ul;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}

/* What decides the updates; the same for the whole launch. */
struct problem {
    ulong length_key, update_key; /* of the random numbers */
    ulong active_below;           /* a work-item is active if its random 32 bits are below this */
    uint most;                    /* updates of an active work-item, 1 to most */
};

/* Updates that work-item `item` of all nodes makes: lower half chooses who is active, upper half how many. */
INLINE uint n_updates_of(struct problem problem, ulong item)
{
    ulong random = random_at(problem.length_key, item);
    uint n = 1 + (uint)((random >> 32) * problem.most >> 32);
    return (random & 0xffffffff) < problem.active_below ? n : 0;
}

#define PROBLEM ((struct problem){length_key, update_key, active_below, most})

/*
 * Software predication: the group goes round together as often as its longest work-item needs.
 *
 * Global size: work-items from number `first` of this node, which are numbers `first_item + first` and up of
 * all nodes; local size: any that divides it. table: heap offset of mask + 1 words.
 * When it ends, all updates are sent.
 */
kernel void gups_if(GRAVEL_ARENA, ulong first, ulong first_item, ulong length_key, ulong update_key,
                    ulong active_below, uint most, ulong table, uint mask)
{
    GRAVEL_OPEN(g);
    ulong item = first_item + first + get_global_id(0);
    uint n = n_updates_of(PROBLEM, item);
    GRAVEL_FOR(g, i, n) {
        ulong random = random_at(update_key, item * most + i);
        gravel_inc_ulong_if(g, active, table, (uint)random & mask,
                            (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* The same without cooperation: every work-item synchronizes for itself. */
kernel void gups_wi(GRAVEL_ARENA, ulong first, ulong first_item, ulong length_key, ulong update_key,
                    ulong active_below, uint most, ulong table, uint mask)
{
    GRAVEL_OPEN(g);
    ulong item = first_item + first + get_global_id(0);
    uint n = n_updates_of(PROBLEM, item);
    for (uint i = 0; i < n; i++) {
        ulong random = random_at(update_key, item * most + i);
        gravel_inc_ulong_wi(g, table, (uint)random & mask,
                            (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}
