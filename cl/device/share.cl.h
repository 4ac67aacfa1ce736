/* SPDX-License-Identifier: MIT */
/*
 * Turns that the work-items of a group share: each takes the next turn of any of them.
 *
 * Path:    gravel.cl.h's GRAVEL_FOR_SHARED_WG -> this.
 * Owner:   local memory, declared by GRAVEL_SHARES; one shared loop at a time.
 * Threads: every work-item of the group.
 * Memory:  through local memory between barriers of the group (G1).
 * Source:  replaces the work-group-granularity control flow of Orr 2016, section 5.3, which is hardware's.
 */
#ifndef GRAVELP_SHARE_CL_H
#define GRAVELP_SHARE_CL_H

#include "workgroup.cl.h"

/* Local memory of a shared loop. */
struct gravel_shares {
    uint ends[GRAVEL_MAX_GROUP]; /* per work-item: turns of the group up to and with its own */
};

/* What a work-item does in one round. */
struct gravel_turn {
    uint active;  /* 0: nothing, the turns have run out */
    uint lane;    /* whose turn, by number in the group */
    uint i;       /* which of its turns */
    uint round;   /* the group's number of this round's first turn; the same for the whole group */
    uint n_turns; /* of the group, the same for the whole group */
};

/*
 * Every work-item of the group: tell how many turns are its own. Returns how many the group has, fewer than
 * 2^32; 0, after a fault, in a group larger than GRAVEL_MAX_GROUP.
 */
GRAVELP_INLINE uint gravelp_share_out(struct gravel_group g, local struct gravel_shares *shares,
                                      uint n)
{
    gravelp_group_meet_apart(g.arena); /* G1: no work-item reads an earlier loop's ends */
    uint n_lanes = gravelp_n_lanes() <= GRAVEL_MAX_GROUP ? gravelp_n_lanes() : 0;
    if (gravelp_is_leader())
        gravelp_group_fits(g.arena);
#if defined(GRAVELP_SERIAL_GROUP)
    /* Shared in a group that is too large, as in gravelp_place_set. */
    shares->ends[gravelp_place()] = n;
    gravelp_group_meet(g.arena); /* G1: the numbers are set */
    if (gravelp_is_leader())
        for (uint i = 1; i < n_lanes; i++)
            shares->ends[i] += shares->ends[i - 1];
    gravelp_group_meet(g.arena); /* G1: the ends are known */
#elif defined(GRAVELP_COLLECTIVES)
    uint end = work_group_scan_exclusive_add(n) + n;
    if (gravelp_lane_id() < GRAVEL_MAX_GROUP)
        shares->ends[gravelp_lane_id()] = end;
    gravelp_group_meet(g.arena); /* G1: the ends are known */
#else
    size_t lane = gravelp_place();
    if (gravelp_lane_id() < GRAVEL_MAX_GROUP)
        shares->ends[lane] = n;
    gravelp_group_meet(g.arena); /* G1: the numbers are set */
    for (uint step = 1; step < n_lanes; step *= 2) {
        uint left = lane >= step ? shares->ends[lane - step] : 0;
        gravelp_group_meet(g.arena); /* G1: all have read */
        shares->ends[lane] += left;
        gravelp_group_meet(g.arena); /* G1: all have added */
    }
#endif
    return n_lanes ? shares->ends[n_lanes - 1] : 0;
}

/* Any work-item, after gravelp_share_out: its turn in the round that begins with the group's turn `round` of n. */
GRAVELP_INLINE struct gravel_turn gravelp_share_take(local struct gravel_shares *shares, uint round,
                                                     uint n)
{
    uint turn = round + (uint)gravelp_lane_id(), low = 0;
    bool active = round < n && (uint)gravelp_lane_id() < n - round;
    for (uint left = active ? gravelp_n_lanes() : 1;
         left > 1;) { /* low: the first whose end is above turn */
        uint half_down = left / 2;
        low = shares->ends[low + half_down - 1] <= turn ? low + half_down : low;
        left -= half_down;
    }
    return (struct gravel_turn){active, low, turn - (low ? shares->ends[low - 1] : 0), round, n};
}

GRAVELP_INLINE struct gravel_turn gravelp_share_next(local struct gravel_shares *shares,
                                                     struct gravel_turn turn)
{
    uint left = turn.n_turns - turn.round,
         step = left > gravelp_n_lanes() ? gravelp_n_lanes() : left;
    return gravelp_share_take(shares, turn.round + step, turn.n_turns);
}

#endif
