/* SPDX-License-Identifier: MIT */
/*
 * How a work-group, or one work-item, sends: reserve slots, write a column each, publish. A record is a message whose
 * words lie together, and behind the records of a package the leader writes the text that they share.
 *
 * Path:    gravel.cl.h's calls (forms.cl.h) -> send.cl.h -> queue.cl.h -> the host.
 * Memory:  stores to global memory before a call are visible to the host when it sees the message (P2).
 * Source:  Orr 2016, sections 5.2 and 5.3.
 */
#ifndef GRAVELP_SEND_CL_H
#define GRAVELP_SEND_CL_H

#include "queue.cl.h"

/* ---- where keys live ----------------------------------------------------------------------------- */

/* This node's number, and how many there are: constants, by which no key is divided, in a program for a node alone. */
#if defined(GRAVELP_IS_ALONE)
#define GRAVELP_NODE(arena) ((void)(arena), 0u)
#define GRAVELP_N_NODES(arena) ((void)(arena), 1u)
#else
#define GRAVELP_NODE(arena) ((arena)->node)
#define GRAVELP_N_NODES(arena) ((arena)->n_nodes)
#endif

/*
 * The program says of which of n nodes a key is, by GRAVEL_NODE_OF(key, n), in its text before the include.
 * GRAVEL_BY_KEY, as the node of a message whose handler has keys, is that of its first key, in programs of
 * gravel_server_build, which know what handlers have keys; in other programs the message is refused. Not 0xffffffff,
 * which programs have for "none", and the host for GRAVEL_ALL_NODES: a message to that node is refused.
 */
#if defined(GRAVEL_NODE_OF)
#define GRAVEL_BY_KEY 0xfffffffeu
GRAVELP_INLINE ulong gravelp_node_of(ulong key, uint n_nodes)
{
    (void)n_nodes;
    return GRAVEL_NODE_OF(key, n_nodes);
}
#else
#define GRAVEL_BY_KEY gravel_error_define_GRAVEL_NODE_OF_before_the_include
#endif

#if defined(GRAVEL_NODE_OF) && defined(GRAVELP_IS_KEYED)
/* Any work-item: the node to send to. */
GRAVELP_INLINE ulong gravelp_send_to(struct gravel_group g, uint command, ulong key, ulong node)
{
    const bool is_by_key = node == GRAVEL_BY_KEY &&
                           GRAVELP_IS_CALL(command & ~GRAVELP_COMMAND_CHECKED) &&
                           GRAVELP_IS_KEYED(GRAVELP_COMMAND_HANDLER(command));
    return is_by_key ? gravelp_node_of(key, GRAVELP_N_NODES(g.arena)) : node;
}

/* Any work-item: replaces GRAVEL_BY_KEY by the node of the first key. */
#define GRAVELP_ADDRESS(g, command, values, node) \
    node = gravelp_send_to(g, command, (values).value[0], node)
#else
#define GRAVELP_ADDRESS(g, command, values, node) (void)0
#endif

/* ---- messages ------------------------------------------------------------------------------------ */

/* What one work-item sends. */
struct gravelp_values {
    ulong value[GRAVEL_AM_MAX_ARGS];
    ulong position; /* of a request: the element where its answer goes */
    /* A record has, instead of both, its words and the text of its call, the end included. */
    const private uint *words;
    GRAVELP_LITERAL *text;
    uint text_bytes;
};

#define GRAVELP_VALUES(position, a, b, c, d) \
    ((struct gravelp_values){{(a), (b), (c), (d)}, (position), 0, 0, 0})

/*
 * Far commands, whose element numbers have 64 bits, are for arrays that 32 bits do not reach: only a program that is
 * built for so large a heap has them (GRAVELP_FAR_ELEMENTS, how many elements need no more than 32 bits), only calls
 * with an index or position of a type of 64 bits, and only if as much of the heap follows base or result. That is the
 * same for all who make a call together.
 */
#if defined(GRAVELP_FAR_ELEMENTS)
#define GRAVELP_FAR_IF(is_long) ((is_long) ? GRAVELP_COMMAND_FAR : 0u)

GRAVELP_INLINE bool gravelp_is_far(struct gravel_group g, uint command, ulong base)
{
    return base < g.arena->heap_bytes &&
           (g.arena->heap_bytes - base) / GRAVELP_VALUE_BYTES(command) > GRAVELP_FAR_ELEMENTS;
}
GRAVELP_INLINE uint gravelp_width(struct gravel_group g, uint command, ulong base,
                                  struct gravel_reply reply)
{
    bool is_far = (command & GRAVELP_COMMAND_CHECKED) || gravelp_is_far(g, command, base) ||
                  (GRAVELP_IS_REQUEST(command) && gravelp_is_far(g, command, reply.result));
    return is_far ? command : command & ~GRAVELP_COMMAND_FAR;
}
#define GRAVELP_WIDTH(g, command, base, reply) command = gravelp_width(g, command, base, reply)
#else
#define GRAVELP_FAR_IF(is_long) 0u
#define GRAVELP_WIDTH(g, command, base, reply) (void)0
#endif
#define GRAVELP_FAR_BY(index) GRAVELP_FAR_IF(sizeof(index) > 4)

#define GRAVELP_DEFINE_BITS(type, bits)                  \
    GRAVELP_INLINE ulong gravelp_bits_##type(type value) \
    {                                                    \
        return bits(value);                              \
    }
GRAVELP_DEFINE_BITS(int, (uint))
GRAVELP_DEFINE_BITS(uint, (uint))
GRAVELP_DEFINE_BITS(long, (ulong))
GRAVELP_DEFINE_BITS(ulong, (ulong))
GRAVELP_DEFINE_BITS(float, as_uint)
#ifdef GRAVEL_HAS_DOUBLE
GRAVELP_DEFINE_BITS(double, as_ulong)
#endif

/* Any work-item: reports to the host that a number has more bits than its row, so the package is not sent. Of several,
 * the one that claims the note for this use of the slot writes it: until P2, `published` is of the use before.
 * @return its node. */
GRAVELP_OUT_OF_LINE uint gravelp_note_far(global uchar *slot, ulong index, ulong position,
                                          ulong node)
{
    global struct gravelp_package *package = (global struct gravelp_package *)slot;
    global struct gravelp_arrival *note = &package->arrival;
    const uint use = ~gravelp_load_relaxed(&package->published);
    if (gravelp_device_exchange_relaxed(&note->group, use) == use) /* F4: of another work-item */
        return GRAVELP_NODE_FAR;
    note->call = index >> 32      ? GRAVELP_FAR_INDEX
                 : position >> 32 ? GRAVELP_FAR_POSITION
                                  : GRAVELP_FAR_NODE;
    note->item = index >> 32 ? index : position >> 32 ? position : node;
    return GRAVELP_NODE_FAR;
}

/* Writes node and index of a message: 32 bits of each, or the package is not sent; with a far command 64. */
GRAVELP_INLINE void gravelp_write_address(global uchar *restrict slot, uint command, size_t stride,
                                          size_t column, ulong index, ulong position, ulong node)
{
    const bool is_far = (command & GRAVELP_COMMAND_FAR) != 0;
    const ulong own = GRAVELP_COMMAND_OP(command) == GRAVEL_ASK ? position : index;
    const ulong row = node >> 32 ? node : own;
    global uchar *indices = slot + GRAVELP_INDEX_ROW(stride);
    uint to = (uint)node;
    if ((is_far ? node : index | position | node) >> 32)
        to = is_far ? GRAVELP_NODE_FAR : gravelp_note_far(slot, index, position, node);
    ((global uint *)(slot + GRAVELP_NODE_ROW))[column] = to;
    if (GRAVELP_INDEX_BYTES(command) == 16)
        ((global struct gravelp_far_request *)indices)[column] =
            (struct gravelp_far_request){row, position};
    if (GRAVELP_INDEX_BYTES(command) == 8)
        ((global ulong *)indices)[column] = is_far ? row : GRAVELP_REQUEST(index, position);
    if (GRAVELP_INDEX_BYTES(command) == 4)
        ((global uint *)indices)[column] = (uint)index;
}

/* Writes one of a package's n messages into its column. `command` is a constant once inlined. */
GRAVELP_INLINE void gravelp_write_column(global uchar *restrict slot, uint command, uint n,
                                         size_t column, ulong index, struct gravelp_values values,
                                         ulong node)
{
    const size_t stride = GRAVELP_STRIDE(command, n);
    gravelp_write_address(slot, command, stride, column, index, values.position, node);
    if (GRAVELP_IS_RECORD(command)) {
        const uint n_words = GRAVELP_RECORD_WORDS(command);
        global uint *to =
            (global uint *)(slot + GRAVELP_VALUE_ROW(command, stride, 0)) + column * n_words;
        for (uint i = 0; i < n_words; i++)
            to[i] = values.words[i];
        return;
    }
    for (uint row = 0; row < GRAVELP_N_VALUES(command) && row < GRAVEL_AM_MAX_ARGS; row++) {
        global uchar *to = slot + GRAVELP_VALUE_ROW(command, stride, row);
        if (GRAVELP_VALUE_BYTES(command) == 4)
            ((global uint *)to)[column] = (uint)values.value[row];
        else
            ((global ulong *)to)[column] = values.value[row];
    }
}

/*
 * The group forms are straight code between their barriers, ask for lane and leader again after each, and
 * choose by pointers that the leader left. For where a compiler turns a group into a loop over its work-items
 * (PoCL), a barrier under a condition makes it copy the rest of the kernel, what lives across a barrier is kept
 * in an array, whose elements it does not know to be neighbours, and a number in memory might be changed by
 * the rows written. Together this is 3 to 5 times the rate of the plain form.
 */

/* Leader, or a work-item alone: whether a slot holds one message; a fault if not, which only a record may be. */
GRAVELP_INLINE bool gravelp_fits_slot(struct gravel_group g, uint command)
{
    const uint slot_bytes = g.arena->slot_bytes;
    if (!GRAVELP_IS_RECORD(command) || GRAVELP_SLOT_COLUMNS(slot_bytes, command))
        return true;
    gravelp_fault(g.arena, GRAVELP_FAULT_RECORD, 0, slot_bytes, GRAVELP_PACKAGE_BYTES(command, 1u));
    return false;
}

/* Leader: reserves slots for n messages. Returns the first; NULL if there is nothing to send, or the node failed. */
GRAVELP_INLINE global uchar *gravelp_send_reserve(struct gravel_group g, struct gravelp_ring ring,
                                                  uint command, uint n, uint *ticket)
{
    uint columns = GRAVELP_SLOT_COLUMNS(ring.slot_bytes, command);
    return n && gravelp_fits_slot(g, command)
               ? gravelp_queue_reserve(g.arena, ring,
                                       n <= columns ? 1 : (n + columns - 1) / columns, ticket)
               : 0;
}

/* Leader: reserves slots for n messages, usually one, and chooses how they are written (struct gravelp_scratch). */
GRAVELP_INLINE void gravelp_send_begin(struct gravel_group g, uint command, uint n)
{
    local struct gravelp_scratch *scratch = g.scratch;
    struct gravelp_ring ring = gravelp_own_ring(g);
    uint ticket = 0;
    bool fits = n <= GRAVELP_SLOT_COLUMNS(ring.slot_bytes, command);
    global uchar *slot = gravelp_send_reserve(g, ring, command, n, &ticket);
    scratch->ticket = ticket;
    scratch->n_sent = slot ? n : 0;
    scratch->by_lane = fits && n == gravelp_n_lanes() ? slot : 0;
    scratch->by_position = fits && n != gravelp_n_lanes() ? slot : 0;
    scratch->by_package = fits ? 0 : slot;
    if (slot && fits)
        gravelp_prefetch_write(slot, GRAVELP_NODE_ROW +
                                         GRAVELP_PACKAGE_STRIDE(n) * GRAVELP_COLUMN_BYTES(command));
}

/* Finds the column-th message, where a package has `columns`: package << 32 | column there. */
GRAVELP_OUT_OF_LINE GRAVELP_OF_ARGUMENTS ulong gravelp_split_column(uint column, uint columns)
{
    uint package = column / columns;
    return (ulong)package << 32 |
           (column - package * columns); /* no %: oclgrind does not know its code */
}

/* Writes the column-th of n messages whose slots begin at a ticket. */
GRAVELP_INLINE void gravelp_write_column_of_many(struct gravel_group g, uint command, uint ticket,
                                                 uint n, uint column, ulong index,
                                                 struct gravelp_values values, ulong node)
{
    uint columns = GRAVELP_SLOT_COLUMNS(g.arena->slot_bytes, command);
    ulong split = gravelp_split_column(column, columns);
    uint package = (uint)(split >> 32), left = n - package * columns;
    struct gravelp_ring ring = gravelp_ring(g.arena, gravelp_queue_of_group(g.arena));
    gravelp_write_column(gravelp_ring_slot(ring, ticket + package), command,
                         left < columns ? left : columns, (uint)split, index, values, node);
}

/* Leader, or a work-item alone, behind the writes of a package's n messages: writes what they share, and publishes. */
GRAVELP_INLINE void gravelp_send_package(global uchar *slot, uint ticket, uint command, uint n,
                                         ulong base, struct gravel_reply reply,
                                         struct gravelp_values values)
{
    const uint sent = command & ~GRAVELP_COMMAND_CHECKED;
    global struct gravelp_package *package = (global struct gravelp_package *)slot;
    if (GRAVELP_IS_RECORD(sent)) {
        global uchar *text = slot + GRAVELP_TEXT_ROW(sent, GRAVELP_STRIDE(sent, n));
        for (uint i = 0; i < GRAVELP_TEXT_BYTES(sent); i++)
            text[i] = i < values.text_bytes ? (uchar)values.text[i] : 0;
    }
    if (GRAVELP_HAS_SIGNAL(sent)) {
        package->result = reply.result;
        package->signal = reply.signal;
    }
    gravelp_queue_publish(slot, ticket, command, n, base);
}

/* Leader, after the barrier: publishes n messages whose slots begin at a ticket. */
GRAVELP_INLINE void gravelp_send_end(struct gravelp_ring ring, uint command, ulong base,
                                     struct gravel_reply reply, struct gravelp_values values,
                                     uint ticket, uint n)
{
    uint columns = GRAVELP_SLOT_COLUMNS(ring.slot_bytes, command);
    for (uint left = n; left; ticket++) {
        uint now = left < columns ? left : columns;
        gravelp_send_package(gravelp_ring_slot(ring, ticket), ticket, command, now, base, reply,
                             values);
        left -= now;
    }
}

/* Every work-item of the group, after gravelp_send_begin of the leader: those that send write, and the leader
 * publishes. Returns how many messages the group sends. */
GRAVELP_INLINE uint gravelp_send_group(struct gravel_group g, bool are_all, uint command,
                                       ulong base, struct gravel_reply reply, ulong index,
                                       struct gravelp_values values, ulong node)
{
    gravelp_group_meet(g.arena); /* G1: slot, number and positions are known */
    if (g.scratch->by_lane)
        gravelp_write_column(g.scratch->by_lane, command, gravelp_n_lanes(), gravelp_lane_id(),
                             index, values, node);
    else if (!are_all && g.scratch->by_position &&
             g.scratch->lanes[gravelp_lane_index()] != GRAVELP_INACTIVE)
        gravelp_write_column(g.scratch->by_position, command, g.scratch->n_active,
                             g.scratch->lanes[gravelp_lane_index()], index, values, node);
    else if (g.scratch->by_package &&
             (are_all || g.scratch->lanes[gravelp_lane_index()] != GRAVELP_INACTIVE))
        gravelp_write_column_of_many(
            g, command, g.scratch->ticket, are_all ? gravelp_n_lanes() : g.scratch->n_active,
            are_all ? (uint)gravelp_lane_id() : g.scratch->lanes[gravelp_lane_index()], index,
            values, node);
    const uint n = are_all ? gravelp_n_lanes() : g.scratch->n_active;
    gravelp_group_meet(g.arena); /* G2: the package is written; with P2 it reaches the host */
    if (gravelp_is_leader())
        gravelp_send_end(gravelp_own_ring(g), command, base, reply, values, g.scratch->ticket,
                         g.scratch->n_sent);
    gravelp_block_keep(g.arena);
    return n;
}

/* Every work-item of the group: sends one message each. */
GRAVELP_INLINE uint gravelp_send_wg(struct gravel_group g, uint command, ulong base,
                                    struct gravel_reply reply, ulong index,
                                    struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    GRAVELP_WIDTH(g, command, base, reply);
    /* G3: no work-item is in a _wi call, where it might wait until the host has read the ticket we take. It
     * also keeps the leader's branch out of the user's code, which PoCL vectorizes better then. */
    gravelp_group_meet_apart(g.arena);
    if (gravelp_is_leader())
        gravelp_send_begin(g, command, gravelp_n_lanes());
    return gravelp_send_group(g, true, command, base, reply, index, values, node);
}

/* Every work-item of the group: the active ones send one message each, in the order of the work-items. */
GRAVELP_INLINE uint gravelp_send_wg_if(struct gravel_group g, uint active, uint command, ulong base,
                                       struct gravel_reply reply, ulong index,
                                       struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    GRAVELP_WIDTH(g, command, base, reply);
    gravelp_compact(g, active);
    if (gravelp_is_leader())
        gravelp_send_begin(g, command, g.scratch->n_active);
    return gravelp_send_group(g, false, command, base, reply, index, values, node);
}

/* Any work-item: sends a package of its own, of one message or, in checked mode, none. Returns n. Work-items of a
 * wavefront run in lockstep: one loop waits and publishes, so that no waiter keeps its neighbour from publishing. */
static inline uint gravelp_send_alone(struct gravel_group g, struct gravelp_arrival arrival, uint n,
                                      uint command, ulong base, struct gravel_reply reply,
                                      ulong index, struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    GRAVELP_WIDTH(g, command, base, reply);
    const uint sent = command & ~GRAVELP_COMMAND_CHECKED;
    if (!gravelp_fits_slot(g, sent))
        return n;
    struct gravelp_ring ring = gravelp_ring(g.arena, gravelp_queue_of_group(g.arena));
    uint ticket = gravelp_device_fetch_add_relaxed(&ring.words->reserved, 1);
    uint consumed =
        gravelp_device_load_acquire(&ring.words->consumed_cache); /* D2, pairs with D1 */
    bool has_room = ticket - consumed < ring.n_slots;
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    bool is_sending = true;
    while (is_sending) {
        if (has_room || gravelp_queue_has_room(g.arena, ring.words, ticket)) {
            global uchar *slot = gravelp_ring_slot(ring, ticket);
            gravelp_write_column(slot, sent, 1, 0, index, values, node);
            if (command & GRAVELP_COMMAND_CHECKED)
                ((global struct gravelp_package *)slot)->arrival = arrival;
            gravelp_send_package(slot, ticket, command, n, base, reply, values);
            is_sending = false;
        } else {
            is_sending = gravelp_queue_keep_waiting(g.arena, gravelp_origin(), ring.queue, ticket,
                                                    &patience);
        }
    }
    return n;
}

/* Any work-item: sends one message alone. */
#define gravelp_send_wi(g, ...) \
    gravelp_send_alone(g, (struct gravelp_arrival){0, 0, 0, 0, 0}, 1, __VA_ARGS__)

#endif
