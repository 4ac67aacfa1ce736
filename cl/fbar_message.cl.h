/* SPDX-License-Identifier: MIT */
/*
 * Sub-groups of a group that still have messages send them together, while others have gone on.
 *
 *     GRAVEL_FBAR(f);                              in the kernel's outermost scope
 *     GRAVEL_FOR_FBAR(f, i, n) {
 *         gravel_inc_uint_fbar(g, f, active, base, index(i), node(i));
 *     }
 *
 * A package holds the messages of all members of a fine-grain barrier, as with GRAVEL_FOR those of the group, but a
 * sub-group that has none left neither counts nor waits. gravel_OP_TYPE_fbar, _at_fbar and gravel_amN_fbar are calls
 * of every work-item of every member, which make the same calls with the same base or handler. Between its entry and
 * its end the loop is no place for calls of the whole group. Where it is sound, fbar.cl.h says.
 *
 * Path:    fbar.cl.h -> this -> the user's kernel.
 * Owner:   while the loop goes on, the group's scratch is its members'.
 * Memory:  W1, W2 of the barrier; G5 within a sub-group.
 * Source:  Orr 2016, section 5.3 (fbar).
 */
#ifndef GRAVEL_FBAR_MESSAGE_CL_H
#define GRAVEL_FBAR_MESSAGE_CL_H

#include "fbar.cl.h"

#if defined(GRAVEL_HAS_SUBGROUPS)

/* ---- the loop -------------------------------------------------------------------------------- */

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
#define GRAVEL_FOR_FBAR(f, i, n)                                                            \
    for (uint i = gravel_fbar_begin(f), active = 0 < (n); gravel_fbar_goes_on((f), active); \
         i++, active = i < (n))

/* ---- sending --------------------------------------------------------------------------------- */

/* Work-item 0 of a member: count its messages in; all of them counted, one member reserves slots. Returns the position
 * of its first message, or GRAVEL_INACTIVE if the node has failed. */
GRAVEL_INLINE uint gravel_fbar_count_in(struct gravel_group g, local struct gravel_fbar *f,
                                        uint command, uint n)
{
    uint first = gravel_local_add_relaxed(&f->n_active, n); /* relaxed: the arrival orders it */
    uint found = gravel_fbar_wait(g, f, gravel_fbar_arrive(f));
    if (found == GRAVEL_FBAR_CLAIMED) {
        gravel_send_begin(g, command,
                          gravel_local_load_relaxed(&f->n_active)); /* relaxed: acquired */
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
GRAVEL_INLINE void gravel_fbar_write(struct gravel_group g, uint command, uint position,
                                     ulong index, struct gravel_values values, uint node)
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

/* ---- the operations -------------------------------------------------------------------------- */

#define GRAVEL_FBAR_PARAMETERS struct gravel_group g, local struct gravel_fbar *f, uint active
#define GRAVEL_DEFINE_FBAR_FORMS(name, command, VALUE_PARAMETER, values)                           \
    GRAVEL_INLINE void name##_fbar(GRAVEL_FBAR_PARAMETERS, ulong base, uint index VALUE_PARAMETER, \
                                   uint node)                                                      \
    {                                                                                              \
        gravel_send_fbar(g, f, active, command, base, index, values, node);                        \
    }
#define GRAVEL_DEFINE_FBAR_VALUE_OPERATION(OP, op, TYPE, type)                                 \
    GRAVEL_DEFINE_FBAR_FORMS(gravel_##op##_##type, GRAVEL_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), \
                             GRAVEL_COMMA type value, GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value)))
#define GRAVEL_DEFINE_FBAR_INC(TYPE, type)                                                 \
    GRAVEL_DEFINE_FBAR_FORMS(gravel_inc_##type, GRAVEL_COMMAND(GRAVEL_INC, GRAVEL_##TYPE), \
                             GRAVEL_EMPTY, GRAVEL_NO_VALUES)

GRAVEL_VALUE_OPERATIONS(GRAVEL_DEFINE_FBAR_VALUE_OPERATION)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(GRAVEL_DEFINE_FBAR_VALUE_OPERATION)
#endif
GRAVEL_INC_TYPES(GRAVEL_DEFINE_FBAR_INC)

#define GRAVEL_DEFINE_FBAR_AM(n, PARAMETERS, ...)                                           \
    GRAVEL_INLINE void gravel_am##n##_fbar(GRAVEL_FBAR_PARAMETERS, uint handler PARAMETERS, \
                                           uint node)                                       \
    {                                                                                       \
        gravel_send_fbar(g, f, active, GRAVEL_COMMAND_AM(handler, n), 0, 0,                 \
                         ((struct gravel_values){{__VA_ARGS__}}), node);                    \
    }
GRAVEL_DEFINE_FBAR_AM(0, GRAVEL_EMPTY, 0, 0, 0, 0)
GRAVEL_DEFINE_FBAR_AM(1, GRAVEL_ARG(0), a0, 0, 0, 0)
GRAVEL_DEFINE_FBAR_AM(2, GRAVEL_ARG(0) GRAVEL_ARG(1), a0, a1, 0, 0)
GRAVEL_DEFINE_FBAR_AM(3, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2), a0, a1, a2, 0)
GRAVEL_DEFINE_FBAR_AM(4, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2) GRAVEL_ARG(3), a0, a1, a2, a3)

#endif
#endif
