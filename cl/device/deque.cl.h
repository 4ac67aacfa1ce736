/* SPDX-License-Identifier: MIT */
/*
 * A group's deque: ends in local memory, a ring in global memory, and the moves of many tasks that a group makes
 * together. Only the group itself uses it, by plain accesses between barriers.
 *
 * The leader decides what the group does next, and says so in `verdict` between two barriers: run a task, move tasks
 * between ring and a block, or end.
 *
 * Path:    portable.cl.h -> this -> schedule.cl.h.
 * Owner:   local memory, declared by GRAVEL_STEAL_OPEN; other groups touch what is global (schedule.cl.h).
 * Memory:  G7: pushes, moves and the leader's decisions, between barriers of the group.
 * Source:  Acar, Charguéraud, Rainey, Scheduling Parallel Programs by Work Stealing with Private Deques, PPoPP 2013.
 */
#ifndef GRAVELP_DEQUE_CL_H
#define GRAVELP_DEQUE_CL_H

#include "layout/steal.h"
#include "portable.cl.h"
#include "workgroup.cl.h"

/* ---- the policy of a program, and the swap of a word that work-groups share --------------------- */

#ifndef GRAVELP_STEAL_POLICY
#define GRAVELP_STEAL_POLICY GRAVELP_STEAL_PROMOTED /* lib/opencl/program.c says which */
#endif

#define GRAVELP_STEAL_IS_PROMOTED (GRAVELP_STEAL_POLICY == GRAVELP_STEAL_PROMOTED)
#define GRAVELP_STEAL_IS_LIST (GRAVELP_STEAL_POLICY == GRAVELP_STEAL_COUNTER)

#if defined(GRAVELP_ATOMICS_C11)

/* Whether the word was `expected`, and is `value` now. Acquire if it was; else relaxed. */
GRAVELP_INLINE bool gravelp_device_swap_acquire(global uint *word, uint expected, uint value)
{
    return atomic_compare_exchange_strong_explicit((gravelp_word *)word, &expected, value,
                                                   memory_order_acquire, memory_order_relaxed,
                                                   memory_scope_device);
}

#elif defined(__OPENCL_C_VERSION__) && GRAVELP_STEAL_IS_PROMOTED
#error \
    "this device has no acquire and release at device scope: GRAVEL_STEAL_POLICY=private or counter"
#endif

/* ---- a deque ------------------------------------------------------------------------------------ */

/* The type of a task, of 4 to 64 bytes; a program may define another one before the include. */
#ifndef GRAVEL_STEAL_TASK
#define GRAVEL_STEAL_TASK ulong
#endif

/* What the leader has the group do. */
#define GRAVELP_VERDICT_NONE 0u
#define GRAVELP_VERDICT_TASK 1u /* run own->task */
#define GRAVELP_VERDICT_MOVE 2u /* move n_moved tasks, and ask again */
#define GRAVELP_VERDICT_END 3u

/* What is moved. */
#define GRAVELP_MOVE_NONE 0u
#define GRAVELP_MOVE_OFFER 1u /* own ring's oldest to the own block */
#define GRAVELP_MOVE_TAKE 2u  /* a block to the own ring */

/* Local memory of a group; GRAVEL_STEAL_OPEN declares it. */
struct gravelp_own {
    GRAVEL_STEAL_TASK task; /* that the group runs */
    uint verdict;
    uint head,
        tail; /* of the ring: oldest task, behind the newest; free-running. Work-items add to tail as they push */
    uint n_tasks;                 /* in the ring when the leader last decided */
    uint n_refused;               /* pushes that the ring had no room for; tail counts them */
    uint move, n_moved, moved_at; /* and where in the ring */
    uint victim;                  /* whose block: a group's number */
    uint n_run;                   /* tasks of this launch */
    uint group;                   /* its number in the launch */
    uint is_idle;                 /* counted in n_idle */
    uint n_asked;                 /* groups, in this round */
    uint random;
    struct gravelp_steal_counts counts; /* of this launch */
};

/* What GRAVEL_STEAL_OPEN gives a work-item. */
struct gravel_deque {
    global struct gravelp_steal *steal;
    local struct gravelp_own *own;
    uint group;   /* its number in the launch, also where that is cut into slices */
    uint n_tasks; /* the same for the whole group: in the ring, at most */
    uint wanted;  /* leader: X1, as of the last boundary */
};

/* ---- where things lie -------------------------------------------------------------------------- */

GRAVELP_INLINE global struct gravelp_deque *gravelp_deque(global struct gravelp_steal *steal,
                                                          uint group)
{
    return (global struct gravelp_deque *)((global uchar *)steal + steal->deques_offset) + group;
}

GRAVELP_INLINE global GRAVEL_STEAL_TASK *gravelp_block(global struct gravelp_steal *steal,
                                                       uint group)
{
    return (global GRAVEL_STEAL_TASK *)((global uchar *)steal + steal->blocks_offset) +
           (ulong)group * GRAVELP_STEAL_BLOCK;
}

GRAVELP_INLINE global GRAVEL_STEAL_TASK *gravelp_slot(global struct gravelp_steal *steal,
                                                      uint group, uint index)
{
    return (global GRAVEL_STEAL_TASK *)((global uchar *)steal + steal->rings_offset) +
           (ulong)group * steal->capacity + (index & (steal->capacity - 1));
}

/*
 * Every work-item of the group: as gravelp_group_meet_apart, for kernels without an arena. The first word keeps the
 * barrier out of a work-item's own branch that ends the user's task.
 */
GRAVELP_INLINE void gravelp_steal_meet(global struct gravelp_steal *steal)
{
    GRAVELP_ASSUME(steal->n_groups != 0);
    gravelp_barrier_group();
    GRAVELP_STAY_APART();
    GRAVELP_ASSUME(steal->n_groups != 0);
}

/* ---- what the leader tells ---------------------------------------------------------------------- */

/* Leader: report to the host what went wrong; the launch's first fault stays. */
GRAVELP_OUT_OF_LINE void gravelp_steal_fault(global struct gravelp_steal *steal, uint fault,
                                             uint group, uint value, uint more)
{
    if (gravelp_device_fetch_add_relaxed(&steal->fault_claim, 1) != 0) /* X9 */
        return;
    steal->fault = fault; /* the kernel's end orders these for the host */
    steal->fault_group = group;
    steal->fault_values[0] = value;
    steal->fault_values[1] = more;
}

/* Leader: forget pushes that found no room; a fault if there are any. */
GRAVELP_INLINE bool gravelp_deque_is_whole(global struct gravelp_steal *steal,
                                           local struct gravelp_own *own)
{
    uint n_refused = own->n_refused;
    own->tail -= n_refused;
    own->n_refused = 0;
    if (n_refused)
        gravelp_steal_fault(steal, GRAVELP_STEAL_FAULT_FULL, own->group, n_refused, 0);
    return n_refused == 0;
}

/* ---- push and move ------------------------------------------------------------------------------- */

/* Any work-item: put a task into the ring; other work-items of the group may do so at once. */
GRAVELP_INLINE void gravelp_deque_push(struct gravel_deque deque, GRAVEL_STEAL_TASK task)
{
    uint index = gravelp_local_add_relaxed(&deque.own->tail, 1);
    if (index - deque.own->head < deque.steal->capacity)
        *gravelp_slot(deque.steal, deque.group, index) = task;
    else
        gravelp_local_add_relaxed(&deque.own->n_refused, 1);
}

/* Leader: have the group move n tasks. */
GRAVELP_INLINE uint gravelp_deque_move(local struct gravelp_own *own, uint move, uint n, uint at,
                                       uint victim)
{
    own->move = move;
    own->n_moved = n;
    own->moved_at = at;
    own->victim = victim;
    return GRAVELP_VERDICT_MOVE;
}

/* Every work-item of the group, after the leader has decided: move its share, if anything is to be moved. */
GRAVELP_INLINE void gravelp_deque_carry(struct gravel_deque deque)
{
    local const struct gravelp_own *own = deque.own;
    global GRAVEL_STEAL_TASK *block = gravelp_block(deque.steal, own->victim);
    for (uint i = (uint)gravelp_lane_id(); i < own->n_moved; i += gravelp_n_lanes()) {
        global GRAVEL_STEAL_TASK *slot = gravelp_slot(deque.steal, deque.group, own->moved_at + i);
        if (own->move == GRAVELP_MOVE_OFFER)
            block[i] = *slot;
        else
            *slot = block[i];
    }
}

/* Leader: the newest task of the ring, if there is one. */
GRAVELP_INLINE bool gravelp_deque_pop(global struct gravelp_steal *steal,
                                      local struct gravelp_own *own)
{
    if (own->tail == own->head)
        return false;
    own->task = *gravelp_slot(steal, own->group, --own->tail);
    return true;
}

/* ---- ending --------------------------------------------------------------------------------------- */

/* Leader: count the group among those that have no task, or take it out. */
GRAVELP_INLINE void gravelp_count_idle(global struct gravelp_steal *steal,
                                       local struct gravelp_own *own, uint is_idle)
{
    if (own->is_idle == is_idle)
        return;
    own->is_idle = is_idle;
    gravelp_store_relaxed(&gravelp_deque(steal, own->group)->is_waiting, is_idle); /* H8 */
    gravelp_device_fetch_add_relaxed(&steal->n_idle, is_idle ? 1u : ~0u);          /* X7 */
}

#endif
