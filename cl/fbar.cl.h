/* SPDX-License-Identifier: MIT */
/*
 * Fine-grain barriers in software: sub-groups of a group that still have messages send them together, while
 * others have gone on.
 *
 *     GRAVEL_FBAR(f);                              in the kernel's outermost scope
 *     GRAVEL_FOR_FBAR(f, i, n) {
 *         gravel_inc_uint_fbar(g, f, active, base, index(i), node(i));
 *     }
 *
 * A barrier object of local memory has members, which are sub-groups. A sub-group joins, waits as often as the
 * other members do, and leaves; those that remain do not wait for it any more. So a package holds the messages
 * of all members, as with GRAVEL_FOR, but a sub-group that has none left neither counts nor waits.
 * gravel_OP_TYPE_fbar, _at_fbar and gravel_amN_fbar are calls of every work-item of every member, which make
 * the same calls with the same base or handler. Between its entry and its end the loop is no place for calls of
 * the whole group.
 *
 * Sound only where sub-groups of a group run on while one of them waits. OpenCL promises it to nobody: ask
 * gravel_fbar_rounds first, whose waits are short. Where it is not so a wait ends after GRAVEL_TIMEOUT (on step
 * drain after GRAVEL_FBAR_LEAST looks), and fails the node by name.
 *
 * Path:    subgroup.cl.h -> this -> the user's kernel.
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

/* ---- the barrier ------------------------------------------------------------------------------------- */

struct gravel_fbar {
    uint state;    /* members | arrivals | whether one of them completes the phase | number of the phase, wraps */
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
#define GRAVEL_FBAR(f)                                                                             \
    local struct gravel_fbar gravel_##f##_;                                                        \
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

#define GRAVEL_FBAR_LOOKS 64u  /* before a waiting one gives way, if anybody may want its core, and looks at more */
#define GRAVEL_FBAR_WAITS 0u   /* not all members have arrived, or one of them is completing the phase */
#define GRAVEL_FBAR_PASSED 1u  /* the phase has ended */
#define GRAVEL_FBAR_CLAIMED 2u /* all have arrived; the caller does what the phase is for, then gravel_fbar_advance */

/* A member that has arrived: one look. */
GRAVEL_INLINE uint gravel_fbar_look(local struct gravel_fbar *f, uint phase)
{
    uint state = gravel_local_load_acquire(&f->state); /* W2, pairs with W1 */
    if (GRAVEL_FBAR_PHASES(state) != phase)
        return GRAVEL_FBAR_PASSED;
    if ((state & GRAVEL_FBAR_CLAIM) ||
        GRAVEL_FBAR_ARRIVALS(state) != GRAVEL_FBAR_MEMBERS(state))
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

/* ---- waits ------------------------------------------------------------------------------------------- */

#define GRAVEL_FBAR_LEAST (1u << 22)  /* looks before a wait without a clock gives up */

/* What a waiting sub-group remembers. */
struct gravel_fbar_patience {
    uint looks, beat, since_ms, state;
};

/* After a look in vain: false once it is no use to wait any longer. The clock starts again with every change of the
 * state, and stands while somebody completes the phase, whose own waits for the host have an end. */
static bool gravel_fbar_keeps_waiting(struct gravel_group g, local struct gravel_fbar *f,
                                      struct gravel_fbar_patience *patience)
{
    if (++patience->looks % GRAVEL_FBAR_LOOKS)
        return true;
    if (gravel_load_relaxed(&g.arena->abort)) /* H1 */
        return false;
    if (gravel_load_relaxed(&g.arena->fault_claim)) /* F3 */
        return false;
    uint beat = gravel_load_relaxed(&gravel_queue_words(g.arena, 0)->beat);
    uint state = gravel_local_load_relaxed(&f->state); /* relaxed: only whether it changes */
    bool moves = state != patience->state || (state & GRAVEL_FBAR_CLAIM);
    patience->since_ms = moves || !patience->since_ms ? beat : patience->since_ms;
    patience->looks = moves || beat != patience->beat ? 0 : patience->looks;
    patience->state = state;
    patience->beat = beat;
    uint limit = g.arena->wait_limit > GRAVEL_FBAR_LEAST ? g.arena->wait_limit : GRAVEL_FBAR_LEAST;
    bool is_late = g.arena->wait_ms && beat - patience->since_ms > g.arena->wait_ms;
    if (!is_late && patience->looks < limit) {
        gravel_pause(0, false);
        return true;
    }
    gravel_fault(g.arena, GRAVEL_FAULT_FBAR, GRAVEL_FBAR_ARRIVALS(state), 0,
                 GRAVEL_FBAR_MEMBERS(state));
    return false;
}

/* A member that has arrived: wait. Returns GRAVEL_FBAR_WAITS if it gives up. */
static uint gravel_fbar_wait(struct gravel_group g, local struct gravel_fbar *f, uint phase)
{
    struct gravel_fbar_patience patience = {0, 0, 0, 0};
    uint found = gravel_fbar_look(f, phase);
    while (found == GRAVEL_FBAR_WAITS && gravel_fbar_keeps_waiting(g, f, &patience))
        found = gravel_fbar_look(f, phase);
    return found;
}

/* Become a member again, after leaving. If it is no use to wait for that, its later waits give up as well. */
GRAVEL_INLINE void gravel_fbar_join(struct gravel_group g, local struct gravel_fbar *f)
{
    struct gravel_fbar_patience patience = {0, 0, 0, 0};
    while (!gravel_fbar_try_join(f))
        if (!gravel_fbar_keeps_waiting(g, f, &patience))
            return;
}

/* ---- the loop ---------------------------------------------------------------------------------------- */

/* Every work-item of the group: all sub-groups are members. Returns the first turn. */
GRAVEL_INLINE uint gravel_fbar_begin(local struct gravel_fbar *f)
{
    gravel_fbar_init(f, gravel_n_sgs());
    return 0;
}

/* Every work-item of a member, before a turn: whether there is one; the member leaves if not. */
GRAVEL_INLINE bool gravel_fbar_goes_on(local struct gravel_fbar *f, uint active)
{
    bool goes_on = gravel_sg_any(active);
    if (!goes_on && gravel_sg_lane() == 0)
        gravel_fbar_leave(f);
    return goes_on;
}

/* A loop of the whole group whose sub-groups leave it each on its own; as GRAVEL_FOR, for _fbar calls. */
#define GRAVEL_FOR_FBAR(f, i, n)                                                                   \
    for (uint i = gravel_fbar_begin(f), active = 0 < (n);                                          \
         gravel_fbar_goes_on((f), active); i++, active = i < (n))

/* ---- sending ----------------------------------------------------------------------------------------- */

/* Work-item 0 of a member: count its messages in; all of them counted, one member reserves slots. Returns the position
 * of its first message, or GRAVEL_INACTIVE if the node has failed. */
GRAVEL_INLINE uint gravel_fbar_count_in(struct gravel_group g, local struct gravel_fbar *f,
                                        uint command, uint n)
{
    uint first = gravel_local_add_relaxed(&f->n_active, n); /* relaxed: the arrival orders it */
    uint found = gravel_fbar_wait(g, f, gravel_fbar_arrive(f));
    if (found == GRAVEL_FBAR_CLAIMED) {
        gravel_send_begin(g, command, gravel_local_load_relaxed(&f->n_active)); /* relaxed: acquired */
        gravel_fbar_advance(f);
    }
    return found == GRAVEL_FBAR_WAITS ? GRAVEL_INACTIVE : first;
}

/* Work-item 0 of a member, behind its sub-group's writes: all of them done, one member publishes. */
GRAVEL_INLINE void gravel_fbar_publish(struct gravel_group g, local struct gravel_fbar *f,
                                       uint command, ulong base)
{
    if (gravel_fbar_wait(g, f, gravel_fbar_arrive(f)) != GRAVEL_FBAR_CLAIMED)
        return;
    gravel_send_end(g, command, base, GRAVEL_NO_REPLY);
    f->n_active = 0;
    gravel_fbar_advance(f);
}

/* Active work-items of a member: write one message. by_lane, if set, only says that every work-item of the
 * group sends. */
GRAVEL_INLINE void gravel_fbar_write(struct gravel_group g, uint command, uint position, ulong index,
                                     struct gravel_values values, uint node)
{
    global uchar *slot = g.scratch->by_lane ? g.scratch->by_lane : g.scratch->by_position;
    uint n = g.scratch->n_sent;
    if (slot)
        gravel_write_column(slot, command, GRAVEL_PACKAGE_STRIDE(n), position, index, values, node);
    else if (g.scratch->by_package)
        gravel_write_column_of_many(g, command, n, position, index, values, node);
}

/* Every work-item of every member: the active ones send one message each. */
GRAVEL_INLINE void gravel_send_fbar(struct gravel_group g, local struct gravel_fbar *f, uint active,
                                    uint command, ulong base, ulong index,
                                    struct gravel_values values, uint node)
{
    struct gravel_sg_count mine = gravel_sg_count(active);
    uint first = 0;
    if (gravel_sg_lane() == 0)
        first = gravel_fbar_count_in(g, f, command, mine.n);
    first = gravel_sg_first(first);
    gravel_barrier_subgroup(); /* G5: what work-item 0 has acquired (W2) is its sub-group's */
    if (active && first != GRAVEL_INACTIVE)
        gravel_fbar_write(g, command, first + mine.position, index, values, node);
    gravel_barrier_subgroup(); /* G5: the sub-group's columns are written, before it arrives (W1) */
    if (gravel_sg_lane() == 0 && first != GRAVEL_INACTIVE)
        gravel_fbar_publish(g, f, command, base);
}

/* ---- the operations ---------------------------------------------------------------------------------- */

#define GRAVEL_FBAR_PARAMETERS struct gravel_group g, local struct gravel_fbar *f, uint active
#define GRAVEL_DEFINE_FBAR_FORMS(name, command, VALUE_PARAMETER, values)                           \
    GRAVEL_INLINE void name##_fbar(GRAVEL_FBAR_PARAMETERS, ulong base, uint index VALUE_PARAMETER, \
                                   uint node)                                                      \
    {                                                                                              \
        gravel_send_fbar(g, f, active, command, base, index, values, node);                        \
    }                                                                                              \
    GRAVEL_INLINE void name##_at_fbar(GRAVEL_FBAR_PARAMETERS, ulong address VALUE_PARAMETER,       \
                                      uint node)                                                   \
    {                                                                                              \
        gravel_send_fbar(g, f, active, (command) | GRAVEL_COMMAND_WIDE, 0, address, values, node); \
    }
#define GRAVEL_DEFINE_FBAR_VALUE_OPERATION(OP, op, TYPE, type)                                     \
    GRAVEL_DEFINE_FBAR_FORMS(gravel_##op##_##type, GRAVEL_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE),     \
                             GRAVEL_COMMA type value, GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value)))
#define GRAVEL_DEFINE_FBAR_INC(TYPE, type)                                                         \
    GRAVEL_DEFINE_FBAR_FORMS(gravel_inc_##type, GRAVEL_COMMAND(GRAVEL_INC, GRAVEL_##TYPE),         \
                             GRAVEL_EMPTY, GRAVEL_NO_VALUES)

GRAVEL_VALUE_OPERATIONS(GRAVEL_DEFINE_FBAR_VALUE_OPERATION)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(GRAVEL_DEFINE_FBAR_VALUE_OPERATION)
#endif
GRAVEL_INC_TYPES(GRAVEL_DEFINE_FBAR_INC)

#define GRAVEL_DEFINE_FBAR_AM(n, PARAMETERS, ...)                                                  \
    GRAVEL_INLINE void gravel_am##n##_fbar(GRAVEL_FBAR_PARAMETERS, uint handler PARAMETERS,        \
                                           uint node)                                              \
    {                                                                                              \
        gravel_send_fbar(g, f, active, GRAVEL_COMMAND_AM(handler, n), 0, 0,                        \
                         ((struct gravel_values){{__VA_ARGS__}}), node);                           \
    }
GRAVEL_DEFINE_FBAR_AM(0, GRAVEL_EMPTY, 0, 0, 0, 0)
GRAVEL_DEFINE_FBAR_AM(1, GRAVEL_ARG(0), a0, 0, 0, 0)
GRAVEL_DEFINE_FBAR_AM(2, GRAVEL_ARG(0) GRAVEL_ARG(1), a0, a1, 0, 0)
GRAVEL_DEFINE_FBAR_AM(3, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2), a0, a1, a2, 0)
GRAVEL_DEFINE_FBAR_AM(4, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2) GRAVEL_ARG(3), a0, a1, a2, a3)

#endif
#endif
