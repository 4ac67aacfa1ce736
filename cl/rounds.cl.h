/* SPDX-License-Identifier: MIT */
/*
 * What the kernel of a rounds object calls. A program of gravel_rounds_create gets this with gravel.cl.h.
 *
 *     kernel void search(GRAVEL_ARENA, GRAVEL_ROUND, ulong level, global const uint *first, global const uint *to,
 *                        uint n)
 *     {
 *         GRAVEL_ROUND_OPEN(r);
 *         GRAVEL_EACH_ROUND(r) {
 *             GRAVEL_PHASE(r, expand) {
 *                 uint n_found = 0;
 *                 for (uint v = gravel_round_item(r); v < n; v += gravel_round_items(r))
 *                     ...
 *                         gravel_min_uint_wi(r.group, level, to[i], gravel_round_number(r) + 1, node);
 *                 gravel_round_count_wg(r, n_found);
 *             }
 *         }
 *     }
 *
 * All work-items of all groups enter a phase, the statement after GRAVEL_PHASE; phases run in the order of the text. A
 * message may be seen at any time from its sending to the round's end.
 *
 * Only memory, the heap and buffers, lives from phase to phase: variables and local memory keep their values within a
 * phase, and code outside of phases may run any number of times; phases may read what it makes before all of them,
 * such as a copy in local memory. The number of groups and work-items is not known before: let each take every
 * gravel_round_items(r)-th.
 *
 *     GRAVEL_ROUND_KERNEL void name(...)  instead of `kernel void`: of large groups
 *     GRAVEL_ROUND_OPEN(r)                instead of GRAVEL_OPEN, in the outermost scope; r.group sends messages
 *     GRAVEL_EACH_ROUND(r)                once, around all phases
 *     GRAVEL_PHASE(r, name)               before each phase
 *     ulong gravel_round_number(r)        of this run's rounds, from 0; or on from the last run's
 *     ulong gravel_round_sum(r)           counted in the round before, of this run or the last one; at first 0
 *     uint gravel_round_item(r)           the work-item's number among all of the node
 *     uint gravel_round_items(r)          how many these are
 *     gravel_round_count_wg(r, n)         every work-item of the group: counts n more
 *     gravel_round_count_wi(r, n)         any work-item, in any divergent code; slower where a launch is a phase
 *
 * Path:    the user's phases -> this -> device/meeting.cl.h, exchange.cl.h; messages: device/direct.cl.h, or
 *          send.cl.h.
 * Memory:  what a phase did is visible to the next (Y1; or a launch ends).
 * Source:  Sorensen et al., Portable Inter-workgroup Barrier Synchronisation for GPUs, OOPSLA 2016.
 */
#ifndef GRAVEL_ROUNDS_CL_H
#define GRAVEL_ROUNDS_CL_H

#include "exchange.cl.h"

#ifdef GRAVELP_ROUNDS

/* ---- a kernel ---------------------------------------------------------------------------------- */

/* The kernel argument after GRAVEL_ARENA; the host sets both. */
#define GRAVEL_ROUND struct gravelp_rounds_begin gravel_round_

/*
 * Instead of `kernel`: on GPUs a unit has one group, of 512 work-items or what the host says, where a plain kernel has
 * two of 256. Half as many groups meet faster.
 */
#ifdef GRAVELP_ROUND_ITEMS
#define GRAVEL_ROUND_KERNEL kernel __attribute__((reqd_work_group_size(GRAVELP_ROUND_ITEMS, 1, 1)))
#else
#define GRAVEL_ROUND_KERNEL kernel
#endif

/* In the outermost scope of the kernel, once: declares `r`, and the group's local memory. */
#define GRAVEL_ROUND_OPEN(r)                                             \
    GRAVEL_OPEN(gravel_group_);                                          \
    GRAVELP_LOCAL(gravelp_rounds_scratch, gravelp_round_scratch_, flow); \
    struct gravel_round_group r =                                        \
        gravelp_round_open(gravel_group_, gravel_round_, gravelp_round_scratch_)

/* Once, around all phases; and before each. Where a group is one thread its members meet before the first one too: PoCL
 * loses variables over barriers under a condition in a loop. */
#ifdef GRAVELP_STAYS
#define GRAVEL_EACH_ROUND(r) for (; (r).scratch->goes_on; gravelp_round_next(&(r)))
#define GRAVEL_PHASE(r, name) gravelp_phase_begin(&(r));
#else
#define GRAVEL_EACH_ROUND(r)
#define GRAVEL_PHASE(r, name) if (gravelp_phase_is_next(&(r)))
#endif

/* Every work-item of the group. */
GRAVELP_INLINE struct gravel_round_group
gravelp_round_open(struct gravel_group group, struct gravelp_rounds_begin begin,
                   local struct gravelp_rounds_scratch *scratch)
{
    struct gravel_round_group r = {
        group, (global struct gravelp_rounds *)gravelp_heap(group.arena, begin.words_at), scratch,
        begin, 0};
#ifdef GRAVELP_STAYS
    r.group.rounds = r.words;
    r.group.round = scratch;
    if (gravelp_is_leader())
        gravelp_round_enrol(r);
#else
    if (gravelp_is_leader())
        *scratch =
            (struct gravelp_rounds_scratch){.member = (uint)get_global_id(0) / gravelp_n_lanes(),
                                            .n_members = begin.n_groups,
                                            .sum = begin.sum};
#endif
    gravelp_group_meet(group.arena); /* G1: what the group is among others is known */
    return r;
}

/* ---- in a phase -------------------------------------------------------------------------------- */

GRAVELP_INLINE ulong gravel_round_number(struct gravel_round_group r)
{
    return r.begin.number + r.scratch->n_rounds;
}
GRAVELP_INLINE ulong gravel_round_sum(struct gravel_round_group r)
{
    return r.scratch->sum;
}
GRAVELP_INLINE uint gravel_round_item(struct gravel_round_group r)
{
    return gravelp_round_item(r);
}
GRAVELP_INLINE uint gravel_round_items(struct gravel_round_group r)
{
    return gravelp_round_items(r);
}

#ifdef GRAVELP_STAYS

/* Any work-item: counts n more in this round. The leader adds its group's when it meets other members; what
 * is too much for that goes to the set. */
GRAVELP_INLINE void gravel_round_count_wi(struct gravel_round_group r, ulong n)
{
    if (n >= GRAVELP_ROUNDS_PART)
        gravelp_round_add(gravelp_round_set(r.group), n);
    else if (n &&
             gravelp_local_add_relaxed(&r.scratch->count, (uint)n) + (uint)n < (uint)n) /* Y2 */
        gravelp_round_add(gravelp_round_set(r.group), 1ul << 32);
}
GRAVELP_INLINE void gravel_round_count_wg(struct gravel_round_group r, uint n)
{
    gravel_round_count_wi(r, n);
}

/* ---- a launch that stays ------------------------------------------------------------------------- */

#define GRAVELP_ROUND_ASKS \
    4u /* rounds, after which it asks where it has not waited: 4 % of an empty round */

/* Leader: all members have met at a round's end; take what all have counted, and whether another round follows. */
GRAVELP_INLINE void gravelp_round_end(struct gravel_round_group r)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    const ulong sum = own->sum = own->sum_so_far;
    own->sum_so_far = 0;
    own->n_rounds++;
#ifdef GRAVELP_NODES
    if (own->n_rounds < r.begin.most)
        gravelp_round_meet_nodes(r, sum);
    else
        own->goes_on = 0;
    own->is_sent = 0;
#else
    own->goes_on = own->n_rounds < r.begin.most && !(r.begin.until_zero && sum == 0) &&
                   !own->is_sent && !own->is_refused &&
                   (own->n_rounds % GRAVELP_ROUND_ASKS ||
                    !gravelp_load_relaxed(&r.group.arena->abort)); /* H1 */
#endif
    if (own->member == 0 && !own->goes_on) {
        r.words->last = (struct gravelp_rounds_set){
            0, {(uint)sum, (uint)(sum >> 32)}, own->is_sent, own->is_refused};
        r.words->n_rounds = own->n_rounds;
    }
}

/* Every work-item of the group. @param is_end  of a round */
GRAVELP_INLINE void gravelp_round_meet_wg(struct gravel_round_group r, bool is_end)
{
    gravelp_group_meet_apart(r.group.arena); /* G2: what the group did is done; Y1 hands it on */
    if (gravelp_is_leader() && gravelp_round_meet(r) && is_end)
        gravelp_round_end(r);
    gravelp_group_meet(r.group.arena); /* G4: what the leader has acquired is the whole group's */
}

/* Every work-item: the next phase begins. */
GRAVELP_INLINE void gravelp_phase_begin(struct gravel_round_group *r)
{
#if !defined(GRAVELP_ONE_THREAD)
    if (r->at++ == 0)
        return;
#endif
    gravelp_round_meet_wg(*r, false);
}

/* Every work-item: the round is over. */
GRAVELP_INLINE void gravelp_round_next(struct gravel_round_group *r)
{
    r->at = 0;
    gravelp_round_meet_wg(*r, true);
#if defined(GRAVELP_NODES) && defined(GRAVELP_DIRECT)
#if !defined(GRAVELP_ONE_THREAD)
    if (!r->scratch->has_come)
        return;
#endif
    gravelp_round_apply(*r);
    gravelp_round_meet_wg(*r, false);
    if (gravelp_is_leader() && r->scratch->member == 0)
        gravelp_round_report_applied(*r);
#endif
}

#else

GRAVELP_INLINE void gravel_round_count_wi(struct gravel_round_group r, ulong n)
{
    if (n)
        gravelp_round_add(&r.words->sets[0], n);
}
GRAVELP_INLINE void gravel_round_count_wg(struct gravel_round_group r, uint n)
{
    gravelp_sums(r.group, n, false);
    if (gravelp_is_leader())
        gravel_round_count_wi(r, r.group.scratch->n_active);
    gravelp_block_keep(r.group.arena);
}

/* ---- a launch that is a phase ---------------------------------------------------------------------- */

/* Every work-item: whether the launch is of the next phase. A survey counts phases. */
GRAVELP_INLINE bool gravelp_phase_is_next(struct gravel_round_group *r)
{
    const uint number = r->at++;
    if (r->begin.phase == GRAVELP_PHASE_NONE && gravelp_is_leader())
        r->words->n_phases = number + 1;
    return number == r->begin.phase;
}

#endif

#endif

#endif
