/* SPDX-License-Identifier: MIT */
/*
 * The device side of the work-group-level producer/consumer queue: reserve and publish.
 *
 * A leader takes a ticket, waits until the ticket's slot is free, the group writes its package, the leader
 * publishes. The host (lib/queue/package.h) peeks and releases. Tickets are free-running; ticket t uses slot
 * t % n_slots, which is free once the host has consumed ticket t - n_slots.
 *
 * Path:    workgroup.cl.h -> queue.cl.h -> message.cl.h; then lib/queue/package.h.
 * Memory:  P1 acquires C2 (the host has read the slot's last package); P2 releases the package to C1.
 *          D1/D2 hand a seen `consumed` from leader to leader. Host waits are the only waits.
 * Source:  Orr 2016, sections 5.2.1 and A.2.3. Different there: the full bit is a lap-carrying word with one
 *          writer, and the consumed count replaces the read index the device compares and swaps.
 */
#ifndef GRAVEL_QUEUE_CL_H
#define GRAVEL_QUEUE_CL_H

#include "arena.h"
#include "package.h"
#include "workgroup.cl.h"

GRAVEL_INLINE global struct gravel_queue_words *
gravel_queue_words(global struct gravel_arena *arena, uint queue)
{
    return (global struct gravel_queue_words *)((global uchar *)arena + arena->queues_offset) +
           queue;
}

GRAVEL_INLINE global uchar *gravel_queue_slot(global struct gravel_arena *arena, uint queue,
                                              uint ticket)
{
    ulong slot = (ulong)queue * arena->n_slots + (ticket & (arena->n_slots - 1));
    return (global uchar *)arena + arena->slots_offset + slot * arena->slot_bytes;
}

/* True once the ticket's slot is free. One look; no wait. */
GRAVEL_INLINE bool gravel_queue_has_room(global struct gravel_arena *arena,
                                         global struct gravel_queue_words *words, uint ticket)
{
    uint consumed = gravel_load_acquire(&words->consumed); /* P1, pairs with C2 */
    if (ticket - consumed >= arena->n_slots)
        return false;
    gravel_device_store_release(&words->consumed_cache, consumed); /* D1, pairs with D2 */
    return true;
}

/* What a waiter remembers between two looks at a full queue. */
struct gravel_patience {
    uint polls;
    uint beat;
};

/* Between two looks: false once it is no use to wait any longer (node aborted or faulty, host dead). */
static bool gravel_queue_is_served(global struct gravel_arena *arena,
                                   global struct gravel_queue_words *words, uint queue, uint ticket,
                                   struct gravel_patience *patience)
{
    if (gravel_load_relaxed(&arena->abort)) /* H1 */
        return false;
    if (gravel_load_relaxed(&arena->fault_claim)) /* F3: another group has given up */
        return false;
    uint beat = gravel_load_relaxed(&words->beat);
    if (beat != patience->beat) {
        patience->beat = beat;
        patience->polls = 0;
    }
    if (++patience->polls >= arena->wait_limit) {
        gravel_fault(arena, GRAVEL_FAULT_STALLED, queue, ticket, patience->polls);
        return false;
    }
    return true;
}

/* The same, and give way. */
static bool gravel_queue_keep_waiting(global struct gravel_arena *arena,
                                      global struct gravel_queue_words *words, uint queue,
                                      uint ticket, struct gravel_patience *patience)
{
    if (!gravel_queue_is_served(arena, words, queue, ticket, patience))
        return false;
    gravel_pause(patience->polls, arena->n_slots >= GRAVEL_LONG_QUEUE);
    return true;
}

/* Leader: wait until the ticket's slot is free. Kept out of line: the common case never comes here. */
static bool gravel_queue_wait(global struct gravel_arena *arena,
                              global struct gravel_queue_words *words, uint queue, uint ticket)
{
    struct gravel_patience patience = {0, 0};
    if (arena->version != GRAVEL_ARENA_VERSION) {
        gravel_fault(arena, GRAVEL_FAULT_VERSION, queue, ticket, GRAVEL_ARENA_VERSION);
        return false;
    }
    if (gravel_queue_has_room(arena, words, ticket))
        return true;
    gravel_device_fetch_add_relaxed(&words->waits, 1);
    while (!gravel_queue_has_room(arena, words, ticket))
        if (!gravel_queue_keep_waiting(arena, words, queue, ticket, &patience))
            return false;
    return true;
}

/* The queue this group sends through: always the same one, so that its messages stay in order. */
GRAVEL_INLINE uint gravel_queue_of_group(global struct gravel_arena *arena)
{
    return arena->n_queues == 1 ? 0 : gravel_group_number() % arena->n_queues;
}

/*
 * Leader: reserve slots for n packages, with tickets one after the other. The slots before the last one are
 * free if it is, and it waits only for packages of other groups, so a group never waits for itself.
 *
 * @param n       packages, at least 1; more than the queue has slots is a fault.
 * @param ticket  [out] the first, to be published; all n must be.
 * @return        the first slot; NULL if the messages must be dropped, because the node has failed.
 */
GRAVEL_INLINE global uchar *gravel_queue_reserve(global struct gravel_arena *arena, uint queue,
                                                 uint n, uint *ticket)
{
    if (n > arena->n_slots) {
        gravel_fault(arena, GRAVEL_FAULT_QUEUE, queue, 0, n);
        return 0;
    }
    global struct gravel_queue_words *words = gravel_queue_words(arena, queue);
    uint first = gravel_device_fetch_add_relaxed(&words->reserved, n), last = first + n - 1;
    uint consumed = gravel_device_load_acquire(&words->consumed_cache); /* D2, pairs with D1 */
    *ticket = first;
    if (last - consumed >= arena->n_slots && !gravel_queue_wait(arena, words, queue, last))
        return 0;
    return gravel_queue_slot(arena, queue, first);
}

/* Where the answers of a group's requests go, in its own node's heap; the same for the whole group. */
struct gravel_reply {
    ulong result; /* heap offset of place 0 [bytes] */
    ulong
        signal; /* heap offset of a uint [bytes] that grows by one with every answer; or GRAVEL_NO_SIGNAL */
};

/* Leader, before it publishes: where the answers to a package of requests go, or what signal counts it. */
GRAVEL_INLINE void gravel_queue_set_reply(global uchar *slot, struct gravel_reply reply)
{
    global struct gravel_package *package = (global struct gravel_package *)slot;
    package->result = reply.result;
    package->signal = reply.signal;
}

/* Leader, after the group's barrier: fill the header and hand the package to the host. */
GRAVEL_INLINE void gravel_queue_publish(global uchar *slot, uint ticket, uint command,
                                        uint n_messages, ulong base)
{
    global struct gravel_package *package = (global struct gravel_package *)slot;
    package->command = command;
    package->n_messages = n_messages;
    package->stride = GRAVEL_PACKAGE_STRIDE(n_messages);
    package->base = base;
    gravel_store_release(&package->published, ticket + 1); /* P2, pairs with C1 */
}

#endif
