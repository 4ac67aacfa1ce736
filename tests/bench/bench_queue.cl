/* SPDX-License-Identifier: MIT */
/*
 * The producers of bench-queue: one message a work-item, through the queue's own reserve and publish.
 *
 * A message is WORDS 64-bit words (a build option), each word in a row of its own, as in a package; word
 * `row` of message i is i + row. Operation and destination do not matter here, so rows start right after
 * the header.
 *
 * Path:    queue_device.c launches them -> queue.cl.h -> queue_device.c sums what arrives.
 * Source:  Orr 2016, sections 5.2.1 (one reservation a work-group) and 5.4.1 (one a work-item).
 */
#include "gravel.cl.h"

GRAVEL_INLINE void write_message(global uchar *restrict slot, size_t stride, size_t column,
                                 ulong number)
{
    global ulong *restrict words = (global ulong *)(slot + sizeof(struct gravel_package));
    for (uint row = 0; row < WORDS; row++)
        words[row * stride + column] = number + row;
}

/* Global size: messages. Local size: any up to GRAVEL_MAX_GROUP. All messages are published when it ends. */
kernel void work_group(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    size_t lane = gravel_lane_id();
    uint n = gravel_n_lanes();
    if (lane == 0) {
        uint ticket;
        g.scratch->slot = gravel_queue_reserve(g.arena, 0, &ticket);
        g.scratch->ticket = ticket;
        if (g.scratch->slot)
            gravel_prefetch_write(g.scratch->slot,
                                  GRAVEL_NODE_ROW + GRAVEL_PACKAGE_STRIDE(n) * WORDS * 8);
    }
    gravel_barrier_group(); /* G1: the slot is known */
    global uchar *slot = g.scratch->slot;
    if (slot)
        write_message(slot, GRAVEL_PACKAGE_STRIDE(n), lane, get_global_id(0));
    gravel_barrier_group(); /* G2: the package is written; with P2 it reaches the host */
    if (lane == 0 && slot)
        gravel_queue_publish(slot, g.scratch->ticket, 0, n, 0);
}

/* The same, every work-item on its own. A waiter goes round the loop that also publishes: see gravel_send_wi. */
kernel void work_item(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    global struct gravel_queue_words *words = gravel_queue_words(g.arena, 0);
    uint ticket = gravel_device_fetch_add_relaxed(&words->reserved, 1);
    uint consumed = gravel_device_load_acquire(&words->consumed_cache); /* D2, pairs with D1 */
    bool has_room = ticket - consumed < g.arena->n_slots;
    struct gravel_patience patience = {0, 0};
    bool is_sending = true;
    while (is_sending) {
        if (has_room || gravel_queue_has_room(g.arena, words, ticket)) {
            global uchar *slot = gravel_queue_slot(g.arena, 0, ticket);
            write_message(slot, GRAVEL_PACKAGE_STRIDE(1), 0, get_global_id(0));
            gravel_queue_publish(slot, ticket, 0, 1, 0); /* P2, pairs with C1 */
            is_sending = false;
        } else {
            is_sending = gravel_queue_keep_waiting(g.arena, words, 0, ticket, &patience);
        }
    }
}
