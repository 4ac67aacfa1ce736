/* SPDX-License-Identifier: MIT */
/*
 * Work stealing between work-groups: what a kernel calls that runs tasks of deques.
 *
 *     #include "gravel.cl.h"
 *     #include "steal.cl.h"
 *
 *     kernel void count_nodes(GRAVEL_STEAL, global volatile uint *n_nodes, uint chance)
 *     {
 *         GRAVEL_STEAL_OPEN(s);
 *         GRAVEL_STEAL_EACH(s, node) {
 *             uint lane = get_local_id(0);
 *             bool has = lane < 4 && hash(node) < chance;
 *             gravel_steal_push_wg_if(s, has, child(node, lane));
 *             if (lane == 0)
 *                 atomic_inc(n_nodes);
 *         }
 *     }
 *
 * A task is work for a whole group, whose work-items iterate over the same ones. Its type is ulong, or what the
 * program defines as GRAVEL_STEAL_TASK before the include: 4 to 64 bytes, a multiple of 4, as many as the host's
 * task_bytes. The group runs what it pushed last first; thieves take the oldest.
 *
 *     gravel_steal_push_S(s, [active,] task)      S: wg, wg_if, wi, as in gravel.cl.h
 *
 * A task that is pushed runs exactly once, in this launch, and any group may run it: what it needs must be in it or
 * follow from it. A push into a full ring has the group offer its older half, if no earlier offer waits (_wi: never);
 * if that does not make room, the group ends and the host's gravel_steal_wait returns GRAVEL_EKERNEL.
 *
 * Memory:  what a group did before the boundary behind a push is visible to the group that runs the task (X2, X3).
 *          Tasks that run at once share words by atomics, as work-groups do.
 * Path:    the user's kernel -> this -> device/schedule.cl.h.
 * Source:  Orr et al., Synchronization Using Remote-Scope Promotion, ASPLOS 2015.
 */
#ifndef GRAVEL_STEAL_CL_H
#define GRAVEL_STEAL_CL_H

#include "schedule.cl.h"

/* ---- a kernel that runs tasks ------------------------------------------------------------------- */

/* The kernel argument; gravel_steal_launch sets it, and launches in one dimension. */
#define GRAVEL_STEAL global struct gravelp_steal *gravel_steal_

/* In the outermost scope of a kernel, once: declares `s`, a struct gravel_deque, and its local memory. */
#define GRAVEL_STEAL_OPEN(s)                                 \
    GRAVELP_LOCAL(gravelp_own, gravelp_own_##s, own);        \
    struct gravel_deque s = {gravel_steal_, gravelp_own_##s, \
                             (uint)(get_global_id(0) / get_local_size(0)), 0, 0}

/*
 * Every work-item of the group: one iteration for each task that the group runs; `task` is declared. `continue` ends a
 * task. The loop ends when no group has a task; leave it in no other way: no break, no return.
 */
#define GRAVEL_STEAL_EACH(s, task)                                            \
    for (bool gravelp_goes_##s = gravelp_steal_begin(&(s)); gravelp_goes_##s; \
         gravelp_goes_##s = gravelp_steal_end(&(s)))                          \
        for (GRAVEL_STEAL_TASK task; gravelp_steal_next(&(s), &task);)

/* ---- in a task ------------------------------------------------------------------------------------- */

#if GRAVELP_STEAL_IS_LIST
#define GRAVELP_NO_PUSH gravel_error_policy_counter_runs_tasks_known_in_advance_and_has_no_pushes
#define gravel_steal_push_wg(...) GRAVELP_NO_PUSH
#define gravel_steal_push_wg_if(...) GRAVELP_NO_PUSH
#define gravel_steal_push_wi(...) GRAVELP_NO_PUSH
#else
/* Every work-item of the group pushes a task; those whose `active` is 0 push none. */
#define gravel_steal_push_wg(s, task) gravelp_steal_push_wg(&(s), 1, (task))
#define gravel_steal_push_wg_if(s, active, task) gravelp_steal_push_wg(&(s), (active) != 0, (task))
GRAVELP_INLINE void gravelp_steal_push_wg(struct gravel_deque *deque, uint active,
                                          GRAVEL_STEAL_TASK task)
{
    uint n_lanes = gravelp_n_lanes();
    if (deque->n_tasks + n_lanes > deque->steal->capacity) /* the ring may be full: make room */
        gravelp_steal_share(deque, 1);
    deque->n_tasks += n_lanes;
    if (active)
        gravelp_deque_push(*deque, task);
}

/* Any work-item, in divergent code too, pushes a task. */
#define gravel_steal_push_wi(s, task) gravelp_deque_push((s), (task))
#endif

/*
 * Every work-item of the group, now and then in a long task: offers tasks if another group asks. Between tasks a group
 * offers them in any case.
 */
#define gravel_steal_look_wg(s) gravelp_steal_share(&(s), 0)

/*
 * Any work-item, after its poll number `polls` (from 0) of a word that another group has not written yet: waits a
 * moment, the longer the more polls. On a CPU device it gives the core away, maybe to the group it waits for.
 */
GRAVELP_INLINE void gravel_pause_wi(uint polls)
{
    gravelp_pause(polls, false);
}

#endif
