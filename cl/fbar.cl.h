/* SPDX-License-Identifier: MIT */
/*
 * Fine-grain barriers in software, of sub-groups of a group: GRAVEL_FBAR(f) in the kernel's outermost scope makes one.
 *
 * A barrier object of local memory has members, which are sub-groups. A sub-group joins, waits as often as the
 * other members do, and leaves; those that remain do not wait for it any more.
 *
 * Sound only where sub-groups of a group run on while one of them waits. OpenCL promises it to nobody: ask
 * gravel_fbar_rounds first, whose waits are short. Where it is not so a wait ends after GRAVEL_TIMEOUT (on step
 * drain, where the host's clock stands, after about a second of looks), and fails the node by name.
 *
 * Path:    subgroup.cl.h -> this -> fbar_message.cl.h.
 * Owner:   local memory, declared by GRAVEL_FBAR. While the loop goes on, the group's scratch is its members'.
 * Memory:  W1, W2: what members did before they arrived is seen by whoever completes a phase, and what that one
 *          did by all.
 * Source:  Orr 2016, section 5.3 (fbar); HSA's fbarriers (initfbar, joinfbar, leavefbar, arrivefbar, waitfbar).
 *          Different there: the last to arrive completes; here one that waits does, so that leaving is one add.
 */
#ifndef GRAVEL_FBAR_CL_H
#define GRAVEL_FBAR_CL_H

#include "subgroup.cl.h"

#if defined(GRAVEL_HAS_SUBGROUPS)

/* ---- the barrier ----------------------------------------------------------------------------- */

struct gravel_fbar {
    uint
        state; /* members | arrivals | whether one of them completes the phase | number of the phase, wraps */
    uint n_active; /* messages of the package that is being counted */
};

#define GRAVEL_FBAR_MEMBER 1u
#define GRAVEL_FBAR_ARRIVAL (1u << 11)
#define GRAVEL_FBAR_CLAIM (1u << 22)
#define GRAVEL_FBAR_PHASE (1u << 23)
#define GRAVEL_FBAR_MEMBERS(state) ((state) % GRAVEL_FBAR_ARRIVAL)
#define GRAVEL_FBAR_ARRIVALS(state) ((state) / GRAVEL_FBAR_ARRIVAL % GRAVEL_FBAR_ARRIVAL)
#define GRAVEL_FBAR_PHASES(state) ((state) / GRAVEL_FBAR_PHASE)

#if defined(__OPENCL_C_VERSION__)
#define GRAVEL_FBAR(f)                      \
    local struct gravel_fbar gravel_##f##_; \
    local struct gravel_fbar *f = &gravel_##f##_
#else
#define GRAVEL_FBAR(f) struct gravel_fbar *f = gravel_lane->fbar
#endif

/* Every work-item of the group: make it anew, with so many members. */
GRAVEL_INLINE void gravel_fbar_init(local struct gravel_fbar *f, uint n_members)
{
    gravel_barrier_group(); /* G1: nobody is at an earlier loop's barrier any more */
    if (gravel_is_leader()) {
        f->n_active = 0;
        f->state = n_members;
    }
    gravel_barrier_group(); /* G1: it is made */
}

/* The rest are calls of a sub-group's work-item 0. */

/* A member: tell the others that it is here. Returns the phase to wait for the end of. */
GRAVEL_INLINE uint gravel_fbar_arrive(local struct gravel_fbar *f)
{
    return GRAVEL_FBAR_PHASES(gravel_local_add_release(&f->state, GRAVEL_FBAR_ARRIVAL)); /* W1 */
}

#define GRAVEL_FBAR_LOOKS \
    64u /* before a waiting one gives way, if anybody may want its core, and looks at more */
#define GRAVEL_FBAR_WAITS \
    0u /* not all members have arrived, or one of them is completing the phase */
#define GRAVEL_FBAR_PASSED 1u /* the phase has ended */
#define GRAVEL_FBAR_CLAIMED \
    2u /* all have arrived; the caller does what the phase is for, then gravel_fbar_advance */

/* A member that has arrived: one look. */
GRAVEL_INLINE uint gravel_fbar_look(local struct gravel_fbar *f, uint phase)
{
    uint state = gravel_local_load_acquire(&f->state); /* W2, pairs with W1 */
    if (GRAVEL_FBAR_PHASES(state) != phase)
        return GRAVEL_FBAR_PASSED;
    if ((state & GRAVEL_FBAR_CLAIM) || GRAVEL_FBAR_ARRIVALS(state) != GRAVEL_FBAR_MEMBERS(state))
        return GRAVEL_FBAR_WAITS;
    /* Relaxed: it succeeds only on the very state that has been acquired. */
    return gravel_local_swap_relaxed(&f->state, state, state | GRAVEL_FBAR_CLAIM)
               ? GRAVEL_FBAR_CLAIMED
               : GRAVEL_FBAR_WAITS;
}

/* The member with the claim: end the phase. Nobody else changes the state meanwhile: all members wait. */
GRAVEL_INLINE void gravel_fbar_advance(local struct gravel_fbar *f)
{
    uint state = gravel_local_load_relaxed(&f->state); /* relaxed: as it was claimed */
    uint next = (GRAVEL_FBAR_PHASES(state) + 1u) * GRAVEL_FBAR_PHASE;
    gravel_local_store_release(&f->state, next | GRAVEL_FBAR_MEMBERS(state)); /* W1 */
}

/* A member that has not arrived: be none any more. Relaxed: what it has done, it did before an earlier arrival. */
GRAVEL_INLINE void gravel_fbar_leave(local struct gravel_fbar *f)
{
    gravel_local_add_relaxed(&f->state, 0u - GRAVEL_FBAR_MEMBER);
}

/* One try to become a member: not while a phase is being completed, nor in odd ones, in which members finish what
 * they began in the even one before. */
GRAVEL_INLINE bool gravel_fbar_try_join(local struct gravel_fbar *f)
{
    uint state = gravel_local_load_acquire(&f->state); /* W2, pairs with W1 */
    return !(state & GRAVEL_FBAR_CLAIM) && GRAVEL_FBAR_PHASES(state) % 2 == 0 &&
           gravel_local_swap_relaxed(&f->state, state, state + GRAVEL_FBAR_MEMBER);
}

/*
 * Every work-item of the group: how many phases of a barrier, of n_rounds, the calling sub-group gets through
 * with looks that are limited. All n_rounds in every sub-group: they make progress beside each other. Ends in
 * any case.
 */
GRAVEL_INLINE uint gravel_fbar_rounds(local struct gravel_fbar *f, uint n_rounds, uint n_looks)
{
    uint round = 0;
    gravel_fbar_init(f, gravel_n_sgs());
    if (gravel_sg_lane() == 0)
        for (bool goes_on = true; goes_on && round < n_rounds; round += goes_on) {
            uint phase = gravel_fbar_arrive(f), found = GRAVEL_FBAR_WAITS;
            for (uint i = 0; i < n_looks && found == GRAVEL_FBAR_WAITS; i++) {
                if (i % GRAVEL_FBAR_LOOKS == GRAVEL_FBAR_LOOKS - 1)
                    gravel_pause(0, false);
                found = gravel_fbar_look(f, phase);
            }
            if (found == GRAVEL_FBAR_CLAIMED)
                gravel_fbar_advance(f);
            goes_on = found != GRAVEL_FBAR_WAITS;
        }
    return gravel_sg_first(round);
}

/* ---- waits ----------------------------------------------------------------------------------- */

#define GRAVEL_FBAR_ALONE_MS \
    100u /* limit of a wait on step drain, which has no clock: it is cut off */

/* What a waiting sub-group remembers. */
struct gravel_fbar_patience {
    uint looks;
    struct gravel_patience patience;
};

/* After a look in vain: false once it is no use to wait any longer. The limit begins anew with every change of the
 * state, and while somebody completes the phase, whose own waits for the host have an end. */
GRAVEL_OUT_OF_LINE bool gravel_fbar_keeps_waiting(struct gravel_group g,
                                                  struct gravel_origin origin,
                                                  local struct gravel_fbar *f,
                                                  struct gravel_fbar_patience *waited)
{
    if (++waited->looks % GRAVEL_FBAR_LOOKS)
        return true;
    uint state = gravel_local_load_relaxed(&f->state); /* relaxed: only whether it changes */
    uint limit_ms = g.arena->wait_ms ? g.arena->wait_ms : GRAVEL_FBAR_ALONE_MS;
    if (state & GRAVEL_FBAR_CLAIM)
        waited->patience = (struct gravel_patience){0, 0, 0, 0, 0};
    uint verdict = gravel_wait_ask(g.arena, gravel_queue_words(g.arena, 0), state, limit_ms,
                                   &waited->patience);
    if (verdict & GRAVEL_WAIT_IS_LATE)
        gravel_fault_at(g.arena, origin, GRAVEL_FAULT_FBAR | (verdict & GRAVEL_FAULT_CUT_OFF),
                        GRAVEL_FBAR_ARRIVALS(state), 0, GRAVEL_FBAR_MEMBERS(state), 0);
    if (verdict != GRAVEL_WAITS_ON)
        return false;
    waited->patience.least_ns += gravel_pause(waited->patience.looks, false);
    return true;
}

/* A member that has arrived: wait. Returns GRAVEL_FBAR_WAITS if it gives up. */
static inline uint gravel_fbar_wait(struct gravel_group g, local struct gravel_fbar *f, uint phase)
{
    struct gravel_fbar_patience waited = {0, {0, 0, 0, 0, 0}};
    uint found = gravel_fbar_look(f, phase);
    while (found == GRAVEL_FBAR_WAITS && gravel_fbar_keeps_waiting(g, gravel_origin(), f, &waited))
        found = gravel_fbar_look(f, phase);
    return found;
}

/* Become a member again, after leaving. If it is no use to wait for that, its later waits give up as well. */
GRAVEL_INLINE void gravel_fbar_join(struct gravel_group g, local struct gravel_fbar *f)
{
    struct gravel_fbar_patience waited = {0, {0, 0, 0, 0, 0}};
    while (!gravel_fbar_try_join(f))
        if (!gravel_fbar_keeps_waiting(g, gravel_origin(), f, &waited))
            return;
}

#endif
#endif
