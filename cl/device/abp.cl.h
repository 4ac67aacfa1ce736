/* SPDX-License-Identifier: MIT */
/*
 * Policies baseline, scope-only and steal-only: a deque whose ends other groups see, and whose oldest task thieves take
 * one at a time.
 *
 * `bottom` is the owner's, `top` everybody's. The owner lowers bottom and then looks at top; a thief looks at top and
 * then at bottom: between the two stands a fence, so that at least one of them sees the other where one task is left,
 * and the compare-and-swap of top decides. Indices run free and never come back, which is what the tag of Arora et al.
 * is for. The policies differ in the scope of the owner's accesses (gravelp_near_), and in whether there are thieves.
 *
 * Path:    deque.cl.h -> this -> schedule.cl.h.
 * Threads: leaders.
 * Memory:  Z1 to Z4 in docs/design/memory-order.md.
 * Source:  Arora, Blumofe, Plaxton, SPAA 1998; Cederman and Tsigas, On Dynamic Load Balancing on Graphics Processors,
 *          2008; the orders are those of Lê, Pop, Cohen, Zappa Nardelli, PPoPP 2013; Orr et al. 2015, section 5, where
 *          an owner whose compare-and-swap fails does not acquire, as it must (Wickerson et al., OOPSLA 2015).
 */
#ifndef GRAVELP_ABP_CL_H
#define GRAVELP_ABP_CL_H

#include "deque.cl.h"

#if GRAVELP_STEAL_IS_ABP

/* Owner: the ends that the host or the last launch left. */
GRAVELP_INLINE void gravelp_abp_begin(global struct gravelp_steal *steal,
                                      local struct gravelp_own *own, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    own->head = gravelp_near_load_relaxed(&me->top); /* a first look; the first pop acquires */
    own->tail = own->n_shown = gravelp_near_load_relaxed(&me->bottom); /* own */
}

/* Owner, behind a barrier: show what the group has pushed. */
GRAVELP_INLINE void gravelp_abp_publish(global struct gravelp_steal *steal,
                                        local struct gravelp_own *own, uint group)
{
    gravelp_near_store_release(&gravelp_deque(steal, group)->bottom,
                               own->tail); /* Z2, pairs with itself at a thief */
}

/* Owner: the newest task, if there is one. */
GRAVELP_INLINE bool gravelp_abp_pop(global struct gravelp_steal *steal,
                                    local struct gravelp_own *own, uint group)
{
    global struct gravelp_deque *me = gravelp_deque(steal, group);
    uint last = own->tail - 1;
    if (own->tail == own->n_shown)
        gravelp_near_store_relaxed(&me->bottom, last); /* Z3: nothing new is shown */
    else
        gravelp_near_store_release(&me->bottom, last); /* Z2, and Z3 */
    gravelp_near_fence_seq_cst();                      /* Z3 */
    uint top = gravelp_near_load_acquire(&me->top);    /* Z1: slots before it may be used again */
    uint n = last - top; /* tasks before the last; ~0 if there is none */
    bool has = n != ~0u;
    if (has)
        own->task = *gravelp_slot(steal, group, last);
    if (has && n) {
        own->head = top;
        own->tail = own->n_shown = last;
        return true;
    }
    if (has)
        has = gravelp_near_swap_acq_rel(&me->top, top, top + 1); /* Z1: against a thief */
    own->head = own->tail = own->n_shown = n == 0 ? top + 1 : top;
    gravelp_near_store_relaxed(&me->bottom, own->tail); /* the deque is empty: nothing is shown */
    return has;
}

#if GRAVELP_STEAL_POLICY == GRAVELP_STEAL_STEAL_ONLY
/* Thief: a row of words, torn if the owner writes at that time; then top has moved on. */
GRAVELP_INLINE void gravelp_abp_read(global struct gravelp_steal *steal,
                                     local struct gravelp_own *own, uint victim, uint top)
{
    global uint *slot = (global uint *)gravelp_slot(steal, victim, top);
    union {
        GRAVEL_STEAL_TASK task;
        uint words[sizeof(GRAVEL_STEAL_TASK) / sizeof(uint)];
    } whole;
    for (uint i = 0; i < sizeof whole.words / sizeof *whole.words; i++)
        whole.words[i] = gravelp_near_load_relaxed(slot + i); /* Z4 */
    own->task = whole.task;
}

/* Thief: take the oldest task of a group. */
GRAVELP_INLINE uint gravelp_abp_steal(global struct gravelp_steal *steal,
                                      local struct gravelp_own *own, uint victim)
{
    global struct gravelp_deque *whose = gravelp_deque(steal, victim);
    uint top = gravelp_near_load_acquire(&whose->top);               /* Z1 */
    if ((int)(gravelp_near_load_relaxed(&whose->bottom) - top) <= 0) /* a look before the fence */
        return GRAVELP_VERDICT_NONE;
    gravelp_near_fence_seq_cst();                                    /* Z3 */
    if ((int)(gravelp_near_load_acquire(&whose->bottom) - top) <= 0) /* Z2 */
        return GRAVELP_VERDICT_NONE;
    gravelp_count_idle(steal, own, 0);
    gravelp_abp_read(steal, own, victim, top);
    if (gravelp_near_swap_acq_rel(&whose->top, top, top + 1)) { /* Z1 */
        own->counts.stolen++;
        return GRAVELP_VERDICT_TASK;
    }
    own->counts.failed++;
    gravelp_count_idle(steal, own, 1);
    return GRAVELP_VERDICT_NONE;
}
#endif

#endif
#endif
