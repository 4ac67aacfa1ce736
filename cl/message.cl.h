/* SPDX-License-Identifier: MIT */
/*
 * The device interface: what a kernel calls to send messages.
 *
 *     kernel void count(GRAVEL_ARENA, ulong counters, global const uint *keys, uint n_nodes)
 *     {
 *         GRAVEL_OPEN(g);
 *         uint key = keys[get_global_id(0)];
 *         gravel_inc_uint(g, counters, key / n_nodes, key % n_nodes);
 *     }
 *
 * Three forms of every operation; `type` is int, uint, long, ulong, float or double:
 *     gravel_OP_TYPE(g, base, index, value, node)             every work-item of the group, each one message
 *     gravel_OP_TYPE_if(g, active, base, index, value, node)  every work-item; those with active == 0 send none
 *     gravel_OP_TYPE_wi(g, base, index, value, node)          any work-item, in any divergent code; slower
 * OP is put, add, min, max, and, or, xor (float and double: put and add), or inc, which takes no value. `base`
 * is a heap offset from gravel_alloc and `index` counts elements of the type after it; base must be the same
 * for the whole group (_wi: each work-item's own). Active messages:
 *     gravel_amN(g, GRAVEL_HANDLER(name), argument..., node), _if and _wi, with N = 0 to 4 ulong arguments
 * where the handler is the same for the whole group. Operations that answer, and waits, are in request.cl.h; handlers that
 * the device runs are in handler.cl.h. Loops in divergent code: GRAVEL_FOR below, share.cl.h, subgroup.cl.h,
 * fbar_message.cl.h.
 *
 * A message is sent when the call returns, and applied at its owner some time later: gravel_quiet and
 * gravel_barrier on the host wait for that. Messages of one work-group to one node are applied in order.
 * A destination or index that does not exist is refused and told by the host's next quiet or barrier.
 *
 * Path:    queue.cl.h -> message.cl.h -> the user's kernel.
 * Memory:  stores to global memory before a call are visible to the host when it sees the message (P2).
 * Source:  Orr 2016, sections 5.2 and 5.3; the interface follows OpenSHMEM's names.
 */
#ifndef GRAVEL_MESSAGE_CL_H
#define GRAVEL_MESSAGE_CL_H

#include "queue.cl.h"

#if defined(GRAVEL_HOST_ARENA_VERSION) && GRAVEL_HOST_ARENA_VERSION != GRAVEL_ARENA_VERSION
#error "gravel.cl.h and the Gravel library are of different versions"
#endif

/* What GRAVEL_OPEN gives a work-item to send with. */
struct gravel_group {
    global struct gravel_arena *arena;
    local struct gravel_scratch *scratch;
};

/* The one kernel argument; set it with gravel_kernel_set_arena. */
#define GRAVEL_ARENA global struct gravel_arena *gravel_arena_

/* In the outermost scope of a kernel, once: declares `g` and the group's local memory. */
#if defined(__OPENCL_C_VERSION__)
#define GRAVEL_OPEN(g)                           \
    local struct gravel_scratch gravel_scratch_; \
    struct gravel_group g = {gravel_arena_, &gravel_scratch_}
#else
#define GRAVEL_OPEN(g) struct gravel_group g = {gravel_arena_, gravel_lane->scratch}
#endif

/* Number of a registered handler. */
#define GRAVEL_HANDLER(name) GRAVEL_HANDLER_##name

/* This node and the number of nodes. */
GRAVEL_INLINE uint gravel_my_node(struct gravel_group g)
{
    return g.arena->node;
}
GRAVEL_INLINE uint gravel_n_nodes(struct gravel_group g)
{
    return g.arena->n_nodes;
}

/* This node's own part of the symmetric heap at an offset, for plain loads and stores. */
GRAVEL_INLINE global void *gravel_local(struct gravel_group g, ulong offset)
{
    return (global uchar *)g.arena + g.arena->heap_offset + offset;
}

/*
 * Every work-item of the group: a barrier of global and local memory, in place of OpenCL's where
 * an `if` or a loop guards it. PoCL 3.1 needs one beside a divergent `if` that is first or last
 * there (docs/porting.md).
 */
GRAVEL_INLINE void gravel_meet(struct gravel_group g)
{
    gravel_group_meet_apart(g.arena);
}

/*
 * A loop that every work-item of the group makes equally often: up to the largest `n` of them. Inside,
 * `active` is 1 where i < n and is the predicate for _if calls (software predication). `n` is a uint without
 * side effects; leave the loop only by its own condition.
 */
#define GRAVEL_FOR(g, i, n)                                                          \
    for (uint i = 0, gravel_end_##i = gravel_group_max((g).arena, (g).scratch, (n)), \
              active = 0 < (n);                                                      \
         i < gravel_end_##i; i++, active = i < (n))

/* What one work-item sends. */
struct gravel_values {
    ulong value[GRAVEL_AM_MAX_ARGS];
};

#define GRAVEL_STORE_VALUE(row)                                                         \
    if (GRAVEL_N_VALUES(command) > row) {                                               \
        if (GRAVEL_VALUE_BYTES(command) == 4)                                           \
            ((global uint *)(slot + GRAVEL_VALUE_ROW(command, stride, row)))[column] =  \
                (uint)values.value[row];                                                \
        else                                                                            \
            ((global ulong *)(slot + GRAVEL_VALUE_ROW(command, stride, row)))[column] = \
                values.value[row];                                                      \
    }

/* Write one message into its column. `command` is a constant once inlined, so one form per operation stays. */
GRAVEL_INLINE void gravel_write_column(global uchar *restrict slot, uint command, size_t stride,
                                       size_t column, ulong index, struct gravel_values values,
                                       uint node)
{
    ((global uint *)(slot + GRAVEL_NODE_ROW))[column] = node;
    if (GRAVEL_INDEX_BYTES(command) == 4)
        ((global uint *)(slot + GRAVEL_INDEX_ROW(stride)))[column] = (uint)index;
    if (GRAVEL_INDEX_BYTES(command) == 8)
        ((global ulong *)(slot + GRAVEL_INDEX_ROW(stride)))[column] = index;
    GRAVEL_STORE_VALUE(0)
    GRAVEL_STORE_VALUE(1)
    GRAVEL_STORE_VALUE(2)
    GRAVEL_STORE_VALUE(3)
}

/*
 * The group forms are straight code between their barriers, ask for lane and leader again after each, and
 * choose by pointers that the leader left. For where a compiler turns a group into a loop over its work-items
 * (PoCL), a barrier under a condition makes it copy the rest of the kernel, what lives across a barrier is kept
 * in an array, whose elements it does not know to be neighbours, and a number in memory might be changed by
 * the rows written. Together this is 3 to 5 times the rate of the plain form.
 */

/*
 * Leader: reserve slots for `n` messages, usually one, and tell the group how to write: by lane, by position
 * among the active, or to several slots; not at all if there is nothing to send.
 */
GRAVEL_INLINE void gravel_send_begin(struct gravel_group g, uint command, uint n)
{
    local struct gravel_scratch *scratch = g.scratch;
    uint columns = GRAVEL_SLOT_COLUMNS(g.arena->slot_bytes, command), ticket = 0;
    bool fits = n <= columns;
    global uchar *slot = n ? gravel_queue_reserve(g.arena, gravel_queue_of_group(g.arena),
                                                  fits ? 1 : (n + columns - 1) / columns, &ticket)
                           : 0;
    scratch->ticket = ticket;
    scratch->n_sent = slot ? n : 0;
    scratch->by_lane = fits && n == gravel_n_lanes() ? slot : 0;
    scratch->by_position = fits && n != gravel_n_lanes() ? slot : 0;
    scratch->by_package = fits ? 0 : slot;
    if (slot && fits)
        gravel_prefetch_write(slot, GRAVEL_NODE_ROW +
                                        GRAVEL_PACKAGE_STRIDE(n) * GRAVEL_COLUMN_BYTES(command));
}

/* Write the column-th of n messages that do not fit one slot. */
GRAVEL_INLINE void gravel_write_column_of_many(struct gravel_group g, uint command, uint n,
                                               uint column, ulong index,
                                               struct gravel_values values, uint node)
{
    uint columns = GRAVEL_SLOT_COLUMNS(g.arena->slot_bytes, command);
    uint package = column / columns, left = n - package * columns;
    global uchar *slot =
        gravel_queue_slot(g.arena, gravel_queue_of_group(g.arena), g.scratch->ticket + package);
    gravel_write_column(slot, command, GRAVEL_PACKAGE_STRIDE(left < columns ? left : columns),
                        column - package * columns, index, values, node);
}

/* Leader, after the barrier: publish the packages. */
GRAVEL_INLINE void gravel_send_end(struct gravel_group g, uint command, ulong base,
                                   struct gravel_reply reply)
{
    uint columns = GRAVEL_SLOT_COLUMNS(g.arena->slot_bytes, command);
    uint queue = gravel_queue_of_group(g.arena), ticket = g.scratch->ticket;
    for (uint left = g.scratch->n_sent; left; ticket++) {
        uint n = left < columns ? left : columns;
        global uchar *slot = gravel_queue_slot(g.arena, queue, ticket);
        if (GRAVEL_HAS_SIGNAL(command))
            gravel_queue_set_reply(slot, reply);
        gravel_queue_publish(slot, ticket, command, n, base);
        left -= n;
    }
}

/* Every work-item of the group: send one message each. */
GRAVEL_INLINE void gravel_send(struct gravel_group g, uint command, ulong base,
                               struct gravel_reply reply, ulong index, struct gravel_values values,
                               uint node)
{
    /* G3: no work-item is in a _wi call, where it might wait for the host to get past the ticket we take. It
     * also keeps the leader's branch out of the user's code, which PoCL vectorizes better then. */
    gravel_group_meet_apart(g.arena);
    if (gravel_is_leader())
        gravel_send_begin(g, command, gravel_n_lanes());
    gravel_group_meet(g.arena); /* G1: the slot is known */
    if (g.scratch->by_lane)
        gravel_write_column(g.scratch->by_lane, command, GRAVEL_PACKAGE_STRIDE(gravel_n_lanes()),
                            gravel_lane_id(), index, values, node);
    else if (g.scratch->by_package)
        gravel_write_column_of_many(g, command, gravel_n_lanes(), (uint)gravel_lane_id(), index,
                                    values, node);
    gravel_group_meet(g.arena); /* G2: the package is written; with P2 it reaches the host */
    if (gravel_is_leader())
        gravel_send_end(g, command, base, reply);
    gravel_block_keep(g.arena);
}

/* Every work-item of the group: the active ones send one message each, compacted to the front. */
GRAVEL_INLINE void gravel_send_if(struct gravel_group g, uint active, uint command, ulong base,
                                  struct gravel_reply reply, ulong index,
                                  struct gravel_values values, uint node)
{
    gravel_compact(g.arena, g.scratch, active);
    if (gravel_is_leader())
        gravel_send_begin(g, command, g.scratch->n_active);
    gravel_group_meet(g.arena); /* G1: slot, number and positions are known */
    if (g.scratch->by_lane)
        gravel_write_column(g.scratch->by_lane, command, GRAVEL_PACKAGE_STRIDE(gravel_n_lanes()),
                            gravel_lane_id(), index, values, node);
    else if (g.scratch->by_position && g.scratch->lanes[gravel_place()] != GRAVEL_INACTIVE)
        gravel_write_column(g.scratch->by_position, command,
                            GRAVEL_PACKAGE_STRIDE(g.scratch->n_active),
                            g.scratch->lanes[gravel_place()], index, values, node);
    else if (g.scratch->by_package && g.scratch->lanes[gravel_place()] != GRAVEL_INACTIVE)
        gravel_write_column_of_many(g, command, g.scratch->n_active,
                                    g.scratch->lanes[gravel_place()], index, values, node);
    gravel_group_meet(g.arena); /* G2: the package is written; with P2 it reaches the host */
    if (gravel_is_leader())
        gravel_send_end(g, command, base, reply);
    gravel_block_keep(g.arena);
}

/*
 * Any work-item: send one message alone. Work-items of a wavefront run in lockstep, and one that waits for
 * room must not keep its neighbour from publishing; so a waiter goes round the loop that also publishes.
 */
static void gravel_send_wi(struct gravel_group g, uint command, ulong base,
                           struct gravel_reply reply, ulong index, struct gravel_values values,
                           uint node)
{
    uint queue = gravel_queue_of_group(g.arena);
    global struct gravel_queue_words *words = gravel_queue_words(g.arena, queue);
    uint ticket = gravel_device_fetch_add_relaxed(&words->reserved, 1);
    uint consumed = gravel_device_load_acquire(&words->consumed_cache); /* D2, pairs with D1 */
    bool has_room = ticket - consumed < g.arena->n_slots;
    struct gravel_patience patience = {0, 0, 0, 0, 0};
    bool is_sending = true;
    while (is_sending) {
        if (has_room || gravel_queue_has_room(g.arena, words, ticket)) {
            global uchar *slot = gravel_queue_slot(g.arena, queue, ticket);
            gravel_write_column(slot, command, GRAVEL_PACKAGE_STRIDE(1), 0, index, values, node);
            if (GRAVEL_HAS_SIGNAL(command))
                gravel_queue_set_reply(slot, reply);
            gravel_queue_publish(slot, ticket, command, 1, base);
            is_sending = false;
        } else {
            is_sending =
                gravel_queue_keep_waiting(g.arena, gravel_origin(), queue, ticket, &patience);
        }
    }
}

/* ---- the operations, generated from the table in operation.h --------------------------------- */

#define GRAVEL_NO_REPLY ((struct gravel_reply){0, GRAVEL_NO_SIGNAL})
#define GRAVEL_NO_VALUES ((struct gravel_values){{0, 0, 0, 0}})
#define GRAVEL_ONE_VALUE(bits) ((struct gravel_values){{(bits), 0, 0, 0}})

#define GRAVEL_BITS_INT(value) ((ulong)(uint)(value))
#define GRAVEL_BITS_UINT(value) ((ulong)(value))
#define GRAVEL_BITS_LONG(value) ((ulong)(value))
#define GRAVEL_BITS_ULONG(value) (value)
#define GRAVEL_BITS_FLOAT(value) ((ulong)as_uint(value))
#define GRAVEL_BITS_DOUBLE(value) as_ulong(value)

/* The three forms of one operation: name, parameter list of the value with its comma, and the value's bits. */
#define GRAVEL_DEFINE_FORMS(name, command, VALUE_PARAMETER, values)                             \
    GRAVEL_INLINE void name(struct gravel_group g, ulong base, uint index VALUE_PARAMETER,      \
                            uint node)                                                          \
    {                                                                                           \
        gravel_send(g, command, base, GRAVEL_NO_REPLY, index, values, node);                    \
    }                                                                                           \
    GRAVEL_INLINE void name##_if(struct gravel_group g, uint active, ulong base,                \
                                 uint index VALUE_PARAMETER, uint node)                         \
    {                                                                                           \
        gravel_send_if(g, active, command, base, GRAVEL_NO_REPLY, index, values, node);         \
    }                                                                                           \
    GRAVEL_INLINE void name##_wi(struct gravel_group g, ulong base, uint index VALUE_PARAMETER, \
                                 uint node)                                                     \
    {                                                                                           \
        gravel_send_wi(g, command, base, GRAVEL_NO_REPLY, index, values, node);                 \
    }

#define GRAVEL_COMMA ,
#define GRAVEL_EMPTY
#define GRAVEL_DEFINE_VALUE_OPERATION(OP, op, TYPE, type)                                 \
    GRAVEL_DEFINE_FORMS(gravel_##op##_##type, GRAVEL_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), \
                        GRAVEL_COMMA type value, GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value)))
#define GRAVEL_DEFINE_INC(TYPE, type)                                                 \
    GRAVEL_DEFINE_FORMS(gravel_inc_##type, GRAVEL_COMMAND(GRAVEL_INC, GRAVEL_##TYPE), \
                        GRAVEL_EMPTY, GRAVEL_NO_VALUES)

GRAVEL_VALUE_OPERATIONS(GRAVEL_DEFINE_VALUE_OPERATION)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(GRAVEL_DEFINE_VALUE_OPERATION)
#endif
GRAVEL_INC_TYPES(GRAVEL_DEFINE_INC)

/* Active messages: the three forms for one number of arguments. */
#define GRAVEL_DEFINE_AM(n, PARAMETERS, ...)                                                   \
    GRAVEL_INLINE void gravel_am##n(struct gravel_group g, uint handler PARAMETERS, uint node) \
    {                                                                                          \
        gravel_send(g, GRAVEL_COMMAND_AM(handler, n), 0, GRAVEL_NO_REPLY, 0,                   \
                    ((struct gravel_values){{__VA_ARGS__}}), node);                            \
    }                                                                                          \
    GRAVEL_INLINE void gravel_am##n##_if(struct gravel_group g, uint active,                   \
                                         uint handler PARAMETERS, uint node)                   \
    {                                                                                          \
        gravel_send_if(g, active, GRAVEL_COMMAND_AM(handler, n), 0, GRAVEL_NO_REPLY, 0,        \
                       ((struct gravel_values){{__VA_ARGS__}}), node);                         \
    }                                                                                          \
    GRAVEL_INLINE void gravel_am##n##_wi(struct gravel_group g, uint handler PARAMETERS,       \
                                         uint node)                                            \
    {                                                                                          \
        gravel_send_wi(g, GRAVEL_COMMAND_AM(handler, n), 0, GRAVEL_NO_REPLY, 0,                \
                       ((struct gravel_values){{__VA_ARGS__}}), node);                         \
    }

#define GRAVEL_ARG(i) GRAVEL_COMMA ulong a##i
GRAVEL_DEFINE_AM(0, GRAVEL_EMPTY, 0, 0, 0, 0)
GRAVEL_DEFINE_AM(1, GRAVEL_ARG(0), a0, 0, 0, 0)
GRAVEL_DEFINE_AM(2, GRAVEL_ARG(0) GRAVEL_ARG(1), a0, a1, 0, 0)
GRAVEL_DEFINE_AM(3, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2), a0, a1, a2, 0)
GRAVEL_DEFINE_AM(4, GRAVEL_ARG(0) GRAVEL_ARG(1) GRAVEL_ARG(2) GRAVEL_ARG(3), a0, a1, a2, a3)

#endif
