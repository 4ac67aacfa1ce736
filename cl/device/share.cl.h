/* SPDX-License-Identifier: MIT */
/*
 * Turns that the work-items of a group share: each takes the next turn of any of them.
 *
 * Path:    gravel.cl.h's GRAVEL_FOR_SHARED_WG -> this.
 * Owner:   local memory, declared by GRAVEL_SHARES; one shared loop at a time. lanes: turns before a work-item's own.
 * Threads: every work-item of the group.
 * Memory:  through local memory between barriers of the group (G1).
 * Source:  replaces the work-group-granularity control flow of Orr 2016, section 5.3, which is hardware's.
 */
#ifndef GRAVELP_SHARE_CL_H
#define GRAVELP_SHARE_CL_H

#include "workgroup.cl.h"

/* What a work-item does in one round. */
struct gravel_turn {
    uint active;  /* 0: nothing, the turns have run out */
    uint lane;    /* whose turn, by number in the group */
    uint i;       /* which of its turns */
    uint round;   /* the group's number of this round's first turn; the same for the whole group */
    uint n_turns; /* of the group, the same for the whole group */
};

/*
 * Every work-item of the group: shares out its n turns. Returns how many the group has, fewer than
 * 2^32; 0, after a fault, in a group larger than GRAVEL_MAX_GROUP.
 */
GRAVELP_INLINE uint gravelp_share_out(struct gravel_group g, local struct gravelp_scratch *shares,
                                      uint n)
{
    gravelp_group_meet_apart(g.arena); /* G1: no work-item reads an earlier loop's turns */
    g.scratch = shares;
    gravelp_sums(g, n, false);
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_group_meet(g.arena); /* G1: the leader has added */
#endif
    return shares->n_active;
}

/* Any work-item, after gravelp_share_out: its turn in the round that begins with the group's turn `round` of n. */
GRAVELP_INLINE struct gravel_turn gravelp_share_take(local struct gravelp_scratch *shares,
                                                     uint round, uint n)
{
    uint turn = round + (uint)gravelp_lane_id(), low = 0;
    bool active = round < n && (uint)gravelp_lane_id() < n - round;
    for (uint left = active ? gravelp_n_lanes() : 1;
         left > 1;) { /* low: the last lane with at most `turn` before */
        uint half_down = left / 2;
        low = shares->lanes[low + half_down] <= turn ? low + half_down : low;
        left -= half_down;
    }
    return (struct gravel_turn){active, low, active ? turn - shares->lanes[low] : 0, round, n};
}

GRAVELP_INLINE struct gravel_turn gravelp_share_next(local struct gravelp_scratch *shares,
                                                     struct gravel_turn turn)
{
    uint left = turn.n_turns - turn.round,
         step = left > gravelp_n_lanes() ? gravelp_n_lanes() : left;
    return gravelp_share_take(shares, turn.round + step, turn.n_turns);
}

#endif
