/* SPDX-License-Identifier: MIT */
/*
 * Policy promoted: a group offers tasks of its private deque when another group asks, at its next boundary.
 *
 *     thief   wanted = 1                       ask
 *     owner   block = older half; offer = 1    X2: what the group did so far is released to the whole device
 *     thief   offer: 1 -> 2                    X3
 *             own ring = block; offer = 0      X6
 *     owner   offer: 1 -> 0                    X4: with nothing left it takes its own offer back
 *
 * Only the owner can promote what its group has ordered by barriers to device scope, for in OpenCL two scopes
 * synchronize only if they are the same. A request is a hint: one that is lost is made again.
 *
 * Path:    deque.cl.h -> this -> schedule.cl.h.
 * Threads: leaders; the group moves tasks between the leader's decisions.
 * Memory:  X1 to X6 in docs/design/memory-order.md.
 * Source:  Orr et al. 2015, section 4 (remote-scope promotion, which is hardware's there); Acar et al. 2013 (private
 *          deques with requests).
 */
#ifndef GRAVELP_PROMOTE_CL_H
#define GRAVELP_PROMOTE_CL_H

#include "deque.cl.h"

#if GRAVELP_STEAL_IS_PROMOTED && !defined(GRAVELP_STEAL_STUDY)

/*
 * A round of a group without a task: how many deques it asks for tasks. Groups that are asked give at their next
 * boundary, which costs them some microseconds of a GPU, so few idle groups should not ask all busy ones.
 */
#ifndef GRAVELP_STEAL_ASKS
#define GRAVELP_STEAL_ASKS 4u
#endif

/* Owner, at a boundary: whether another group has asked, and no offer waits. Both are hints: X5 decides. */
GRAVELP_INLINE uint gravelp_promote_hear(global struct gravelp_steal *steal, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    uint wanted = gravelp_device_load_relaxed(&me->wanted), /* X1 */
        offer = gravelp_device_load_relaxed(&me->offer);
    return wanted && offer == GRAVELP_OFFER_EMPTY;
}

/* Owner: have the older half moved to the block, if that is empty. */
GRAVELP_OUT_OF_LINE uint gravelp_promote_begin(global struct gravelp_steal *steal,
                                               local struct gravelp_own *own, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    uint n = (own->tail - own->head) / 2, at = own->head;
    if (n == 0 || own->n_refused ||
        gravelp_device_load_acquire(&me->offer) != GRAVELP_OFFER_EMPTY) /* X5, pairs with X6 */
        return GRAVELP_VERDICT_NONE;
    n = n < GRAVELP_STEAL_BLOCK ? n : GRAVELP_STEAL_BLOCK;
    own->head += n;
    return gravelp_deque_move(own, GRAVELP_MOVE_OFFER, n, at, group);
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
    own->tail += n;
    if (move == GRAVELP_MOVE_STEAL) {
        gravelp_device_store_release(&whose->offer, GRAVELP_OFFER_EMPTY); /* X6, pairs with X5 */
        own->counts.stolen += n;
    }
}

/* Owner with nothing left: have its own offer moved back, if no thief has taken it. */
GRAVELP_OUT_OF_LINE uint gravelp_promote_take_back(global struct gravelp_steal *steal,
                                                   local struct gravelp_own *own, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    if (gravelp_device_load_relaxed(&me->offer) != GRAVELP_OFFER_MADE || /* relaxed: X4 decides */
        !gravelp_device_swap_relaxed(&me->offer, GRAVELP_OFFER_MADE,
                                     GRAVELP_OFFER_EMPTY)) /* X4: its own data */
        return GRAVELP_VERDICT_NONE;
    return gravelp_deque_move(own, GRAVELP_MOVE_BACK, me->n_offered, own->tail, group);
}

/* Thief: take the offer of a group, or ask for one. */
GRAVELP_INLINE uint gravelp_policy_steal(global struct gravelp_steal *steal,
                                         local struct gravelp_own *own, uint victim)
{
    global struct gravelp_deque *whose = gravelp_deque(steal, victim);
    if (gravelp_device_load_relaxed(&whose->offer) !=
        GRAVELP_OFFER_MADE) { /* relaxed: X3 decides */
        if (own->n_asked < GRAVELP_STEAL_ASKS &&
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
    return gravelp_deque_move(own, GRAVELP_MOVE_STEAL, whose->n_offered, own->tail, victim);
}

#endif
#endif
