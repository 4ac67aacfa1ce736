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
 * A phase is the statement after GRAVEL_PHASE, which all work-items of all groups enter; phases run in the order of
 * the text. A message may be seen at any time from its sending to the round's end.
 *
 * Only memory, the heap and buffers, lives from phase to phase: variables and local memory of the kernel keep their
 * values within a phase, and code outside of phases may run any number of times; what it makes before all phases, such
 * as a copy in local memory, they may read. The number of groups and work-items
 * is not known before: let each take every gravel_round_items(r)-th.
 *
 *     GRAVEL_ROUND_KERNEL void name(...)  instead of `kernel void`: of large groups
 *     GRAVEL_ROUND_OPEN(r)                instead of GRAVEL_OPEN, in the outermost scope; r.group sends messages
 *     GRAVEL_EACH_ROUND(r)                once, around all phases
 *     GRAVEL_PHASE(r, name)               before each phase
 *     ulong gravel_round_number(r)        of this run's rounds, from 0
 *     ulong gravel_round_sum(r)           counted in the round before, of this run or the last one; at first 0
 *     uint gravel_round_item(r)           the work-item's number among all of the node
 *     uint gravel_round_items(r)          how many these are
 *     gravel_round_count_wg(r, n)         every work-item of the group: counts n more
 *     gravel_round_count_wi(r, n)         any work-item, in any divergent code; slower where a launch is a phase
 *
 * Path:    the user's phases -> this -> device/members.cl.h; messages: device/direct.cl.h, or as in any kernel.
 * Memory:  what a phase did is visible to the next (Y1; or a launch ends).
 * Source:  Sorensen et al., Portable Inter-workgroup Barrier Synchronisation for GPUs, OOPSLA 2016.
 */
#ifndef GRAVEL_ROUNDS_CL_H
#define GRAVEL_ROUNDS_CL_H

#include "direct.cl.h"
#include "layout/rounds.h"
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

/* ---- a kernel ---------------------------------------------------------------------------------- */

/* The kernel argument after GRAVEL_ARENA; the host sets both. */
#define GRAVEL_ROUND struct gravelp_rounds_begin gravel_round_

/* Instead of `kernel`: on GPUs a unit has one group, of 512 work-items or what the host says, where a plain kernel has
 * two of 256. Half as many groups meet faster. */
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

/* ---- in a phase -------------------------------------------------------------------------------- */

/* Any work-item: counts n more in words that all groups add to. */
GRAVELP_INLINE void gravelp_round_add(global struct gravelp_rounds_set *set, ulong n)
{
    const uint low = (uint)n, old = gravelp_device_fetch_add_relaxed(&set->count[0], low); /* Y2 */
    const uint high = (uint)(n >> 32) + (old + low < low);
    if (high)
        gravelp_device_fetch_add_relaxed(&set->count[1], high); /* Y2 */
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
    return r.scratch->member * gravelp_n_lanes() + (uint)gravelp_lane_id();
}
GRAVELP_INLINE uint gravel_round_items(struct gravel_round_group r)
{
    return r.scratch->n_members * gravelp_n_lanes();
}

/* ---- a launch that stays ------------------------------------------------------------------------- */

#define GRAVELP_ROUND_POLLS 64u /* at a word, before a leader asks whether to continue */
#define GRAVELP_ROUND_ASKS \
    4u /* rounds, after which it asks where it has not waited: 4 % of an empty round */

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
                      (uint)gravel_round_number(r), r.scratch->n_members);
    return verdict == GRAVELP_WAITS_ON;
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

/* Leader: become a member, if the list is not closed. */
GRAVELP_INLINE void gravelp_round_enrol(struct gravel_round_group r)
{
    global struct gravelp_members *members = &r.words->members;
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    const uint me = gravelp_members_enrol(members, r.begin.n_groups, GRAVELP_ROUND_POLLS);
    uint n = 0;
    for (uint polls = 1; me < GRAVELP_MEMBERS_CLOSED; polls++) {
        n = gravelp_device_load_acquire(&members->n); /* K7 */
        if (n ||
            (polls % GRAVELP_ROUND_POLLS == 0 && !gravelp_round_keeps_waiting(r, 0, &patience)))
            break;
        patience.least_ns += gravelp_pause(polls, false);
    }
    r.scratch->member = me;
    r.scratch->n_members = n ? n : 1;
    r.scratch->goes_on = n != 0;
    r.scratch->n_rounds = r.scratch->set = 0;
    r.scratch->sum = r.begin.sum;
    r.scratch->sum_so_far = r.scratch->count = 0;
    r.scratch->nodes_at = r.begin.nodes_at;
    r.scratch->room = r.begin.room;
    r.scratch->n_met = r.begin.n_met;
    r.scratch->has_come = 0;
    r.scratch->has_added = r.scratch->is_sent = r.scratch->n_refused = 0;
}

#ifdef GRAVELP_NODES

/* Member 0: report what the node has counted, and its messages. */
GRAVELP_INLINE void gravelp_round_report(struct gravel_round_group r, ulong sum)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    const uint n_nodes = r.group.arena->n_nodes, number = own->n_met;
    global uint *report = (global uint *)gravelp_heap(r.group.arena, own->nodes_at);
    global uint *counts = report + GRAVELP_ROUNDS_COUNTS(n_nodes) / 4 + number % 2 * n_nodes;
    for (uint i = 0; i < GRAVELP_ROUNDS_FLAGS; i++)
        gravelp_store_relaxed(report + i, GRAVELP_ROUNDS_WORD(number, sum >> 16 * i)); /* Y4 */
    for (uint i = 0; i < 2 * n_nodes; i++) {
        const uint count = counts[i / 2] < own->room ? counts[i / 2] : own->room;
        gravelp_store_relaxed(report + GRAVELP_ROUNDS_PARTS + i,
                              GRAVELP_ROUNDS_WORD(number, count >> i % 2 * 16)); /* Y4 */
    }
    gravelp_store_release(
        report + GRAVELP_ROUNDS_FLAGS,
        GRAVELP_ROUNDS_WORD(number, (own->is_sent ? GRAVELP_ROUNDS_SENT : 0) |
                                        (own->n_refused ? GRAVELP_ROUNDS_REFUSED : 0))); /* Y4 */
}

/* Leader: poll an answer once. @return whether all of it is there */
GRAVELP_INLINE bool gravelp_round_has_answer(struct gravel_round_group r, global uint *answer)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    const uint n = GRAVELP_ROUNDS_WORDS(r.group.arena->n_nodes), number = own->n_met & 0xffff;
    const uint flags = gravelp_load_acquire(answer + GRAVELP_ROUNDS_FLAGS); /* Y5 */
    if (flags >> 16 != number)
        return false;
    ulong sum = 0;
    own->has_come = 0;
    for (uint i = 0; i < n; i++) {
        const uint word = gravelp_load_relaxed(answer + i); /* Y5 */
        if (word >> 16 != number)
            return false;
        sum |= i < GRAVELP_ROUNDS_FLAGS ? (ulong)(word & 0xffff) << 16 * i : 0;
        own->has_come |= i >= GRAVELP_ROUNDS_PARTS ? word & 0xffff : 0;
    }
    own->sum = sum;
    own->goes_on = flags & GRAVELP_ROUNDS_GO_ON;
    return true;
}

/* Leader: the node has ended its part of a round; wait until all nodes have, and take what they came to. */
GRAVELP_INLINE void gravelp_round_meet_nodes(struct gravel_round_group r, ulong sum)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    const uint n_nodes = r.group.arena->n_nodes;
    global struct gravelp_queue_words *clock = gravelp_queue_words(r.group.arena, 0);
    global uint *report = (global uint *)gravelp_heap(r.group.arena, own->nodes_at);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    own->n_met++;
    if (own->member == 0)
        gravelp_round_report(r, sum);
    for (uint polls = 1; !gravelp_round_has_answer(r, report + GRAVELP_ROUNDS_ANSWER(n_nodes) / 4);
         polls++) {
        /* The host's own waits have limits: while its clock advances no group is late. */
        if (polls % GRAVELP_ROUND_POLLS == 0 &&
            !gravelp_round_keeps_waiting(r, gravelp_load_relaxed(&clock->beat),
                                         &patience)) { /* H6 */
            own->goes_on = own->has_come = 0;
            return;
        }
        patience.least_ns += gravelp_pause(polls, false);
    }
    if (own->member == 0)
        for (uint i = 0; i < n_nodes; i++)
            report[GRAVELP_ROUNDS_COUNTS(n_nodes) / 4 + own->n_met % 2 * n_nodes + i] = 0;
}

#endif

/* Leader: all members have met; take what they came to. @param is_end  of a round */
GRAVELP_INLINE void gravelp_round_take(struct gravel_round_group r, ulong met, bool is_end)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    own->sum_so_far += met % GRAVELP_ROUNDS_ADDER;
    if (met / GRAVELP_ROUNDS_ADDER % GRAVELP_ROUNDS_MOST) {
        const struct gravelp_rounds_set set = r.words->sets[own->set]; /* Y1 */
        own->sum_so_far += set.count[0] | (ulong)set.count[1] << 32;
        own->is_sent |= set.is_sent;
        own->n_refused += set.refused;
    }
    own->set = (own->set + 1) % GRAVELP_ROUNDS_SETS;
    if (!is_end)
        return;
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
                   !own->is_sent && !own->n_refused &&
                   (own->n_rounds % GRAVELP_ROUND_ASKS ||
                    !gravelp_load_relaxed(&r.group.arena->abort)); /* H1 */
#endif
    if (own->member == 0 && !own->goes_on) {
        r.words->last = (struct gravelp_rounds_set){
            0, {(uint)sum, (uint)(sum >> 32)}, own->is_sent, own->n_refused};
        r.words->n_rounds = own->n_rounds;
    }
}

/* Leader: add what the group has counted, and meet the other members. @param is_end  of a round */
GRAVELP_INLINE void gravelp_round_meet(struct gravel_round_group r, bool is_end)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    global struct gravelp_rounds_set *set = &r.words->sets[own->set];
    if (own->member == 0)
        r.words->sets[(own->set + 1) % GRAVELP_ROUNDS_SETS] =
            (struct gravelp_rounds_set){0, {0, 0}, 0, 0};
    if (own->count >= GRAVELP_ROUNDS_PART) {
        gravelp_round_add(gravelp_round_set(r.group), own->count);
        own->count = 0;
    }
    gravelp_device_long_add_release(&set->met, GRAVELP_ROUNDS_MEMBER +
                                                   own->has_added * GRAVELP_ROUNDS_ADDER +
                                                   own->count); /* Y1 */
    own->count = own->has_added = 0;
    const ulong met = gravelp_round_wait(r, set);
    if (met)
        gravelp_round_take(r, met, is_end);
    else
        own->goes_on = 0;
}

/* Every work-item of the group. */
GRAVELP_INLINE void gravelp_round_meet_wg(struct gravel_round_group r, bool is_end)
{
    gravelp_group_meet_apart(r.group.arena); /* G2: what the group did is done; Y1 hands it on */
    if (gravelp_is_leader())
        gravelp_round_meet(r, is_end);
    gravelp_group_meet(r.group.arena); /* G4: what the leader has acquired is the whole group's */
}

GRAVELP_INLINE struct gravel_round_group
gravelp_round_open(struct gravel_group group, struct gravelp_rounds_begin begin,
                   local struct gravelp_rounds_scratch *scratch)
{
    struct gravel_round_group r = {
        group, (global struct gravelp_rounds *)gravelp_heap(group.arena, begin.words_at), scratch,
        begin, 0};
    r.group.rounds = r.words;
    r.group.round = scratch;
    if (gravelp_is_leader())
        gravelp_round_enrol(r);
    gravelp_group_meet(group.arena); /* G1: whether the group is a member is known */
    return r;
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

#if defined(GRAVELP_NODES) && defined(GRAVELP_DIRECT)

/* Every work-item: apply its part of the messages that have come. */
GRAVELP_INLINE void gravelp_round_apply(struct gravel_round_group r)
{
    const uint n_nodes = r.group.arena->n_nodes, room = r.scratch->room;
    global uchar *nodes = gravelp_heap(r.group.arena, r.scratch->nodes_at);
    global uint *answer = (global uint *)(nodes + GRAVELP_ROUNDS_ANSWER(n_nodes));
    global struct gravelp_round_message *frames =
        (global struct gravelp_round_message *)(nodes + GRAVELP_ROUNDS_IN(n_nodes, room));
    for (uint node = 0; node < n_nodes; node++) {
        const uint n = GRAVELP_ROUNDS_COUNT(answer, node); /* Y5 */
        for (uint i = gravel_round_item(r); i < n; i += gravel_round_items(r)) {
            const struct gravelp_round_message message = frames[node * room + i];
            const uint command = GRAVELP_ROUND_COMMAND(message);
            const ulong offset = GRAVELP_ROUND_OFFSET(message);
            global uchar *word =
                gravelp_direct_word(r.group, offset, 0, GRAVELP_VALUE_BYTES(command));
            if (word)
                gravelp_apply(command, word, message.value, 0); /* Y2 */
            else
                gravelp_direct_refuse(r.group, 0, offset, 0, node);
        }
    }
}

#endif

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

GRAVELP_INLINE ulong gravel_round_number(struct gravel_round_group r)
{
    return r.begin.number;
}
GRAVELP_INLINE ulong gravel_round_sum(struct gravel_round_group r)
{
    return r.begin.sum;
}
GRAVELP_INLINE uint gravel_round_item(struct gravel_round_group r)
{
    (void)r;
    return (uint)get_global_id(0);
}
GRAVELP_INLINE uint gravel_round_items(struct gravel_round_group r)
{
    return r.begin.n_items;
}

/* ---- a launch that is a phase ---------------------------------------------------------------------- */

GRAVELP_INLINE struct gravel_round_group
gravelp_round_open(struct gravel_group group, struct gravelp_rounds_begin begin,
                   local struct gravelp_rounds_scratch *scratch)
{
    return (struct gravel_round_group){
        group, (global struct gravelp_rounds *)gravelp_heap(group.arena, begin.words_at), scratch,
        begin, 0};
}

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
