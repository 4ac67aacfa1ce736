/* SPDX-License-Identifier: MIT */
/*
 * GUPS with idle work-items: few have updates to make, and those have different numbers of them.
 *
 * Random numbers are functions of (key, number), SplitMix64's, so that the check can draw them again.
 *
 * Path:    gups-mod.c launches these -> gravel_inc_ulong_wg in each of its forms.
 * Source:  Orr 2016, sections 5.3 (divergence) and 5.6.2 (GUPS-mod).
 */
#include "gravel.cl.h"
#include "subgroup.cl.h"

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
    GRAVEL_FOR_WG (g, i, active, n) {
        ulong random = random_at(update_key, item * most + i);
        gravel_inc_ulong_wg_if(g, active, table, (uint)random & mask,
                               (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* Without cooperation: every work-item synchronizes for itself. */
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

/* Shared: the group's work-items take turns of any of them, so none is idle before the last round. */
kernel void gups_share(GRAVEL_ARENA, ulong first, ulong first_item, ulong length_key,
                       ulong update_key, ulong active_below, uint most, ulong table, uint mask)
{
    GRAVEL_OPEN(g);
    GRAVEL_SHARES(shares);
    ulong first_of_group = first_item + first + get_global_id(0) - get_local_id(0);
    uint n = n_updates_of(PROBLEM, first_of_group + get_local_id(0));
    GRAVEL_FOR_SHARED_WG (g, shares, turn, n) {
        ulong random = random_at(update_key, (first_of_group + turn.lane) * most + turn.i);
        gravel_inc_ulong_wg_if(g, turn.active, table, (uint)random & mask,
                               (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

#ifdef GRAVEL_HAS_SUBGROUPS

/* Each sub-group goes round as often as its own longest work-item needs, and sends for itself. */
kernel void gups_subgroup(GRAVEL_ARENA, ulong first, ulong first_item, ulong length_key,
                          ulong update_key, ulong active_below, uint most, ulong table, uint mask)
{
    GRAVEL_OPEN(g);
    ulong item = first_item + first + get_global_id(0);
    uint n = n_updates_of(PROBLEM, item);
    GRAVEL_FOR_SG (g, i, active, n) {
        ulong random = random_at(update_key, item * most + i);
        gravel_inc_ulong_sg_if(g, active, table, (uint)random & mask,
                               (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* Sub-groups that are not done send together, on a barrier that finished sub-groups have left. */
kernel void gups_fbar(GRAVEL_ARENA, ulong first, ulong first_item, ulong length_key,
                      ulong update_key, ulong active_below, uint most, ulong table, uint mask)
{
    GRAVEL_OPEN(g);
    GRAVEL_FBAR(f);
    ulong item = first_item + first + get_global_id(0);
    uint n = n_updates_of(PROBLEM, item);
    GRAVEL_FOR_FBAR (g, f, i, active, n) {
        ulong random = random_at(update_key, item * most + i);
        gravel_inc_ulong_fbar_if(g, f, active, table, (uint)random & mask,
                                 (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* Whether such barriers are sound here. rounds [global size]: of n_rounds, as many as work with n_looks a wait. */
kernel void rounds_of_fbar(GRAVEL_ARENA, global uint *rounds, uint n_rounds, uint n_looks)
{
    GRAVEL_FBAR(f);
    rounds[get_global_id(0)] = gravel_fbar_rounds_wg(f, n_rounds, n_looks);
}

#endif
