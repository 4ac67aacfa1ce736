/* SPDX-License-Identifier: MIT */
/*
 * Checked mode: a call of a whole work-group or sub-group that some of its work-items do not make, or make in another
 * way, is an error with a name.
 *
 * A barrier in a branch that only some work-items take cannot be checked: compilers that turn a group into a loop
 * (PoCL) let all pass it, or none. So calls have no barrier here. Each work-item sends a package of its own, which
 * says at which call of which group it arrives, with its message or without one, and the host joins them
 * (lib/aggregate/check.c): a call that all have made is sent as an unchecked one; a call that some have not made when
 * the kernel has ended, or that they make differently, is reported, and nothing of it is sent.
 *
 * Only the answered calls with a predicate still have barriers, to count: every work-item gets the sum.
 *
 * Path:    gravel.cl.h's calls (forms.cl.h) -> this, or send.cl.h as they are -> gravelp_send_alone in send.cl.h ->
 *          lib/aggregate/check.c.
 * Memory:  G6, and as any call of a single work-item.
 */
#ifndef GRAVELP_CHECK_CL_H
#define GRAVELP_CHECK_CL_H

#include "direct.cl.h"
#include "send.cl.h"

#if !defined(GRAVEL_CHECK) || !GRAVEL_CHECK
#define GRAVELP_OPEN(g, the_arena, the_scratch) \
    struct gravel_group g = {.arena = (the_arena), .scratch = (the_scratch)}
#endif

#if defined(GRAVELP_DIRECT)

#define GRAVELP_SEND_WG(g, command, ...)                                                   \
    (GRAVELP_IS_DIRECT(command) ? gravelp_direct((g), __LINE__, 1, (command), __VA_ARGS__) \
                                : gravelp_send_wg(gravelp_direct_pass(g), (command), __VA_ARGS__))
#define GRAVELP_SEND_WG_IF(g, active, command, ...)                        \
    (GRAVELP_IS_DIRECT(command)                                            \
         ? gravelp_direct((g), __LINE__, (active), (command), __VA_ARGS__) \
         : gravelp_send_wg_if(gravelp_direct_pass(g), (active), (command), __VA_ARGS__))
#define GRAVELP_SEND_WI(g, command, ...)                                                   \
    (GRAVELP_IS_DIRECT(command) ? gravelp_direct((g), __LINE__, 1, (command), __VA_ARGS__) \
                                : gravelp_send_wi(gravelp_direct_pass(g), (command), __VA_ARGS__))
#define GRAVELP_ASK_WG(g, ...) (GRAVELP_SEND_WG(g, __VA_ARGS__), gravelp_n_lanes())
#define GRAVELP_ASK_WG_IF(g, active, ...) \
    (GRAVELP_SEND_WG_IF(g, active, __VA_ARGS__), gravelp_direct_count(g, active))
#define GRAVELP_ASK_WI GRAVELP_SEND_WI

#elif !defined(GRAVEL_CHECK) || !GRAVEL_CHECK

#define GRAVELP_SEND_WG gravelp_send_wg
#define GRAVELP_SEND_WG_IF gravelp_send_wg_if
#define GRAVELP_ASK_WG gravelp_send_wg
#define GRAVELP_ASK_WG_IF gravelp_send_wg_if

#else

#define GRAVELP_OPEN(g, arena, scratch)                                \
  private                                                              \
    uint gravelp_calls_[2] = {0, 0};                                   \
    struct gravel_group g = {(arena),                                  \
                             (scratch),                                \
                             0,                                        \
                             gravelp_calls_,                           \
                             gravelp_check_number((arena), (scratch)), \
                             gravelp_check_name(__func__, sizeof __func__)}

/* Every work-item of the group: number of the group among those that use its queue. */
GRAVELP_INLINE uint gravelp_check_number(global struct gravelp_arena *arena,
                                         local struct gravelp_scratch *scratch)
{
    global struct gravelp_queue_words *words =
        gravelp_queue_words(arena, gravelp_queue_of_group(arena));
    if (gravelp_is_leader())
        scratch->ticket = gravelp_device_fetch_add_relaxed(&words->groups, 1); /* G6: a number */
    gravelp_group_meet(arena);                                                 /* G6: it is known */
    return scratch->ticket;
}

GRAVELP_INLINE uint gravelp_check_name(constant const char *name, uint bytes)
{
    uint hash = GRAVELP_HASH_BEGIN;
    for (uint i = 0; i + 1 < bytes; i++)
        hash = GRAVELP_HASH(hash, name[i]);
    return hash;
}

/* Any work-item: it arrives at its next call with its work-group, scope 0, or its sub-group, 1 + its number. */
GRAVELP_INLINE struct gravelp_arrival gravelp_check_arrive(struct gravel_group g, uint scope,
                                                           uint members, uint line)
{
    const struct gravelp_origin first = gravelp_origin();
    const uint most = GRAVELP_ARRIVAL_MOST, y = first.item[1], z = first.item[2];
    return (struct gravelp_arrival){g.number, GRAVELP_ARRIVAL_CALL(g.calls[scope != 0]++, scope),
                                    GRAVELP_ARRIVAL_SITE(line, members), g.kernel_name,
                                    first.item[0] | (ulong)(y < most ? y : most) << 32 |
                                        (ulong)(z < most ? z : most) << 48};
}
#define gravelp_check_wg(g, line) gravelp_check_arrive(g, 0, gravelp_n_lanes(), line)

/* Any work-item: make its part of a call. Far, for the header has no room to note what is too large; a record has no
 * index, so nothing of it is far. */
#define GRAVELP_CHECK_SEND(g, arrival, active, command, ...)                        \
    gravelp_send_alone(g, arrival, (active) != 0,                                   \
                       (command) | GRAVELP_COMMAND_CHECKED |                        \
                           (GRAVELP_IS_RECORD(command) ? 0u : GRAVELP_COMMAND_FAR), \
                       __VA_ARGS__)

#define GRAVELP_SEND_WG(g, ...) GRAVELP_CHECK_SEND(g, gravelp_check_wg(g, __LINE__), 1, __VA_ARGS__)
#define GRAVELP_SEND_WG_IF(g, active, ...) \
    GRAVELP_CHECK_SEND(g, gravelp_check_wg(g, __LINE__), active, __VA_ARGS__)
#define GRAVELP_ASK_WG(g, ...) (GRAVELP_SEND_WG(g, __VA_ARGS__), gravelp_n_lanes())
#define GRAVELP_ASK_WG_IF(g, active, ...) \
    (GRAVELP_SEND_WG_IF(g, active, __VA_ARGS__), gravelp_check_count(g, active))

/* Every work-item of the group: how many are active. */
GRAVELP_INLINE uint gravelp_check_count(struct gravel_group g, uint active)
{
    gravelp_compact(g, active);
    gravelp_group_meet(g.arena); /* G1: their number is known */
    return g.scratch->n_active;
}

#endif

/* A call of a single work-item needs no others. */
#ifndef GRAVELP_DIRECT
#define GRAVELP_SEND_WI gravelp_send_wi
#define GRAVELP_ASK_WI gravelp_send_wi
#endif

#endif
