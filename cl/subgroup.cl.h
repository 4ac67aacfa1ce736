/* SPDX-License-Identifier: MIT */
/*
 * Calls of sub-groups (wavefronts, NVIDIA's warps): groups whose work-items diverge send by sub-groups.
 *
 *     #include "gravel.cl.h"
 *     #include "subgroup.cl.h"
 *
 * They exist where GRAVEL_HAS_SUBGROUPS is defined. Updates and active messages have these suffixes, too:
 *
 *     _sg, _sg_if      every work-item of the sub-group; those whose `active` is 0 send nothing
 *     _fbar, _fbar_if  every work-item of every member of the fine-grain barrier f
 *
 *     gravel_OP_TYPE_S(g, [f,] [active,] base, index, value, node)
 *     gravel_inc_TYPE_S(g, [f,] [active,] base, index, node)
 *     gravel_amN_S(g, [f,] [active,] GRAVEL_HANDLER(name), argument..., node)
 *
 * A sub-group call that some work-items of the sub-group skip loses messages or hangs. A package holds the messages of
 * one sub-group, or of all members of f. Messages of one sub-group to one node are applied in order. A sub-group
 * without messages left for a fine-grain barrier neither counts nor waits.
 *
 * Path:    the user's kernel -> subgroup_forms.cl.h -> this -> device/fbar.cl.h, device/send.cl.h; or check.cl.h.
 * Memory:  G5 within a sub-group; W1, W2 of the barrier; P2 as in every form.
 * Source:  Orr 2016, section 5.3 (divergence, fbar); his leaders are of work-groups only.
 */
#ifndef GRAVEL_SUBGROUP_CL_H
#define GRAVEL_SUBGROUP_CL_H

#include "gravel.cl.h"
#include "fbar.cl.h"

#ifdef GRAVEL_HAS_SUBGROUPS

/* Every work-item of the sub-group: the active ones send one message each. */
GRAVELP_INLINE void gravelp_send_sg(struct gravel_group g, uint active, uint command, ulong base,
                                    ulong index, struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    GRAVELP_WIDTH(g, command, base, GRAVELP_NO_REPLY);
    struct gravelp_sg_count mine = gravelp_sg_count(active);
    const struct gravelp_ring ring = gravelp_ring(g.arena, gravelp_queue_of_group(g.arena));
    uint ticket = 0, is_sent = 0;
    if (gravelp_sg_lane() == 0)
        is_sent = gravelp_send_reserve(g, ring, command, mine.n, &ticket) != 0;
    ticket = gravelp_sg_first(ticket);
    is_sent = gravelp_sg_first(is_sent);
    gravelp_barrier_subgroup(); /* G5: the slots are free, which work-item 0 has acquired (P1) */
    if (is_sent && active)
        gravelp_write_column_of_many(g, command, ticket, mine.n, mine.position, index, values,
                                     node);
    gravelp_barrier_subgroup(); /* G5: the package is written; with P2 it reaches the host */
    if (is_sent && gravelp_sg_lane() == 0)
        gravelp_send_end(ring, command, base, GRAVELP_NO_REPLY, values, ticket, mine.n);
}

/* ---- together -------------------------------------------------------------------------------- */

/* Every work-item of a member, before a turn: whether there is one; the member leaves if not. */
GRAVELP_INLINE bool gravelp_fbar_goes_on(local struct gravel_fbar *f, uint active)
{
    bool goes_on = gravelp_sg_any(active);
    if (!goes_on && gravelp_sg_lane() == 0)
        gravelp_fbar_leave(f);
    return goes_on;
}

/*
 * Every work-item of every member: the active ones send one message each. Work-item 0 of a member counts its messages
 * in; all of them counted, one member reserves slots. All of them written, one member publishes.
 */
GRAVELP_INLINE void gravelp_send_fbar(struct gravel_group g, local struct gravel_fbar *f,
                                      uint active, uint command, ulong base, ulong index,
                                      struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    GRAVELP_WIDTH(g, command, base, GRAVELP_NO_REPLY);
    struct gravelp_sg_count mine = gravelp_sg_count(active);
    uint first =
        0; /* position of the member's first message, or GRAVELP_INACTIVE if the node has failed */
    if (gravelp_sg_lane() == 0) {
        uint before =
            gravelp_local_add_relaxed(&f->n_active, mine.n); /* relaxed: the arrival orders it */
        uint found = gravelp_fbar_wait(g, f, gravelp_fbar_arrive(f));
        if (found == GRAVELP_FBAR_CLAIMED) {
            gravelp_send_begin(g, command,
                               gravelp_local_load_relaxed(&f->n_active)); /* relaxed: acquired */
            gravelp_fbar_advance(f);
        }
        first = found == GRAVELP_FBAR_WAITS ? GRAVELP_INACTIVE : before;
    }
    first = gravelp_sg_first(first);
    gravelp_barrier_subgroup(); /* G5: what work-item 0 has acquired (W2) is its sub-group's */
    if (active && first != GRAVELP_INACTIVE) {
        /* by_lane, if set, only says that every work-item of the group sends */
        global uchar *slot = g.scratch->by_lane ? g.scratch->by_lane : g.scratch->by_position;
        const uint n = g.scratch->n_sent, position = first + mine.position;
        if (slot)
            gravelp_write_column(slot, command, n, position, index, values, node);
        else if (g.scratch->by_package)
            gravelp_write_column_of_many(g, command, g.scratch->ticket, n, position, index, values,
                                         node);
    }
    gravelp_barrier_subgroup(); /* G5: the sub-group's columns are written, before it arrives (W1) */
    if (gravelp_sg_lane() == 0 && first != GRAVELP_INACTIVE &&
        gravelp_fbar_wait(g, f, gravelp_fbar_arrive(f)) == GRAVELP_FBAR_CLAIMED) {
        gravelp_send_end(gravelp_own_ring(g), command, base, GRAVELP_NO_REPLY, values,
                         g.scratch->ticket, g.scratch->n_sent);
        f->n_active = 0;
        gravelp_fbar_advance(f);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

#if defined(GRAVELP_DIRECT)

#define GRAVELP_SEND_SG(g, active, command, base, ...)                                        \
    (GRAVELP_IS_DIRECT(command)                                                               \
         ? (void)gravelp_direct((g), __LINE__, (active), (command), (base), GRAVELP_NO_REPLY, \
                                __VA_ARGS__)                                                  \
         : gravelp_send_sg(gravelp_direct_pass(g), (active), (command), (base), __VA_ARGS__))
#define GRAVELP_SEND_FBAR(g, f, active, command, base, ...)                                        \
    (GRAVELP_IS_DIRECT(command) ? (void)gravelp_direct((g), __LINE__, (active), (command), (base), \
                                                       GRAVELP_NO_REPLY, __VA_ARGS__)              \
                                : gravelp_send_fbar(gravelp_direct_pass(g), (f), (active),         \
                                                    (command), (base), __VA_ARGS__))

#elif !defined(GRAVEL_CHECK) || !GRAVEL_CHECK

#define GRAVELP_SEND_SG gravelp_send_sg
#define GRAVELP_SEND_FBAR gravelp_send_fbar

#else

#define gravelp_check_sg(g, line) \
    gravelp_check_arrive(g, 1 + gravelp_sg_number(), gravelp_sg_items(), line)
#define GRAVELP_SEND_SG(g, active, command, base, ...)                                            \
    GRAVELP_CHECK_SEND(g, gravelp_check_sg(g, __LINE__), active, command, base, GRAVELP_NO_REPLY, \
                       __VA_ARGS__)
/* A member's sub-group; which of them are members is the loop's business. */
#define GRAVELP_SEND_FBAR(g, f, active, ...) GRAVELP_SEND_SG(g, active, __VA_ARGS__)

#endif

#include "subgroup_forms.cl.h"

/* Every work-item of the sub-group iterates as often: GRAVEL_FOR_WG for _sg_if calls. */
#define GRAVEL_FOR_SG(g, i, active, n) \
    for (uint i = 0, active = 0 < (n); gravelp_sg_any(active); i++, active = i < (n))

/*
 * Declares, in the kernel's outermost scope, a barrier for a GRAVEL_FOR_FBAR loop of the whole group, which each
 * sub-group leaves on its own: GRAVEL_FOR_WG for _fbar_if calls, without calls of the whole group. It needs sub-groups
 * of a group that continue while one waits: test with gravel_fbar_rounds_wg first. Elsewhere a wait ends after
 * GRAVEL_TIMEOUT and fails the node.
 */
#define GRAVEL_FBAR(f) GRAVELP_LOCAL(gravel_fbar, f, fbar)
#define GRAVEL_FOR_FBAR(g, f, i, active, n)                                  \
    for (uint i = gravelp_fbar_init((f), gravelp_n_sgs()), active = 0 < (n); \
         gravelp_fbar_goes_on((f), active); i++, active = i < (n))

/*
 * Every work-item of the group: returns how many of n_rounds phases of a barrier the sub-group passes in n_polls polls
 * each; if all sub-groups pass all, they run concurrently. Always ends.
 */
GRAVELP_INLINE uint gravel_fbar_rounds_wg(local struct gravel_fbar *f, uint n_rounds, uint n_polls)
{
    uint round = 0;
    gravelp_fbar_init(f, gravelp_n_sgs());
    if (gravelp_sg_lane() == 0)
        for (bool goes_on = true; goes_on && round < n_rounds; round += goes_on) {
            uint phase = gravelp_fbar_arrive(f), found = GRAVELP_FBAR_WAITS;
            for (uint i = 0; i < n_polls && found == GRAVELP_FBAR_WAITS; i++) {
                if (i % GRAVELP_FBAR_POLLS == GRAVELP_FBAR_POLLS - 1)
                    gravelp_pause(0, false);
                found = gravelp_fbar_poll(f, phase);
            }
            if (found == GRAVELP_FBAR_CLAIMED)
                gravelp_fbar_advance(f);
            goes_on = found != GRAVELP_FBAR_WAITS;
        }
    return gravelp_sg_first(round);
}

/* Every work-item of a member, within the loop: leaves the barrier; joins it again. */
GRAVELP_INLINE void gravel_fbar_leave_sg(local struct gravel_fbar *f)
{
    if (gravelp_sg_lane() == 0)
        gravelp_fbar_leave(f);
}
GRAVELP_INLINE void gravel_fbar_join_sg(struct gravel_group g, local struct gravel_fbar *f)
{
    if (gravelp_sg_lane() == 0)
        gravelp_fbar_join(g, f);
}
#endif

#endif
