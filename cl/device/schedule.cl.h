/* SPDX-License-Identifier: MIT */
/*
 * What a group does next, by policy; how a launch begins and ends for it.
 *
 *     begin;  while (next task)  run it, push, look;  end
 *
 * Path:    deque.cl.h, promote.cl.h -> this -> steal.cl.h.
 * Threads: leaders decide; calls with a barrier are for every work-item of the group.
 * Memory:  G7; X7: how many groups have begun and are idle, and X8, the list's counter, are relaxed.
 * Source:  Orr et al. 2015, section 5 (a task is work for a whole group, and one work-item pops for all).
 */
#ifndef GRAVELP_SCHEDULE_CL_H
#define GRAVELP_SCHEDULE_CL_H

#include "promote.cl.h"

/* ---- a policy: begin, decide, share; where groups steal, steal ----------------------------------- */

#if defined(GRAVELP_STEAL_STUDY)
#include <steal_study.cl.h> /* a study's policy, which the compiler's -I finds */
#elif GRAVELP_STEAL_IS_PROMOTED

/* Leader, before the first task. */
GRAVELP_INLINE void gravelp_policy_begin(struct gravel_deque *deque)
{
    deque->wanted = gravelp_promote_hear(deque->steal, deque->group); /* X1 */
}

/* Leader, at a boundary: the next task of the group's own, or a move; none: search other deques. */
GRAVELP_INLINE uint gravelp_policy_decide(struct gravel_deque *deque)
{
    global struct gravelp_steal *steal = deque->steal;
    local struct gravelp_own *own = deque->own;
    uint verdict = GRAVELP_VERDICT_NONE;
    if (own->move != GRAVELP_MOVE_NONE)
        gravelp_promote_end(steal, own);
    if (deque->wanted)
        verdict = gravelp_promote_begin(steal, own, deque->group);
    deque->wanted = 0;
    if (verdict != GRAVELP_VERDICT_NONE)
        return verdict;
    if (gravelp_deque_pop(steal, own, deque->group)) {
        /* X1: for the next boundary, so that the task hides how long the load takes */
        deque->wanted = gravelp_promote_hear(steal, deque->group);
        return GRAVELP_VERDICT_TASK;
    }
    return gravelp_promote_take_back(steal, own, deque->group);
}

/* Every work-item of the group: give older tasks away in the middle of a task, if another group asks or `is_full`. */
GRAVELP_INLINE void gravelp_policy_share(struct gravel_deque *deque, uint is_full)
{
    local struct gravelp_own *own = deque->own;
    uint verdict;
    do {
        gravelp_steal_meet(deque->steal); /* G7: pushes are in the ring, and moves are done */
        if (gravelp_is_leader()) {
            verdict = GRAVELP_VERDICT_NONE;
            if (own->move != GRAVELP_MOVE_NONE)
                gravelp_promote_end(deque->steal, own);
            else if (is_full || gravelp_promote_hear(deque->steal, deque->group)) /* X1 */
                verdict = gravelp_promote_begin(deque->steal, own, deque->group);
            own->verdict = verdict;
            own->n_tasks = own->tail - own->head;
        }
        gravelp_steal_meet(deque->steal); /* G7: the leader has decided */
        verdict = own->verdict;
        gravelp_deque_carry(*deque); /* nothing, if the verdict is another */
    } while (verdict == GRAVELP_VERDICT_MOVE);
    deque->n_tasks = own->n_tasks;
}

#else

GRAVELP_INLINE void gravelp_policy_begin(struct gravel_deque *deque)
{
    (void)deque;
}

GRAVELP_INLINE void gravelp_policy_share(struct gravel_deque *deque, uint is_full)
{
    (void)deque;
    (void)is_full;
}

/* Leader: the newest task of the group's own, or the next one of the list. */
GRAVELP_INLINE uint gravelp_policy_decide(struct gravel_deque *deque)
{
#if GRAVELP_STEAL_IS_LIST
    global struct gravelp_steal *steal = deque->steal;
    uint task = gravelp_device_fetch_add_relaxed(&steal->next, 1); /* X8 */
    if (task >= steal->n_tasks)
        return GRAVELP_VERDICT_END;
    deque->own->task =
        *((global GRAVEL_STEAL_TASK *)((global uchar *)steal + steal->rings_offset) + task);
    return GRAVELP_VERDICT_TASK;
#else
    return gravelp_deque_pop(deque->steal, deque->own, deque->group) ? GRAVELP_VERDICT_TASK
                                                                     : GRAVELP_VERDICT_END;
#endif
}

#endif

/* ---- a leader without a task ------------------------------------------------------------------- */

#if GRAVELP_STEAL_IS_PROMOTED
/* Deques that a group without a task polls in a round. */
#ifndef GRAVELP_STEAL_POLLS
#define GRAVELP_STEAL_POLLS 32u
#endif

/*
 * Leader without a task: whether to wait for any no longer. A group that has not started offers nothing and will run
 * its own tasks; a group that ends has none. So to end too early costs speed only, and groups need not run side by
 * side.
 */
GRAVELP_INLINE bool gravelp_steal_is_over(global struct gravelp_steal *steal)
{
    uint n_idle = gravelp_device_load_relaxed(&steal->n_idle);         /* X7 */
    return n_idle >= gravelp_device_load_relaxed(&steal->n_started) || /* X7 */
           gravelp_device_load_relaxed(&steal->fault_claim) ||         /* X9 */
           gravelp_load_relaxed(&steal->abort);                        /* H7 */
}

/* Leader: the next number of the group's own. Source: G. Marsaglia, Xorshift RNGs, 2003. */
GRAVELP_INLINE uint gravelp_random_next(local struct gravelp_own *own)
{
    uint x = own->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    own->random = x;
    return x;
}

/* Leader: poll other deques, from a random one on. */
GRAVELP_INLINE uint gravelp_steal_round(global struct gravelp_steal *steal,
                                        local struct gravelp_own *own, uint group, uint n_polls)
{
    uint n_groups = steal->n_groups, victim = gravelp_random_next(own) % n_groups;
    own->n_asked = 0;
    for (uint i = 0; i < n_polls && i < n_groups;
         i++, victim = victim + 1 < n_groups ? victim + 1 : 0) {
        uint verdict =
            victim == group ? GRAVELP_VERDICT_NONE : gravelp_policy_steal(steal, own, victim);
        if (verdict != GRAVELP_VERDICT_NONE)
            return verdict;
    }
    return GRAVELP_VERDICT_NONE;
}

/*
 * Leader: wait until another group gives something, or none has anything. Where a launch is cut into slices it polls
 * all deques once, for it finds what groups of the last slice have offered. While no group becomes idle or busy it
 * waits for wait_ms at least, by the time that polls and pauses take: a group may have returned out of a task.
 */
GRAVELP_OUT_OF_LINE uint gravelp_steal_find(global struct gravelp_steal *steal,
                                            local struct gravelp_own *own, uint group)
{
    ulong least_ns = 0;
    uint seen = 0;
    gravelp_count_idle(steal, own, 1);
    for (uint polls = 0;; polls++) {
        uint n_polls = polls || !steal->is_sliced ? GRAVELP_STEAL_POLLS : steal->n_groups;
        uint verdict = gravelp_steal_round(steal, own, group, n_polls);
        if (verdict != GRAVELP_VERDICT_NONE)
            return verdict;
        if (gravelp_steal_is_over(steal) || least_ns > steal->wait_ms * (ulong)1000000)
            return GRAVELP_VERDICT_END;
        own->counts.looks++;
        uint n_idle = gravelp_device_load_relaxed(&steal->n_idle); /* X7 */
        least_ns = n_idle == seen ? least_ns + (ulong)steal->poll_ns * n_polls : 0;
        seen = n_idle;
        least_ns += gravelp_pause(polls, false);
    }
}
#endif

/* ---- what the leader decides ---------------------------------------------------------------------- */

/* Leader, at the boundary between two tasks. */
GRAVELP_INLINE uint gravelp_steal_step(struct gravel_deque *deque)
{
    local struct gravelp_own *own = deque->own;
    uint budget = deque->steal->budget, verdict = GRAVELP_VERDICT_END;
    if (own->verdict == GRAVELP_VERDICT_END)
        return verdict;
    if (gravelp_deque_is_whole(deque->steal, own, deque->group) &&
        !(budget && own->n_run >= budget && own->move == GRAVELP_MOVE_NONE))
        verdict = gravelp_policy_decide(deque);
#if GRAVELP_STEAL_IS_PROMOTED
    if (verdict == GRAVELP_VERDICT_NONE)
        verdict = gravelp_steal_find(deque->steal, own, deque->group);
#endif
    own->n_run += verdict == GRAVELP_VERDICT_TASK;
    return verdict;
}

/* ---- calls of the whole group ---------------------------------------------------------------------- */

/* Every work-item of the group: the next task. False at the end. */
GRAVELP_INLINE bool gravelp_steal_next(struct gravel_deque *deque, GRAVEL_STEAL_TASK *task)
{
    local struct gravelp_own *own = deque->own;
    uint verdict;
    GRAVELP_ASSUME(deque->steal->n_groups != 0); /* PoCL 3.1 adds a barrier before the loop */
    do {
        gravelp_steal_meet(
            deque->steal); /* G7: the last task's pushes are in the ring, and moves are done */
        if (gravelp_is_leader()) {
            own->verdict = gravelp_steal_step(deque);
            own->n_tasks = own->tail - own->head;
        }
        gravelp_steal_meet(deque->steal); /* G7: the leader has decided */
        verdict = own->verdict;
        gravelp_deque_carry(*deque); /* nothing, if the verdict is another */
    } while (verdict == GRAVELP_VERDICT_MOVE);
    GRAVELP_ASSUME(deque->steal->n_groups !=
                   0); /* as in gravelp_steal_meet, for the task's first branch */
    *task = own->task;
    deque->n_tasks = own->n_tasks;
    return verdict == GRAVELP_VERDICT_TASK;
}

/* Leader: whether the program and the memory that the host made are for each other: only then begin loads, and end
 * saves. */
GRAVELP_INLINE bool gravelp_steal_fits(global struct gravelp_steal *steal, uint group)
{
    return steal->magic == GRAVELP_STEAL_MAGIC && steal->policy == GRAVELP_STEAL_POLICY &&
           steal->task_bytes == sizeof(GRAVEL_STEAL_TASK) && group < steal->n_groups;
}

/* Leader: the deque as the host or the last launch left it. */
GRAVELP_OUT_OF_LINE void gravelp_steal_load(global struct gravelp_steal *steal,
                                            local struct gravelp_own *own, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    gravelp_store_relaxed(&me->n_begun, me->n_begun + 1); /* H8 */
    own->head = me->head;
    own->tail = me->tail;
    gravelp_device_fetch_add_relaxed(&steal->n_started, 1); /* X7 */
}

/* Leader: leave it for the host, or the next launch. */
GRAVELP_OUT_OF_LINE void gravelp_steal_save(global struct gravelp_steal *steal,
                                            local struct gravelp_own *own, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    gravelp_count_idle(steal, own, 1); /* for those that search */
    me->head = own->head;
    me->tail = own->tail;
    me->counts.done += own->n_run;
    me->counts.stolen += own->counts.stolen;
    me->counts.failed += own->counts.failed;
    me->counts.offers += own->counts.offers;
    me->counts.looks += own->counts.looks;
    gravelp_store_relaxed(&me->n_ended, me->n_ended + 1); /* H8 */
}

/* Every work-item of the group: before the first task. */
GRAVELP_INLINE bool gravelp_steal_begin(struct gravel_deque *deque)
{
    global struct gravelp_steal *steal = deque->steal;
    local struct gravelp_own *own = deque->own;
    if (gravelp_is_leader()) {
        bool fits = gravelp_steal_fits(steal, deque->group);
        own->verdict = fits ? GRAVELP_VERDICT_NONE : GRAVELP_VERDICT_END;
        own->head = own->tail = own->n_refused = own->n_run = own->is_idle = own->move = 0;
        own->n_moved = 0;
        own->group = deque->group;
        own->random = (deque->group + 1) * 2654435769u;
        own->counts = (struct gravelp_steal_counts){0, 0, 0, 0, 0};
        if (fits) {
            gravelp_steal_load(steal, own, deque->group);
            gravelp_policy_begin(deque);
        } else
            gravelp_steal_fault(steal, GRAVELP_STEAL_FAULT_PROGRAM, deque->group,
                                (uint)sizeof(GRAVEL_STEAL_TASK), GRAVELP_STEAL_POLICY);
    }
    return true;
}

/* Every work-item of the group: after the last task, or a break out of one. */
GRAVELP_INLINE bool gravelp_steal_end(struct gravel_deque *deque)
{
    local struct gravelp_own *own = deque->own;
    if (gravelp_is_leader()) {
        if (own->verdict != GRAVELP_VERDICT_END)
            gravelp_steal_fault(deque->steal, GRAVELP_STEAL_FAULT_LEFT, deque->group,
                                own->tail - own->head, 0);
        if (gravelp_steal_fits(deque->steal, deque->group))
            gravelp_steal_save(deque->steal, own, deque->group);
    }
    return false;
}

/* Every work-item of the group, before all of them push: make room if the ring may be full. */
GRAVELP_INLINE void gravelp_steal_reserve(struct gravel_deque *deque)
{
    uint n_lanes = gravelp_n_lanes();
    if (deque->n_tasks + n_lanes > deque->steal->capacity)
        gravelp_policy_share(deque, 1);
    deque->n_tasks += n_lanes;
}

#endif
