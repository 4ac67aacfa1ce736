/* SPDX-License-Identifier: MIT */
/*
 * What a group does next, by policy; how a launch begins and ends for it.
 *
 *     begin;  while (next task)  run it, push, look;  end
 *
 * A group's deque has its ends in local memory and its ring in global memory. Only the group itself uses it, by plain
 * accesses between barriers. The leader decides what the group does next, and says so in `verdict` between two
 * barriers: run a task, move tasks between ring and a block, or end.
 *
 * Policy promoted: a group offers tasks of its private deque when another group asks, at its next boundary.
 *
 *     thief   wanted = 1                       ask
 *     owner   block = older half; offer = 1    X2: what the group did so far is released to the whole device
 *     thief   offer: 1 -> 2                    X3
 *             own ring = block; offer = 0      X6
 *
 * An owner with nothing left takes its own offer as a thief would, if no thief has.
 *
 * Only the owner can promote what its group has ordered by barriers to device scope, for in OpenCL two scopes
 * synchronize only if they are the same. A request is a hint: one that is lost is made again.
 *
 * Path:    portable.cl.h -> this -> steal.cl.h.
 * Threads: leaders decide, and the group moves tasks between their decisions; calls with a barrier are for every
 *          work-item of the group.
 * Memory:  G7; X1 to X6 in docs/design/memory-order.md; X7: how many groups have begun and are idle, and X8, the list's
 *          counter, are relaxed.
 * Source:  Orr et al. 2015, sections 4 (remote-scope promotion, which is hardware's there) and 5 (a task is work for a
 *          whole group, and one work-item pops for all); Acar, Charguéraud, Rainey, Scheduling Parallel Programs by
 *          Work Stealing with Private Deques, PPoPP 2013.
 */
#ifndef GRAVELP_SCHEDULE_CL_H
#define GRAVELP_SCHEDULE_CL_H

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

/* Stores `value` if the word is `expected`. Returns whether it was: acquire if so, else relaxed. */
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
    GRAVELP_NO_MERGE();
    GRAVELP_ASSUME(steal->n_groups != 0);
}

/* ---- what the leader reports --------------------------------------------------------------------- */

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
    global GRAVEL_STEAL_TASK *block =
        (global GRAVEL_STEAL_TASK *)((global uchar *)deque.steal + deque.steal->blocks_offset) +
        (ulong)own->victim * GRAVELP_STEAL_BLOCK;
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

/* Leader: counts the group as one without a task, or no longer. */
GRAVELP_INLINE void gravelp_count_idle(global struct gravelp_steal *steal,
                                       local struct gravelp_own *own, uint is_idle)
{
    if (own->is_idle == is_idle)
        return;
    own->is_idle = is_idle;
    gravelp_store_relaxed(&gravelp_deque(steal, own->group)->is_waiting, is_idle); /* H8 */
    gravelp_device_fetch_add_relaxed(&steal->n_idle, is_idle ? 1u : ~0u);          /* X7 */
}

/* ---- a policy: decide; give tasks away; where groups steal, steal -------------------------------- */

#if defined(GRAVELP_STEAL_STUDY)
#include <steal_study.cl.h> /* a study's policy, which the compiler's -I finds */
#elif GRAVELP_STEAL_IS_PROMOTED

/*
 * A round of a group without a task: how many deques it asks for tasks. Groups that are asked give at their next
 * boundary, which costs them some microseconds of a GPU, so few idle groups should not ask all busy ones.
 */
#ifndef GRAVELP_STEAL_ASKS
#define GRAVELP_STEAL_ASKS 4u
#endif

/* Owner, at a boundary: whether another group has asked, and no offer waits. Both are hints: X5 decides. */
GRAVELP_INLINE uint gravelp_promote_asked(global struct gravelp_steal *steal, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    uint wanted = gravelp_device_load_relaxed(&me->wanted), /* X1 */
        offer = gravelp_device_load_relaxed(&me->offer);
    return wanted && offer == GRAVELP_OFFER_EMPTY;
}

/* Owner: have the older half moved to the block, if that is empty. */
GRAVELP_OUT_OF_LINE uint gravelp_promote_begin(global struct gravelp_steal *steal,
                                               local struct gravelp_own *own)
{
    global struct gravelp_deque *me = gravelp_deque(steal, own->group);
    uint n = (own->tail - own->head) / 2, at = own->head;
    if (n == 0 || own->n_refused ||
        gravelp_device_load_acquire(&me->offer) != GRAVELP_OFFER_EMPTY) /* X5, pairs with X6 */
        return GRAVELP_VERDICT_NONE;
    n = n < GRAVELP_STEAL_BLOCK ? n : GRAVELP_STEAL_BLOCK;
    own->head += n;
    return gravelp_deque_move(own, GRAVELP_MOVE_OFFER, n, at, own->group);
}

/* Leader, when the group has moved tasks: notify the group that it concerns. */
GRAVELP_OUT_OF_LINE void gravelp_promote_end(global struct gravelp_steal *steal,
                                             local struct gravelp_own *own)
{
    global struct gravelp_deque *whose = gravelp_deque(steal, own->victim);
    uint move = own->move, n = own->n_moved;
    own->move = GRAVELP_MOVE_NONE;
    own->n_moved = 0;
    if (move == GRAVELP_MOVE_OFFER) {
        whose->n_offered = n;
        gravelp_device_store_relaxed(&whose->wanted, 0);                 /* X1: answered */
        gravelp_device_store_release(&whose->offer, GRAVELP_OFFER_MADE); /* X2, pairs with X3 */
        own->counts.offers++;
        return;
    }
    gravelp_device_store_release(&whose->offer, GRAVELP_OFFER_EMPTY); /* X6, pairs with X5 */
    own->tail += n;
    own->counts.stolen += own->victim == own->group ? 0 : n;
}

/* Leader: the last move has ended; another one begins if tasks are asked for. */
GRAVELP_INLINE uint gravelp_policy_offer(struct gravel_deque *deque, uint is_asked)
{
    if (deque->own->move != GRAVELP_MOVE_NONE)
        gravelp_promote_end(deque->steal, deque->own);
    return is_asked ? gravelp_promote_begin(deque->steal, deque->own) : GRAVELP_VERDICT_NONE;
}

/* Leader, during a task: offers older tasks, if another group asks or `is_full`. */
GRAVELP_INLINE uint gravelp_policy_share(struct gravel_deque *deque, uint is_full)
{
    return gravelp_policy_offer(
        deque, is_full || gravelp_promote_asked(deque->steal, deque->group)); /* X1 */
}

/* Leader, at a boundary: the next task of the group's own, or a move; none: search all deques. */
GRAVELP_INLINE uint gravelp_policy_decide(struct gravel_deque *deque)
{
    uint verdict = gravelp_policy_offer(deque, deque->wanted);
    deque->wanted = 0;
    if (verdict == GRAVELP_VERDICT_NONE && gravelp_deque_pop(deque->steal, deque->own)) {
        verdict = GRAVELP_VERDICT_TASK;
        /* X1: for the next boundary, so that the task hides how long the load takes */
        deque->wanted = gravelp_promote_asked(deque->steal, deque->group);
    }
    return verdict;
}

/* Thief: takes the offer of a group, or its own, or asks another group for one. */
GRAVELP_INLINE uint gravelp_policy_steal(global struct gravelp_steal *steal,
                                         local struct gravelp_own *own, uint victim)
{
    global struct gravelp_deque *whose = gravelp_deque(steal, victim);
    if (gravelp_device_load_relaxed(&whose->offer) !=
        GRAVELP_OFFER_MADE) { /* relaxed: X3 decides */
        if (victim != own->group && own->n_asked < GRAVELP_STEAL_ASKS &&
            gravelp_device_load_relaxed(&whose->wanted) == 0) { /* X1 */
            gravelp_device_store_relaxed(&whose->wanted, 1);    /* X1: asked */
            own->n_asked++;
        }
        return GRAVELP_VERDICT_NONE;
    }
    gravelp_count_idle(steal, own, 0);
    if (!gravelp_device_swap_acquire(&whose->offer, GRAVELP_OFFER_MADE,
                                     GRAVELP_OFFER_TAKEN)) { /* X3, pairs with X2 */
        own->counts.failed++;
        gravelp_count_idle(steal, own, 1);
        return GRAVELP_VERDICT_NONE;
    }
    return gravelp_deque_move(own, GRAVELP_MOVE_TAKE, whose->n_offered, own->tail, victim);
}

#else

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
    return gravelp_deque_pop(deque->steal, deque->own) ? GRAVELP_VERDICT_TASK : GRAVELP_VERDICT_END;
#endif
}

GRAVELP_INLINE uint gravelp_policy_share(struct gravel_deque *deque, uint is_full)
{
    (void)deque;
    (void)is_full;
    return GRAVELP_VERDICT_NONE; /* nothing is given away */
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
 * its own tasks; a group that ends has none. So to end too early costs speed only, and groups need not run
 * concurrently.
 */
GRAVELP_INLINE bool gravelp_steal_is_over(global struct gravelp_steal *steal)
{
    uint n_idle = gravelp_device_load_relaxed(&steal->n_idle);         /* X7 */
    return n_idle >= gravelp_device_load_relaxed(&steal->n_started) || /* X7 */
           gravelp_device_load_relaxed(&steal->fault_claim) ||         /* X9 */
           gravelp_load_relaxed(&steal->abort);                        /* H7 */
}

/* Leader: poll other deques, from a random one on. Source: G. Marsaglia, Xorshift RNGs, 2003. */
GRAVELP_INLINE uint gravelp_steal_round(global struct gravelp_steal *steal,
                                        local struct gravelp_own *own, uint n_polls)
{
    uint n_groups = steal->n_groups, x = own->random, verdict = GRAVELP_VERDICT_NONE;
    x ^= x << 13;
    x ^= x >> 17;
    own->random = x ^= x << 5;
    own->n_asked = 0;
    for (uint i = 0, victim = x % n_groups;
         i < n_polls && i < n_groups && verdict == GRAVELP_VERDICT_NONE;
         i++, victim = victim + 1 < n_groups ? victim + 1 : 0)
        verdict = gravelp_policy_steal(steal, own, victim);
    return verdict;
}

/*
 * Leader: take the group's own offer; else wait until another group gives something, or none has anything. Where a
 * launch is cut into slices it polls all deques once, for it finds what groups of the last slice have offered. While no
 * group becomes idle or busy it waits for wait_ms at least, by the time that polls and pauses take: a group may have
 * returned out of a task.
 */
GRAVELP_OUT_OF_LINE uint gravelp_steal_find(global struct gravelp_steal *steal,
                                            local struct gravelp_own *own)
{
    ulong least_ns = 0;
    uint seen = 0, verdict = gravelp_policy_steal(steal, own, own->group);
    for (uint polls = 0; verdict == GRAVELP_VERDICT_NONE; polls++) {
        uint n_polls = polls || !steal->is_sliced ? GRAVELP_STEAL_POLLS : steal->n_groups;
        gravelp_count_idle(steal, own, 1);
        verdict = gravelp_steal_round(steal, own, n_polls);
        if (verdict != GRAVELP_VERDICT_NONE)
            break;
        if (gravelp_steal_is_over(steal) || least_ns > steal->wait_ms * (ulong)1000000)
            return GRAVELP_VERDICT_END;
        own->counts.looks++;
        uint n_idle = gravelp_device_load_relaxed(&steal->n_idle); /* X7 */
        least_ns = n_idle == seen ? least_ns + (ulong)steal->poll_ns * n_polls : 0;
        seen = n_idle;
        least_ns += gravelp_pause(polls, false);
    }
    return verdict;
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
    if (own->n_refused) /* pushes that found no room, and are forgotten */
        gravelp_steal_fault(deque->steal, GRAVELP_STEAL_FAULT_FULL, own->group, own->n_refused, 0);
    else if (!(budget && own->n_run >= budget && own->move == GRAVELP_MOVE_NONE))
        verdict = gravelp_policy_decide(deque);
    own->tail -= own->n_refused;
    own->n_refused = 0;
#if GRAVELP_STEAL_IS_PROMOTED
    if (verdict == GRAVELP_VERDICT_NONE)
        verdict = gravelp_steal_find(deque->steal, own);
#endif
    own->n_run += verdict == GRAVELP_VERDICT_TASK;
    return verdict;
}

/* ---- calls of the whole group ---------------------------------------------------------------------- */

/*
 * Every work-item of the group: the leader decides, between two tasks or within one, and the group moves tasks until
 * there are none to move.
 */
GRAVELP_INLINE uint gravelp_steal_agree(struct gravel_deque *deque, uint is_between, uint is_full)
{
    local struct gravelp_own *own = deque->own;
    uint verdict;
    GRAVELP_ASSUME(deque->steal->n_groups != 0); /* PoCL 3.1 adds a barrier before the loop */
    do {
        gravelp_steal_meet(deque->steal); /* G7: pushes are in the ring, and moves are done */
        if (gravelp_is_leader()) {
            own->verdict =
                is_between ? gravelp_steal_step(deque) : gravelp_policy_share(deque, is_full);
            own->n_tasks = own->tail - own->head;
        }
        gravelp_steal_meet(deque->steal); /* G7: the leader has decided */
        verdict = own->verdict;
        gravelp_deque_carry(*deque); /* nothing, if the verdict is another */
    } while (verdict == GRAVELP_VERDICT_MOVE);
    deque->n_tasks = own->n_tasks;
    return verdict;
}

/* Every work-item of the group, in a task: give older tasks away, if another group asks or `is_full`. */
GRAVELP_INLINE void gravelp_steal_share(struct gravel_deque *deque, uint is_full)
{
    if (GRAVELP_STEAL_IS_PROMOTED)
        gravelp_steal_agree(deque, 0, is_full);
}

/* Every work-item of the group: the next task. False at the end. */
GRAVELP_INLINE bool gravelp_steal_next(struct gravel_deque *deque, GRAVEL_STEAL_TASK *task)
{
    uint verdict = gravelp_steal_agree(deque, 1, 0);
    GRAVELP_ASSUME(deque->steal->n_groups !=
                   0); /* as in gravelp_steal_meet, for the task's first branch */
    *task = deque->own->task;
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
                                            local struct gravelp_own *own)
{
    global struct gravelp_deque *me = gravelp_deque(steal, own->group);
    gravelp_store_relaxed(&me->n_begun, me->n_begun + 1); /* H8 */
    own->head = me->head;
    own->tail = me->tail;
    gravelp_device_fetch_add_relaxed(&steal->n_started, 1); /* X7 */
}

/* Leader: leave it for the host, or the next launch. */
GRAVELP_OUT_OF_LINE void gravelp_steal_save(global struct gravelp_steal *steal,
                                            local struct gravelp_own *own)
{
    global struct gravelp_deque *me = gravelp_deque(steal, own->group);
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
    local struct gravelp_own *own = deque->own;
    if (gravelp_is_leader()) {
        bool fits = gravelp_steal_fits(deque->steal, deque->group);
        *own = (struct gravelp_own){.verdict = fits ? GRAVELP_VERDICT_NONE : GRAVELP_VERDICT_END,
                                    .group = deque->group,
                                    .random = (deque->group + 1) * 2654435769u};
        if (fits)
            gravelp_steal_load(deque->steal, own);
        else
            gravelp_steal_fault(deque->steal, GRAVELP_STEAL_FAULT_PROGRAM, deque->group,
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
            gravelp_steal_save(deque->steal, own);
    }
    return false;
}

#endif
