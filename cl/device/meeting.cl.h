/* SPDX-License-Identifier: MIT */
/*
 * Meetings of the groups of a launch of rounds that stays, at the end of each phase: each group adds to the words of a
 * set what it has counted, and that it came, and waits until all have. Sets are used in turn.
 *
 * Path:    rounds.cl.h -> this -> members.cl.h, direct.cl.h
 * Threads: leaders of groups; those that count: any work-item.
 * Memory:  Y1 hands on what all groups did; K7.
 */
#ifndef GRAVELP_MEETING_CL_H
#define GRAVELP_MEETING_CL_H

#include "direct.cl.h"
#include "members.cl.h"
#include "queue.cl.h"

#ifdef GRAVELP_ROUNDS

/* What GRAVEL_ROUND_OPEN gives a work-item. */
struct gravel_round_group {
    struct gravel_group group;
    global struct gravelp_rounds *words;
    local struct gravelp_rounds_scratch *scratch;
    struct gravelp_rounds_begin begin;
    uint at; /* phases of the round so far */
};

/* The work-item's number among all of the node, and how many these are. */
GRAVELP_INLINE uint gravelp_round_item(struct gravel_round_group r)
{
    return r.scratch->member * gravelp_n_lanes() + (uint)gravelp_lane_id();
}
GRAVELP_INLINE uint gravelp_round_items(struct gravel_round_group r)
{
    return r.scratch->n_members * gravelp_n_lanes();
}

/* Any work-item: counts n more in words that all groups add to. */
GRAVELP_INLINE void gravelp_round_add(global struct gravelp_rounds_set *set, ulong n)
{
    const uint low = (uint)n, old = gravelp_device_fetch_add_relaxed(&set->count[0], low); /* Y2 */
    const uint high = (uint)(n >> 32) + (old + low < low);
    if (high)
        gravelp_device_fetch_add_relaxed(&set->count[1], high); /* Y2 */
}

#ifdef GRAVELP_STAYS

#define GRAVELP_ROUND_POLLS 64u /* at a word, before a leader asks whether to continue */

/* Leader, after polls without a change: whether to continue, by the host's clock in queue 0. False after a fault. */
GRAVELP_INLINE bool gravelp_round_keeps_waiting(struct gravel_round_group r, uint seen,
                                                struct gravelp_patience *patience)
{
    global struct gravelp_arena *arena = r.group.arena;
    const uint verdict =
        gravelp_wait_ask(arena, gravelp_queue_words(arena, 0), seen, r.begin.wait_ms, patience);
    patience->least_ns += (ulong)arena->poll_ns * GRAVELP_ROUND_POLLS;
    if (verdict & GRAVELP_WAIT_IS_LATE)
        gravelp_fault(arena, GRAVELP_FAULT_MEET | (verdict & GRAVELP_FAULT_CUT_OFF), seen,
                      (uint)r.begin.number + r.scratch->n_rounds, r.scratch->n_members);
    return verdict == GRAVELP_WAITS_ON;
}

/* Leader: become a member, if the list is not closed. */
GRAVELP_INLINE void gravelp_round_enrol(struct gravel_round_group r)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    global struct gravelp_members *members = &r.words->members;
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    uint n = 0;
    *own = (struct gravelp_rounds_scratch){.n_members = r.begin.n_groups,
                                           .sum = r.begin.sum,
                                           .nodes_at = r.begin.nodes_at,
                                           .room = r.begin.room,
                                           .n_met = r.begin.n_met};
    own->member = gravelp_members_enrol(members, r.begin.n_groups, GRAVELP_ROUND_POLLS);
    for (uint polls = 1; own->member < GRAVELP_MEMBERS_CLOSED; polls++) {
        n = gravelp_device_load_acquire(&members->n); /* K7 */
        if (n ||
            (polls % GRAVELP_ROUND_POLLS == 0 && !gravelp_round_keeps_waiting(r, 0, &patience)))
            break;
        patience.least_ns += gravelp_pause(polls, false);
    }
    own->n_members = n ? n : 1;
    own->goes_on = n != 0;
}

/* Leader: wait until all members have met at a set. @return  its word `met`; 0, after a fault: it takes too long */
GRAVELP_INLINE ulong gravelp_round_wait(struct gravel_round_group r,
                                        global struct gravelp_rounds_set *set)
{
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    ulong met = gravelp_device_long_load_relaxed(&set->met); /* Y2 */
    for (uint polls = 1; met / GRAVELP_ROUNDS_MEMBER < r.scratch->n_members; polls++) {
        if (polls % GRAVELP_ROUND_POLLS == 0 &&
            !gravelp_round_keeps_waiting(r, (uint)(met / GRAVELP_ROUNDS_MEMBER), &patience))
            return 0;
        patience.least_ns += gravelp_pause(polls, false);
        met = gravelp_device_long_load_relaxed(&set->met); /* Y2 */
    }
    return gravelp_device_long_load_acquire(&set->met); /* Y1; at each poll slow on GPUs */
}

/* Leader: add what the group has counted, meet the other members, and take what all have added. @return whether all
 * came; if not, the launch ends */
GRAVELP_INLINE bool gravelp_round_meet(struct gravel_round_group r)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    global struct gravelp_rounds_set *set = &r.words->sets[own->set];
    own->set = (own->set + 1) % GRAVELP_ROUNDS_SETS;
    if (own->member == 0)
        r.words->sets[own->set] = (struct gravelp_rounds_set){0, {0, 0}, 0, 0};
    if (own->count >= GRAVELP_ROUNDS_PART) {
        gravelp_round_add(set, own->count);
        own->count = 0;
        own->has_added = 1;
    }
    gravelp_device_long_add_release(&set->met, GRAVELP_ROUNDS_MEMBER +
                                                   own->has_added * GRAVELP_ROUNDS_ADDER +
                                                   own->count); /* Y1 */
    own->count = own->has_added = 0;
    const ulong met = gravelp_round_wait(r, set);
    own->sum_so_far += met % GRAVELP_ROUNDS_ADDER;
    if (met / GRAVELP_ROUNDS_ADDER % GRAVELP_ROUNDS_MOST) {
        const struct gravelp_rounds_set added = *set; /* Y1 */
        own->sum_so_far += added.count[0] | (ulong)added.count[1] << 32;
        own->is_sent |= added.is_sent;
        own->is_refused |= added.is_refused;
    }
    own->goes_on &= met != 0;
    return met != 0;
}

#endif

#endif

#endif
