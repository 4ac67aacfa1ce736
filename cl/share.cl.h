/* SPDX-License-Identifier: MIT */
/*
 * Work-items of a group share what there is to do: a loop in which each takes the next turn of any of them.
 *
 *     GRAVEL_SHARES(shares);                       in the kernel's outermost scope
 *     GRAVEL_FOR_SHARED(g, shares, turn, n) {      n: turns that are this work-item's own
 *         ulong key = key_of(first + turn.lane, turn.i);
 *         gravel_inc_ulong_if(g, turn.active, base, index_of(key), node_of(key));
 *     }
 *
 * GRAVEL_FOR goes round as often as the longest work-item needs, and idle ones wait; here idle ones take turns
 * of others, so a group with T turns goes round T / group size times and all packages but the last are full.
 * What a turn needs must be known to whoever takes it: its work-item's number in the group (turn.lane) and the
 * turn's number (turn.i). The turns of one work-item may be taken in the same round, so they are in no order
 * among themselves.
 *
 * Path:    message.cl.h -> this -> the user's kernel.
 * Owner:   local memory, declared by GRAVEL_SHARES; one shared loop at a time.
 * Threads: every work-item of the group.
 * Memory:  through local memory between barriers of the group (G1).
 * Source:  in place of the work-group-granularity control flow of Orr 2016, section 5.3, which is hardware's.
 */
#ifndef GRAVEL_SHARE_CL_H
#define GRAVEL_SHARE_CL_H

#include "message.cl.h"

/* Local memory of a shared loop. */
struct gravel_shares {
    uint ends[GRAVEL_MAX_GROUP]; /* per work-item: turns of the group up to and with its own */
};

#if defined(__OPENCL_C_VERSION__)
#define GRAVEL_SHARES(shares)                      \
    local struct gravel_shares gravel_##shares##_; \
    local struct gravel_shares *shares = &gravel_##shares##_
#else
#define GRAVEL_SHARES(shares) struct gravel_shares *shares = gravel_lane->shares
#endif

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
GRAVEL_INLINE uint gravel_share_out(struct gravel_group g, local struct gravel_shares *shares,
                                    uint n)
{
    gravel_group_meet_apart(g.arena); /* G1: nobody looks at an earlier loop's ends any more */
    uint n_lanes = gravel_n_lanes() <= GRAVEL_MAX_GROUP ? gravel_n_lanes() : 0;
    if (gravel_is_leader())
        gravel_group_fits(g.arena);
#if defined(GRAVEL_SERIAL_GROUP)
    /* Shared in a group that is too large, as in gravel_place_set. */
    shares->ends[gravel_place()] = n;
    gravel_group_meet(g.arena); /* G1: the numbers are set */
    if (gravel_is_leader())
        for (uint i = 1; i < n_lanes; i++)
            shares->ends[i] += shares->ends[i - 1];
    gravel_group_meet(g.arena); /* G1: the ends are known */
#elif defined(GRAVEL_COLLECTIVES)
    uint end = work_group_scan_exclusive_add(n) + n;
    if (gravel_lane_id() < GRAVEL_MAX_GROUP)
        shares->ends[gravel_lane_id()] = end;
    gravel_group_meet(g.arena); /* G1: the ends are known */
#else
    size_t lane = gravel_place();
    if (gravel_lane_id() < GRAVEL_MAX_GROUP)
        shares->ends[lane] = n;
    gravel_group_meet(g.arena); /* G1: the numbers are set */
    for (uint step = 1; step < n_lanes; step *= 2) {
        uint left = lane >= step ? shares->ends[lane - step] : 0;
        gravel_group_meet(g.arena); /* G1: all have read */
        shares->ends[lane] += left;
        gravel_group_meet(g.arena); /* G1: all have added */
    }
#endif
    return n_lanes ? shares->ends[n_lanes - 1] : 0;
}

/* Any work-item, after gravel_share_out: its turn in the round that begins with the group's turn `round` of n. */
GRAVEL_INLINE struct gravel_turn gravel_share_take(local struct gravel_shares *shares, uint round,
                                                   uint n)
{
    uint turn = round + (uint)gravel_lane_id(), low = 0;
    bool active = round < n && (uint)gravel_lane_id() < n - round;
    for (uint left = active ? gravel_n_lanes() : 1;
         left > 1;) { /* low: the first whose end is above turn */
        uint half_down = left / 2;
        low = shares->ends[low + half_down - 1] <= turn ? low + half_down : low;
        left -= half_down;
    }
    return (struct gravel_turn){active, low, turn - (low ? shares->ends[low - 1] : 0), round, n};
}

GRAVEL_INLINE struct gravel_turn gravel_share_next(local struct gravel_shares *shares,
                                                   struct gravel_turn turn)
{
    uint left = turn.n_turns - turn.round, step = left > gravel_n_lanes() ? gravel_n_lanes() : left;
    return gravel_share_take(shares, turn.round + step, turn.n_turns);
}

/* The loop; leave it only by its own condition. n: a uint. */
#define GRAVEL_FOR_SHARED(g, shares, turn, n)                                      \
    for (struct gravel_turn turn =                                                 \
             gravel_share_take((shares), 0, gravel_share_out((g), (shares), (n))); \
         turn.round < turn.n_turns; turn = gravel_share_next((shares), turn))

#endif
