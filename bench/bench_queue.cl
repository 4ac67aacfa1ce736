/* SPDX-License-Identifier: MIT */
/*
 * The producers of bench-queue: one message a work-item, by the queue's own reserve and publish.
 *
 * A message is WORDS 64-bit words (a build option), each word in a row of its own, as in a
 * package; word `row` of message i is i + row. Operation and destination do not matter here, so
 * rows start right after the header.
 *
 * Path:    queue_device.c launches them -> queue.cl.h -> queue_device.c sums what arrives.
 * Source:  Orr 2016, sections 5.2.1 (one reservation a work-group) and 5.4.1 (one a work-item).
 */
#include "gravel.cl.h"

GRAVELP_INLINE void write_message(global uchar *restrict slot, size_t stride, size_t column,
                                  ulong number)
{
    global ulong *restrict words = (global ulong *)(slot + sizeof(struct gravelp_package));
#pragma unroll
    for (uint row = 0; row < WORDS; row++)
        words[row * stride + column] = number + row;
}

/*
 * Leader test and column are worked out anew between barriers, and the leader test does not use
 * the column: what lives across a barrier PoCL keeps in an array, and stores to a column read from
 * an array are not vectorized (half the speed).
 */
GRAVELP_INLINE bool is_leader(void)
{
    return (get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0;
}

/* Global size: messages. Local size: up to GRAVEL_MAX_GROUP. When it ends, all are published. */
kernel void work_group(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint n = gravelp_n_lanes();
    if (is_leader()) {
        uint ticket;
        g.scratch->by_lane = gravelp_queue_reserve(g.arena, gravelp_own_ring(g), 1, &ticket);
        g.scratch->ticket = ticket;
        if (g.scratch->by_lane)
            gravelp_prefetch_write(g.scratch->by_lane,
                                   GRAVELP_NODE_ROW + GRAVELP_PACKAGE_STRIDE(n) * WORDS * 8);
    }
    gravelp_barrier_group(); /* G1: the slot is known */
    if (g.scratch->by_lane)
        write_message(g.scratch->by_lane, GRAVELP_PACKAGE_STRIDE(n), gravelp_lane_id(),
                      get_global_id(0));
    gravelp_barrier_group(); /* G2: the package is written; with P2 it reaches the host */
    if (is_leader() && g.scratch->by_lane)
        gravelp_queue_publish(g.scratch->by_lane, g.scratch->ticket, 0, n, 0);
}

/* Every work-item alone. As in gravelp_send_wi, a waiter stays in the loop. */
kernel void work_item(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    global struct gravelp_queue_words *words = gravelp_queue_words(g.arena, 0);
    uint ticket = gravelp_device_fetch_add_relaxed(&words->reserved, 1);
    uint consumed = gravelp_device_load_acquire(&words->consumed_cache); /* D2, pairs with D1 */
    bool has_room = ticket - consumed < g.arena->n_slots;
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    bool is_sending = true;
    while (is_sending) {
        if (has_room || gravelp_queue_has_room(g.arena, words, ticket)) {
            global uchar *slot = gravelp_ring_slot(gravelp_ring(g.arena, 0), ticket);
            write_message(slot, GRAVELP_PACKAGE_STRIDE(1), 0, get_global_id(0));
            gravelp_queue_publish(slot, ticket, 0, 1, 0); /* P2, pairs with C1 */
            is_sending = false;
        } else {
            is_sending =
                gravelp_queue_keep_waiting(g.arena, gravelp_origin(), 0, ticket, &patience);
        }
    }
}
