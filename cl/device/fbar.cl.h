/* SPDX-License-Identifier: MIT */
/*
 * Fine-grain barriers in software, of sub-groups of a group.
 *
 * A barrier object of local memory has members, which are sub-groups. A sub-group joins, waits as often as the
 * other members do, and leaves; those that remain no longer wait for it.
 *
 * Sound only where sub-groups of a group run on while one of them waits. OpenCL does not promise it: ask
 * gravel_fbar_rounds_wg first, whose waits are short. Where it is not so a wait ends after GRAVEL_TIMEOUT (on step
 * drain, where the host's clock does not advance, after about a second of polls), and the node fails with an error
 * that names the wait.
 *
 * Path:    subgroup.cl.h -> this -> workgroup.cl.h.
 * Owner:   local memory, declared by GRAVEL_FBAR. During the loop the group's scratch is its members'.
 * Memory:  W1, W2: what members did before they arrived is seen by the one that completes a phase, and what that
 *          one did by all.
 * Source:  Orr 2016, section 5.3 (fbar); HSA's fbarriers (initfbar, joinfbar, leavefbar, arrivefbar, waitfbar).
 *          Different there: the last to arrive completes; here one that waits does, so that leaving is one add.
 */
#ifndef GRAVELP_FBAR_CL_H
#define GRAVELP_FBAR_CL_H

#include "send.cl.h"

#if defined(GRAVEL_HAS_SUBGROUPS)

/* ---- the barrier ----------------------------------------------------------------------------- */

struct gravel_fbar {
    uint state;    /* members | arrivals | whether one completes the phase | the phase, wraps */
    uint n_active; /* messages of the package that is being counted */
};

#define GRAVELP_FBAR_MEMBER 1u
#define GRAVELP_FBAR_ARRIVAL (1u << 11)
#define GRAVELP_FBAR_CLAIM (1u << 22)
#define GRAVELP_FBAR_PHASE (1u << 23)
#define GRAVELP_FBAR_MEMBERS(state) ((state) % GRAVELP_FBAR_ARRIVAL)
#define GRAVELP_FBAR_ARRIVALS(state) ((state) / GRAVELP_FBAR_ARRIVAL % GRAVELP_FBAR_ARRIVAL)
#define GRAVELP_FBAR_PHASES(state) ((state) / GRAVELP_FBAR_PHASE)

/* Every work-item of the group: sets the barrier up for n_members. Returns the first turn of a loop. */
GRAVELP_INLINE uint gravelp_fbar_init(local struct gravel_fbar *f, uint n_members)
{
    gravelp_barrier_group(); /* G1: no work-item is at an earlier loop's barrier */
    if (gravelp_is_leader()) {
        f->n_active = 0;
        f->state = n_members;
    }
    gravelp_barrier_group(); /* G1: it is made */
    return 0;
}

/* The rest are calls of a sub-group's work-item 0. */

/* A member: signals its arrival to the other members. Returns the phase to wait for the end of. */
GRAVELP_INLINE uint gravelp_fbar_arrive(local struct gravel_fbar *f)
{
    return GRAVELP_FBAR_PHASES(gravelp_local_add_release(&f->state, GRAVELP_FBAR_ARRIVAL)); /* W1 */
}

#define GRAVELP_FBAR_POLLS 64u  /* before a waiting one gives its core away, and reads more */
#define GRAVELP_FBAR_WAITS 0u   /* some member has not arrived, or one completes the phase */
#define GRAVELP_FBAR_PASSED 1u  /* the phase has ended */
#define GRAVELP_FBAR_CLAIMED 2u /* all have arrived; the caller does what the phase is for */

/* A member that has arrived: one poll. */
GRAVELP_INLINE uint gravelp_fbar_poll(local struct gravel_fbar *f, uint phase)
{
    uint state = gravelp_local_load_acquire(&f->state); /* W2, pairs with W1 */
    if (GRAVELP_FBAR_PHASES(state) != phase)
        return GRAVELP_FBAR_PASSED;
    if ((state & GRAVELP_FBAR_CLAIM) || GRAVELP_FBAR_ARRIVALS(state) != GRAVELP_FBAR_MEMBERS(state))
        return GRAVELP_FBAR_WAITS;
    /* Relaxed: it succeeds only on the very state that has been acquired. */
    return gravelp_local_swap_relaxed(&f->state, state, state | GRAVELP_FBAR_CLAIM)
               ? GRAVELP_FBAR_CLAIMED
               : GRAVELP_FBAR_WAITS;
}

/* The member with the claim: end the phase. The state changes nowhere else: all members wait. */
GRAVELP_INLINE void gravelp_fbar_advance(local struct gravel_fbar *f)
{
    uint state = gravelp_local_load_relaxed(&f->state); /* relaxed: as it was claimed */
    uint next = (GRAVELP_FBAR_PHASES(state) + 1u) * GRAVELP_FBAR_PHASE;
    gravelp_local_store_release(&f->state, next | GRAVELP_FBAR_MEMBERS(state)); /* W1 */
}

/* A member that has not arrived: leave. Relaxed: what it has done, it did before an earlier arrival. */
GRAVELP_INLINE void gravelp_fbar_leave(local struct gravel_fbar *f)
{
    gravelp_local_add_relaxed(&f->state, 0u - GRAVELP_FBAR_MEMBER);
}

/* One try to become a member: not while a phase is completed, nor in an odd one, which ends what an even one began. */
GRAVELP_INLINE bool gravelp_fbar_try_join(local struct gravel_fbar *f)
{
    uint state = gravelp_local_load_acquire(&f->state); /* W2, pairs with W1 */
    return !(state & GRAVELP_FBAR_CLAIM) && GRAVELP_FBAR_PHASES(state) % 2 == 0 &&
           gravelp_local_swap_relaxed(&f->state, state, state + GRAVELP_FBAR_MEMBER);
}

/* ---- waits ----------------------------------------------------------------------------------- */

#define GRAVELP_FBAR_ALONE_MS 100u /* limit of a wait without a clock, on step drain */

/* What a waiting sub-group remembers. */
struct gravelp_fbar_patience {
    uint polls;
    struct gravelp_patience patience;
};

/* After a poll that found no change: false once the wait is to end. The limit begins anew with every change of the
 * state, and while a member completes the phase, whose own waits for the host have a limit. */
GRAVELP_OUT_OF_LINE bool gravelp_fbar_keeps_waiting(struct gravel_group g,
                                                    struct gravelp_origin origin,
                                                    local struct gravel_fbar *f,
                                                    struct gravelp_fbar_patience *waited)
{
    if (++waited->polls % GRAVELP_FBAR_POLLS)
        return true;
    uint state = gravelp_local_load_relaxed(&f->state); /* relaxed: only whether it changes */
    uint limit_ms = g.arena->wait_ms ? g.arena->wait_ms : GRAVELP_FBAR_ALONE_MS;
    if (state & GRAVELP_FBAR_CLAIM)
        waited->patience = (struct gravelp_patience){0, 0, 0, 0, 0, 0};
    uint verdict = gravelp_wait_ask(g.arena, gravelp_queue_words(g.arena, 0), state, limit_ms,
                                    &waited->patience);
    if (verdict & GRAVELP_WAIT_IS_LATE)
        gravelp_fault_at(g.arena, origin, GRAVELP_FAULT_FBAR | (verdict & GRAVELP_FAULT_CUT_OFF),
                         GRAVELP_FBAR_ARRIVALS(state), 0, GRAVELP_FBAR_MEMBERS(state), 0);
    if (verdict != GRAVELP_WAITS_ON)
        return false;
    waited->patience.least_ns += gravelp_pause(waited->patience.polls, false);
    return true;
}

/* A member that has arrived: wait. Returns GRAVELP_FBAR_WAITS if it gives up. */
static inline uint gravelp_fbar_wait(struct gravel_group g, local struct gravel_fbar *f, uint phase)
{
    struct gravelp_fbar_patience waited = {0, {0, 0, 0, 0, 0, 0}};
    uint found = gravelp_fbar_poll(f, phase);
    while (found == GRAVELP_FBAR_WAITS &&
           gravelp_fbar_keeps_waiting(g, gravelp_origin(), f, &waited))
        found = gravelp_fbar_poll(f, phase);
    return found;
}

/* Become a member again, after leaving. If that wait fails, its later waits give up as well. */
GRAVELP_INLINE void gravelp_fbar_join(struct gravel_group g, local struct gravel_fbar *f)
{
    struct gravelp_fbar_patience waited = {0, {0, 0, 0, 0, 0, 0}};
    while (!gravelp_fbar_try_join(f))
        if (!gravelp_fbar_keeps_waiting(g, gravelp_origin(), f, &waited))
            return;
}

#endif
#endif
