/* SPDX-License-Identifier: MIT */
/*
 * Sending by sub-groups: what the hardware runs together (wavefront, warp) is what sends together.
 *
 *     #ifdef GRAVEL_HAS_SUBGROUPS
 *     GRAVEL_FOR_SG(i, n) {
 *         gravel_inc_uint_sg(g, active, base, index(i), node(i));
 *     }
 *     #endif
 *
 * gravel_OP_TYPE_sg(g, active, base, index, value, node), gravel_OP_TYPE_at_sg(g, active, address, value, node)
 * and gravel_amN_sg(g, active, handler, argument..., node) are calls of every work-item of the *sub-group*;
 * those with active == 0 send nothing. So sub-groups of a group may take different ways, and leave a loop
 * alone, without a barrier of the group; a package holds at most as many messages as a sub-group has
 * work-items. base or handler is the same for the sub-group. Messages of one sub-group to one node are applied
 * in order.
 *
 * Where the device has no sub-groups the header defines none of this, nor GRAVEL_HAS_SUBGROUPS.
 *
 * Path:    message.cl.h -> this -> the user's kernel; fbar.cl.h joins sub-groups again.
 * Memory:  G5; P2 as in every form.
 * Source:  Orr 2016, section 5.3 (control flow of wavefronts); his leaders are of work-groups only.
 */
#ifndef GRAVEL_SUBGROUP_CL_H
#define GRAVEL_SUBGROUP_CL_H

#include "message.cl.h"

#if defined(GRAVEL_SUBGROUP_BUILTINS) || defined(GRAVEL_WARP_ITEMS)
#define GRAVEL_HAS_SUBGROUPS 1

/* ---- what the device offers ------------------------------------------------------------------ */

/* Where the calling work-item stands among the active ones of its sub-group, and how many these are. */
struct gravel_sg_count {
    uint position, n;
};

#if defined(GRAVEL_SUBGROUP_BUILTINS)

/* Number of the work-item in its sub-group; 0 leads it. */
GRAVEL_INLINE uint gravel_sg_lane(void)
{
    return get_sub_group_local_id();
}
/* Sub-groups of the group. */
GRAVEL_INLINE uint gravel_n_sgs(void)
{
    return get_num_sub_groups();
}
/* The rest are calls of every work-item of the sub-group, and only the barrier orders memory. */
GRAVEL_INLINE struct gravel_sg_count gravel_sg_count(uint active)
{
    uint flag = active != 0, position = sub_group_scan_exclusive_add(flag);
    return (struct gravel_sg_count){position, sub_group_reduce_add(flag)};
}
GRAVEL_INLINE bool gravel_sg_any(uint flag)
{
    return sub_group_any(flag != 0) != 0;
}
/* What work-item 0 of the sub-group gives. */
GRAVEL_INLINE uint gravel_sg_first(uint value)
{
    return sub_group_broadcast(value, 0);
}
GRAVEL_INLINE void gravel_barrier_subgroup(void)
{
    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

#else /* warps: work-items by their number in the group, as the hardware takes them */

GRAVEL_INLINE uint gravel_sg_lane(void)
{
    return (uint)gravel_lane_id() % GRAVEL_WARP_ITEMS;
}
GRAVEL_INLINE uint gravel_n_sgs(void)
{
    return (gravel_n_lanes() + GRAVEL_WARP_ITEMS - 1) / GRAVEL_WARP_ITEMS;
}
GRAVEL_INLINE uint gravel_sg_mask(void)
{
    uint left = gravel_n_lanes() - ((uint)gravel_lane_id() - gravel_sg_lane());
    return 0xffffffffu >> (left < GRAVEL_WARP_ITEMS ? 32u - left : 32u - GRAVEL_WARP_ITEMS);
}
GRAVEL_INLINE struct gravel_sg_count gravel_sg_count(uint active)
{
    uint flags = gravel_warp_ballot(gravel_sg_mask(), active);
    return (struct gravel_sg_count){popcount(flags & ((1u << gravel_sg_lane()) - 1u)),
                                    popcount(flags)};
}
GRAVEL_INLINE bool gravel_sg_any(uint flag)
{
    return gravel_warp_ballot(gravel_sg_mask(), flag) != 0;
}
GRAVEL_INLINE uint gravel_sg_first(uint value)
{
    return gravel_warp_first(gravel_sg_mask(), value);
}
GRAVEL_INLINE void gravel_barrier_subgroup(void)
{
    gravel_warp_barrier(gravel_sg_mask());
}

#endif

/* A loop that every work-item of the sub-group makes equally often; as GRAVEL_FOR, for _sg calls. */
#define GRAVEL_FOR_SG(i, n) \
    for (uint i = 0, active = 0 < (n); gravel_sg_any(active); i++, active = i < (n))

/* ---- sending --------------------------------------------------------------------------------- */

/* Work-item 0 of the sub-group: slots for n messages. True with the first ticket if they can be sent. */
GRAVEL_INLINE bool gravel_sg_begin(struct gravel_group g, uint command, uint n, uint *ticket)
{
    uint columns = GRAVEL_SLOT_COLUMNS(g.arena->slot_bytes, command);
    return n && gravel_queue_reserve(g.arena, gravel_queue_of_group(g.arena),
                                     (n + columns - 1) / columns, ticket);
}

/* Active work-items: write the position-th of n messages. */
GRAVEL_INLINE void gravel_sg_write(struct gravel_group g, uint command, struct gravel_sg_count mine,
                                   uint ticket, ulong index, struct gravel_values values, uint node)
{
    uint columns = GRAVEL_SLOT_COLUMNS(g.arena->slot_bytes, command);
    uint package = mine.position / columns, left = mine.n - package * columns;
    global uchar *slot =
        gravel_queue_slot(g.arena, gravel_queue_of_group(g.arena), ticket + package);
    gravel_write_column(slot, command, GRAVEL_PACKAGE_STRIDE(left < columns ? left : columns),
                        mine.position - package * columns, index, values, node);
}

/* Work-item 0 of the sub-group, after the barrier: publish. */
GRAVEL_INLINE void gravel_sg_end(struct gravel_group g, uint command, ulong base, uint n,
                                 uint ticket)
{
    uint columns = GRAVEL_SLOT_COLUMNS(g.arena->slot_bytes, command);
    uint queue = gravel_queue_of_group(g.arena);
    for (uint left = n; left; ticket++) {
        uint now = left < columns ? left : columns;
        gravel_queue_publish(gravel_queue_slot(g.arena, queue, ticket), ticket, command, now, base);
        left -= now;
    }
}

/* Every work-item of the sub-group: the active ones send one message each. */
GRAVEL_INLINE void gravel_send_sg(struct gravel_group g, uint active, uint command, ulong base,
                                  ulong index, struct gravel_values values, uint node)
{
    struct gravel_sg_count mine = gravel_sg_count(active);
    uint ticket = 0, is_sent = 0;
    if (gravel_sg_lane() == 0)
        is_sent = gravel_sg_begin(g, command, mine.n, &ticket);
    ticket = gravel_sg_first(ticket);
    is_sent = gravel_sg_first(is_sent);
    gravel_barrier_subgroup(); /* G5: the slots are free, which work-item 0 has acquired (P1) */
    if (is_sent && active)
        gravel_sg_write(g, command, mine, ticket, index, values, node);
    gravel_barrier_subgroup(); /* G5: the package is written; with P2 it reaches the host */
    if (is_sent && gravel_sg_lane() == 0)
        gravel_sg_end(g, command, base, mine.n, ticket);
}

/* ---- the operations -------------------------------------------------------------------------- */

#define GRAVEL_DEFINE_SG_FORMS(name, command, VALUE_PARAMETER, values)           \
    GRAVEL_INLINE void name##_sg(struct gravel_group g, uint active, ulong base, \
                                 uint index VALUE_PARAMETER, uint node)          \
    {                                                                            \
        gravel_send_sg(g, active, command, base, index, values, node);           \
    }
#define GRAVEL_DEFINE_SG_VALUE_OPERATION(OP, op, TYPE, type)                                 \
    GRAVEL_DEFINE_SG_FORMS(gravel_##op##_##type, GRAVEL_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), \
                           GRAVEL_COMMA type value, GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value)))
#define GRAVEL_DEFINE_SG_INC(TYPE, type)                                                 \
    GRAVEL_DEFINE_SG_FORMS(gravel_inc_##type, GRAVEL_COMMAND(GRAVEL_INC, GRAVEL_##TYPE), \
                           GRAVEL_EMPTY, GRAVEL_NO_VALUES)

GRAVEL_VALUE_OPERATIONS(GRAVEL_DEFINE_SG_VALUE_OPERATION)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(GRAVEL_DEFINE_SG_VALUE_OPERATION)
#endif
GRAVEL_INC_TYPES(GRAVEL_DEFINE_SG_INC)

#define GRAVEL_DEFINE_SG_AM(n, PARAMETERS, ...)                              \
    GRAVEL_INLINE void gravel_am##n##_sg(struct gravel_group g, uint active, \
                                         uint handler PARAMETERS, uint node) \
    {                                                                        \
        gravel_send_sg(g, active, GRAVEL_COMMAND_AM(handler, n), 0, 0,       \
                       ((struct gravel_values){{__VA_ARGS__}}), node);       \
    }
GRAVEL_DEFINE_SG_AM(0, GRAVEL_EMPTY, 0, 0, 0, 0)
GRAVEL_DEFINE_SG_AM(1, GRAVEL_ARG(0), a0, 0, 0, 0)
GRAVEL_DEFINE_SG_AM(2, GRAVEL_ARG(0) GRAVEL_ARG(1), a0, a1, 0, 0)
GRAVEL_DEFINE_SG_AM(3, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2), a0, a1, a2, 0)
GRAVEL_DEFINE_SG_AM(4, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2) GRAVEL_ARG(3), a0, a1, a2, a3)

#endif
#endif
