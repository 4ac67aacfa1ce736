/* SPDX-License-Identifier: MIT */
/*
 * How a work-group, or one work-item, sends records: as messages, but for their columns. The words of a record stand
 * together, and the leader copies the text behind the records of each package.
 *
 * Path:    cl/print.cl.h -> check.cl.h (forms) -> this -> send.cl.h, queue.cl.h -> the host.
 * Memory:  G1, G2, G3 and P2, as in send.cl.h.
 */
#ifndef GRAVELP_RECORD_CL_H
#define GRAVELP_RECORD_CL_H

#include "send.cl.h"

/* What the records of a call have in common. */
struct gravelp_text {
    GRAVELP_LITERAL *text; /* [bytes] the end included */
    uint bytes;
    ulong types; /* of a line's arguments */
};

GRAVELP_INLINE void gravelp_write_text(global uchar *slot, uint command, uint stride,
                                       struct gravelp_text text)
{
    global uchar *to = slot + GRAVELP_TEXT_ROW(command, stride);
    for (uint i = 0; i < GRAVELP_TEXT_BYTES(command); i++)
        to[i] = i < text.bytes ? (uchar)text.text[i] : 0;
}

GRAVELP_INLINE void gravelp_write_record(global uchar *slot, uint command, size_t stride,
                                         size_t column, const uint *words, uint node)
{
    const uint n = GRAVELP_RECORD_WORDS(command);
    global uint *to = (global uint *)(slot + GRAVELP_VALUE_ROW(command, stride, 0)) + column * n;
    ((global uint *)(slot + GRAVELP_NODE_ROW))[column] = node;
    for (uint i = 0; i < n; i++)
        to[i] = words[i];
}

/* Leader, or a work-item alone: whether a slot holds one record; a fault if not. */
GRAVELP_INLINE bool gravelp_record_fits(struct gravel_group g, uint command)
{
    const uint slot_bytes = g.arena->slot_bytes;
    if (GRAVELP_SLOT_COLUMNS(slot_bytes, command))
        return true;
    gravelp_fault(g.arena, GRAVELP_FAULT_RECORD, 0, slot_bytes, GRAVELP_PACKAGE_BYTES(command, 1u));
    return false;
}

/* Write the column-th of n records that do not fit one slot. */
GRAVELP_INLINE void gravelp_write_record_of_many(struct gravel_group g, uint command, uint n,
                                                 uint column, const uint *words, uint node)
{
    uint columns = GRAVELP_SLOT_COLUMNS(g.arena->slot_bytes, command);
    ulong place = gravelp_split_column(column, columns);
    uint package = (uint)(place >> 32), left = n - package * columns;
    global uchar *slot =
        gravelp_queue_slot(g.arena, gravelp_queue_of_group(g.arena), g.scratch->ticket + package);
    gravelp_write_record(slot, command, left < columns ? left : columns, (uint)place, words, node);
}

/* Leader, after the barrier: give each package its text, and publish them. */
GRAVELP_INLINE void gravelp_record_end(struct gravel_group g, uint command,
                                       struct gravelp_text text)
{
    struct gravelp_ring ring = gravelp_own_ring(g);
    uint columns = GRAVELP_SLOT_COLUMNS(ring.slot_bytes, command), ticket = g.scratch->ticket;
    for (uint left = g.scratch->n_sent; left; ticket++) {
        uint n = left < columns ? left : columns;
        gravelp_write_text(gravelp_ring_slot(ring, ticket), command, n, text);
        left -= n;
    }
    gravelp_send_end(g, command, 0, (struct gravel_reply){text.types, GRAVEL_NO_SIGNAL});
}

/* Every work-item of the group: send one record each. */
GRAVELP_INLINE void gravelp_record_wg(struct gravel_group g, uint command, struct gravelp_text text,
                                      const uint *words, uint node)
{
    gravelp_group_meet_apart(g.arena); /* G3: as in gravelp_send_wg */
    if (gravelp_is_leader())
        gravelp_send_begin(g, command, gravelp_record_fits(g, command) ? gravelp_n_lanes() : 0);
    gravelp_group_meet(g.arena); /* G1: the slot is known */
    if (g.scratch->by_lane)
        gravelp_write_record(g.scratch->by_lane, command, gravelp_n_lanes(), gravelp_lane_id(),
                             words, node);
    else if (g.scratch->by_package)
        gravelp_write_record_of_many(g, command, gravelp_n_lanes(), (uint)gravelp_lane_id(), words,
                                     node);
    gravelp_group_meet(g.arena); /* G2: the package is written but for its text */
    if (gravelp_is_leader())
        gravelp_record_end(g, command, text);
    gravelp_block_keep(g.arena);
}

/* Every work-item of the group: the active ones send one record each, in the order of the work-items. */
GRAVELP_INLINE void gravelp_record_wg_if(struct gravel_group g, uint active, uint command,
                                         struct gravelp_text text, const uint *words, uint node)
{
    gravelp_compact(g.arena, g.scratch, active);
    if (gravelp_is_leader())
        gravelp_send_begin(
            g, command,
            g.scratch->n_active && gravelp_record_fits(g, command) ? g.scratch->n_active : 0);
    gravelp_group_meet(g.arena); /* G1: slot, number and positions are known */
    if (g.scratch->by_lane)
        gravelp_write_record(g.scratch->by_lane, command, gravelp_n_lanes(), gravelp_lane_id(),
                             words, node);
    else if (g.scratch->by_position && g.scratch->lanes[gravelp_place()] != GRAVELP_INACTIVE)
        gravelp_write_record(g.scratch->by_position, command, g.scratch->n_active,
                             g.scratch->lanes[gravelp_place()], words, node);
    else if (g.scratch->by_package && g.scratch->lanes[gravelp_place()] != GRAVELP_INACTIVE)
        gravelp_write_record_of_many(g, command, g.scratch->n_active,
                                     g.scratch->lanes[gravelp_place()], words, node);
    gravelp_group_meet(g.arena); /* G2: the package is written but for its text */
    if (gravelp_is_leader())
        gravelp_record_end(g, command, text);
    gravelp_block_keep(g.arena);
}

/* Any work-item: a package of its own, of one record or, in checked mode, none. It waits for room as
 * gravelp_send_alone does, in the loop that also publishes. */
static inline void gravelp_record_alone(struct gravel_group g, struct gravelp_arrival arrival,
                                        uint n, uint command, struct gravelp_text text,
                                        const uint *words, uint node)
{
    const uint record = command & ~GRAVELP_COMMAND_CHECKED;
    if (!gravelp_record_fits(g, record))
        return;
    uint queue = gravelp_queue_of_group(g.arena);
    global struct gravelp_queue_words *queue_words = gravelp_queue_words(g.arena, queue);
    uint ticket = gravelp_device_fetch_add_relaxed(&queue_words->reserved, 1);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    bool is_sending = true;
    while (is_sending) {
        if (gravelp_queue_has_room(g.arena, queue_words, ticket)) {
            global uchar *slot = gravelp_queue_slot(g.arena, queue, ticket);
            gravelp_write_record(slot, record, 1, 0, words, node);
            gravelp_write_text(slot, record, 1, text);
            gravelp_queue_set_reply(slot, (struct gravel_reply){text.types, GRAVEL_NO_SIGNAL});
            if (command & GRAVELP_COMMAND_CHECKED)
                ((global struct gravelp_package *)slot)->arrival = arrival;
            gravelp_queue_publish(slot, ticket, command, n, 0);
            is_sending = false;
        } else {
            is_sending =
                gravelp_queue_keep_waiting(g.arena, gravelp_origin(), queue, ticket, &patience);
        }
    }
}

#endif
