/* SPDX-License-Identifier: MIT */
/*
 * What a kernel calls that runs tasks of deques.
 *
 *     #include "gravel.cl.h"
 *     #include "steal.cl.h"
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
 * A task is work for a whole group, whose work-items iterate over the same tasks. Its type is ulong, or what the
 * program defines as GRAVEL_STEAL_TASK before the include: a multiple of 4 bytes from 4 to 64, the host's task_bytes.
 * The group runs what it pushed last first; thieves take the oldest.
 *
 *     gravel_steal_push_S(s, [active,] task)      S: wg, wg_if, wi, as in gravel.cl.h
 *
 * A pushed task runs exactly once, in this launch, on any group. A push into a full ring makes the group offer its
 * older half, if no earlier offer waits (_wi: never); if that makes no room, the group ends and gravel_steal_wait
 * returns GRAVEL_EKERNEL.
 *
 * Memory:  what a group did before the boundary after a push is visible to the group that runs the task (X2, X3).
 *          Tasks that run at once share words by atomics.
 * Path:    the user's kernel -> this -> device/schedule.cl.h.
 * Source:  Orr et al., Synchronization Using Remote-Scope Promotion, ASPLOS 2015.
 */
#ifndef GRAVEL_STEAL_CL_H
#define GRAVEL_STEAL_CL_H

#include "schedule.cl.h"

/* ---- a kernel that runs tasks ------------------------------------------------------------------- */

/* The kernel argument that gravel_steal_launch sets; it launches in one dimension. */
#define GRAVEL_STEAL global struct gravelp_steal *gravel_steal_

/* Declares `s`, a struct gravel_deque, and its local memory: in the outermost scope of a kernel, once. */
#define GRAVEL_STEAL_OPEN(s)                                 \
    GRAVELP_LOCAL(gravelp_own, gravelp_own_##s, own);        \
    struct gravel_deque s = {gravel_steal_, gravelp_own_##s, \
                             (uint)(get_global_id(0) / get_local_size(0)), 0, 0}

/*
 * Every work-item of the group iterates once for each `task`, which the loop declares, until no group has one;
 * `continue` ends a task. No break, no return.
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
 * Every work-item of the group, now and then in a long task: offers tasks if another group asks, as between tasks.
 */
#define gravel_steal_look_wg(s) gravelp_steal_share(&(s), 0)

/*
 * Any work-item waits a moment after its poll `polls` (from 0) of another group's word, the longer the more polls. On
 * a CPU device it yields the core.
 */
GRAVELP_INLINE void gravel_pause_wi(uint polls)
{
    gravelp_pause(polls, false);
}

#endif
