/* SPDX-License-Identifier: MIT */
/*
 * GUPS with idle work-items: few have updates to make, and those have different numbers of them.
 *
 * Random numbers are functions of (key, number), SplitMix64's, so that the check can draw them again.
 *
 * Path:    divergent.c launches these -> gravel_inc_ulong_wg in each of its forms.
 * Source:  Orr 2016, sections 5.3 (divergence) and 5.6.2 (GUPS-mod).
 */
#include "gravel.cl.h"
#include "subgroup.cl.h"
#include "divergent.h"

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

INLINE ulong random_at(ulong key, ulong number)
{
    ulong x = key + (number + 1) * 0x9e3779b97f4a7c15ul;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}

/* Updates that work-item `item` of all nodes makes: lower half chooses who is active, upper half how many. */
INLINE uint n_updates_of(struct divergent problem, ulong item)
{
    ulong random = random_at(problem.length_key, item);
    uint n = 1 + (uint)((random >> 32) * problem.most >> 32);
    return (random & 0xffffffff) < problem.active_below ? n : 0;
}

/*
 * Software predication: the group iterates together as often as its longest work-item needs.
 *
 * Global size: work-items from number `first` of this node; local size: any that divides it.
 * When it ends, all updates are sent.
 */
kernel void gups_if(GRAVEL_ARENA, ulong first, struct divergent problem)
{
    GRAVEL_OPEN(g);
    ulong item = problem.first_item + first + get_global_id(0);
    uint n = n_updates_of(problem, item);
    GRAVEL_FOR_WG (g, i, active, n) {
        ulong random = random_at(problem.update_key, item * problem.most + i);
        gravel_inc_ulong_wg_if(g, active, problem.table, (uint)random & problem.mask,
                               (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* Without cooperation: every work-item synchronizes for itself. */
kernel void gups_wi(GRAVEL_ARENA, ulong first, struct divergent problem)
{
    GRAVEL_OPEN(g);
    ulong item = problem.first_item + first + get_global_id(0);
    uint n = n_updates_of(problem, item);
    for (uint i = 0; i < n; i++) {
        ulong random = random_at(problem.update_key, item * problem.most + i);
        gravel_inc_ulong_wi(g, problem.table, (uint)random & problem.mask,
                            (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* Shared: the group's work-items take turns of any of them, so none is idle before the last round. */
kernel void gups_share(GRAVEL_ARENA, ulong first, struct divergent problem)
{
    GRAVEL_OPEN(g);
    GRAVEL_SHARES(shares);
    ulong first_of_group = problem.first_item + first + get_global_id(0) - get_local_id(0);
    uint n = n_updates_of(problem, first_of_group + get_local_id(0));
    GRAVEL_FOR_SHARED_WG (g, shares, turn, n) {
        ulong random =
            random_at(problem.update_key, (first_of_group + turn.lane) * problem.most + turn.i);
        gravel_inc_ulong_wg_if(g, turn.active, problem.table, (uint)random & problem.mask,
                               (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

#ifdef GRAVEL_HAS_SUBGROUPS

/* Each sub-group iterates as often as its own longest work-item needs, and sends for itself. */
kernel void gups_subgroup(GRAVEL_ARENA, ulong first, struct divergent problem)
{
    GRAVEL_OPEN(g);
    ulong item = problem.first_item + first + get_global_id(0);
    uint n = n_updates_of(problem, item);
    GRAVEL_FOR_SG (g, i, active, n) {
        ulong random = random_at(problem.update_key, item * problem.most + i);
        gravel_inc_ulong_sg_if(g, active, problem.table, (uint)random & problem.mask,
                               (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* Sub-groups that are not done send together, on a barrier that finished sub-groups have left. */
kernel void gups_fbar(GRAVEL_ARENA, ulong first, struct divergent problem)
{
    GRAVEL_OPEN(g);
    GRAVEL_FBAR(f);
    ulong item = problem.first_item + first + get_global_id(0);
    uint n = n_updates_of(problem, item);
    GRAVEL_FOR_FBAR (g, f, i, active, n) {
        ulong random = random_at(problem.update_key, item * problem.most + i);
        gravel_inc_ulong_fbar_if(g, f, active, problem.table, (uint)random & problem.mask,
                                 (uint)((random >> 32) * gravel_n_nodes(g) >> 32));
    }
}

/* Tests whether such barriers are sound here. rounds [global size]: of n_rounds, as many as work with n_polls polls a wait. */
kernel void rounds_of_fbar(GRAVEL_ARENA, global uint *rounds, uint n_rounds, uint n_polls)
{
    GRAVEL_FBAR(f);
    rounds[get_global_id(0)] = gravel_fbar_rounds_wg(f, n_rounds, n_polls);
}

#endif
