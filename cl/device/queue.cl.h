/* SPDX-License-Identifier: MIT */
/*
 * The device side of the work-group-level producer/consumer queue: reserve and publish.
 *
 * A leader takes a ticket, waits until the ticket's slot is free, the group writes its package, the leader
 * publishes. The host (lib/memory/package.h) peeks and releases. Tickets are free-running; ticket t uses slot
 * t % n_slots, which is free once the host has consumed ticket t - n_slots.
 *
 * Path:    workgroup.cl.h -> queue.cl.h -> send.cl.h; then lib/memory/package.h.
 * Memory:  P1 acquires C2 (the host has read the slot's last package); P2 releases the package to C1.
 *          D1/D2 hand a seen `consumed` from leader to leader. Host waits are the only waits.
 * Source:  Orr 2016, sections 5.2.1 and A.2.3. Different there: the full bit is a lap-carrying word with one
 *          writer, and the consumed count replaces the read index the device compares and swaps.
 */
#ifndef GRAVELP_QUEUE_CL_H
#define GRAVELP_QUEUE_CL_H

#include "layout/arena.h"
#include "layout/package.h"
#include "workgroup.cl.h"

GRAVELP_INLINE global struct gravelp_queue_words *
gravelp_queue_words(global struct gravelp_arena *arena, uint queue)
{
    return (global struct gravelp_queue_words *)((global uchar *)arena + arena->queues_offset) +
           queue;
}

/* True once the ticket's slot is free. One poll; no wait. */
GRAVELP_INLINE bool gravelp_queue_has_room(global struct gravelp_arena *arena,
                                           global struct gravelp_queue_words *words, uint ticket)
{
    uint consumed = gravelp_load_acquire(&words->consumed); /* P1, pairs with C2 */
    if (ticket - consumed >= arena->n_slots)
        return false;
    gravelp_device_store_release(&words->consumed_cache, consumed); /* D1, pairs with D2 */
    return true;
}

/* ---- how long a kernel waits ------------------------------------------------------------------ */

/*
 * What a waiter remembers between two polls. All waits of kernels end by it: when the node has failed; late, when what
 * is waited for has not changed for a limit by the host's clock; cut off, when that clock has not advanced for far
 * longer.
 *
 * The clock does not advance while the host's threads are not run, so a busy machine makes no wait late; nor where the
 * host's stores do not reach a running kernel, or the thread that makes them has stopped: then polls are counted.
 * The host renews all limits while it waits for what has a limit of its own, which may take far longer.
 */
struct gravelp_patience {
    ulong seen;     /* what is waited for, as of the last poll */
    ulong least_ns; /* that has passed since it changed, or the clock did, by the count of polls */
    uint polls;     /* since then */
    uint beat;      /* the clock as of the last poll */
    uint since_ms;  /* when it changed; 0: no clock has been seen yet */
    uint renewed;   /* that limits had been, as of the last poll */
};

#define GRAVELP_WAITS_ON 0u
#define GRAVELP_WAIT_FAILED 1u  /* the node has failed, or another group has given up */
#define GRAVELP_WAIT_IS_LATE 2u /* or this | GRAVELP_FAULT_CUT_OFF: a fault */

/* Returns whether to wait further. words: of the queue whose consumer's clock it is. */
GRAVELP_OUT_OF_LINE uint gravelp_wait_ask(global struct gravelp_arena *arena,
                                          global struct gravelp_queue_words *words, ulong seen,
                                          uint limit_ms, struct gravelp_patience *patience)
{
    if (gravelp_load_relaxed(&arena->abort) ||              /* H1 */
        gravelp_device_load_relaxed(&arena->fault_claim)) { /* F3: another group has given up */
        gravelp_servers_break(arena);
        return GRAVELP_WAIT_FAILED;
    }
    uint beat = gravelp_load_relaxed(&words->beat);       /* H6 */
    uint renewed = gravelp_load_relaxed(&words->renewed); /* H14 */
    bool has_changed = seen != patience->seen || renewed != patience->renewed;
    if (has_changed || patience->since_ms == 0)
        patience->since_ms = beat;
    bool is_still = !has_changed && beat == patience->beat;
    patience->polls = is_still ? patience->polls + 1 : 0;
    patience->least_ns = is_still ? patience->least_ns + arena->poll_ns : 0;
    patience->seen = seen;
    patience->beat = beat;
    patience->renewed = renewed;
    if (limit_ms == 0 || beat - patience->since_ms > limit_ms)
        return GRAVELP_WAIT_IS_LATE;
    if (patience->least_ns > (ulong)GRAVELP_CUT_OFF * limit_ms * 1000000u)
        return GRAVELP_WAIT_IS_LATE | GRAVELP_FAULT_CUT_OFF;
    return GRAVELP_WAITS_ON;
}

/* ---- reserve and publish ----------------------------------------------------------------------- */

/* Waits a moment, after a poll of a full queue. Returns false once the wait has failed or is too long. */
GRAVELP_OUT_OF_LINE bool gravelp_queue_keep_waiting(global struct gravelp_arena *arena,
                                                    struct gravelp_origin origin, uint queue,
                                                    uint ticket, struct gravelp_patience *patience)
{
    global struct gravelp_queue_words *words = gravelp_queue_words(arena, queue);
    uint consumed = gravelp_load_relaxed(&words->consumed); /* relaxed: only whether it changes */
    uint verdict =
        gravelp_wait_ask(arena, words, consumed, GRAVELP_ROOM_WAITS * arena->wait_ms, patience);
    if (verdict & GRAVELP_WAIT_IS_LATE)
        gravelp_fault_at(arena, origin, GRAVELP_FAULT_STALLED | (verdict & GRAVELP_FAULT_CUT_OFF),
                         queue, ticket, consumed, 0);
    if (verdict != GRAVELP_WAITS_ON)
        return false;
    patience->least_ns += gravelp_pause(patience->polls, arena->n_slots >= GRAVELP_LONG_QUEUE);
    return true;
}

/* Leader: wait until the slot of `ticket`, the last of n, is free. */
GRAVELP_OUT_OF_LINE bool gravelp_queue_wait(global struct gravelp_arena *arena,
                                            struct gravelp_origin origin, uint queue, uint n,
                                            uint ticket)
{
    global struct gravelp_queue_words *words = gravelp_queue_words(arena, queue);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    bool is_known = arena->version == GRAVELP_ARENA_VERSION;
    if (!is_known || n > arena->n_slots) {
        gravelp_fault_at(arena, origin, is_known ? GRAVELP_FAULT_QUEUE : GRAVELP_FAULT_VERSION,
                         queue, is_known ? 0 : ticket, is_known ? n : GRAVELP_ARENA_VERSION, 0);
        return false;
    }
    if (gravelp_queue_has_room(arena, words, ticket))
        return true;
    gravelp_device_fetch_add_relaxed(&words->waits, 1);
    while (!gravelp_queue_has_room(arena, words, ticket))
        if (!gravelp_queue_keep_waiting(arena, origin, queue, ticket, &patience))
            return false;
    return true;
}

/* The queue this group sends through: always the same one, so that its messages stay in order. */
GRAVELP_INLINE uint gravelp_queue_of_group(global struct gravelp_arena *arena)
{
    return arena->n_queues == 1 ? 0 : gravelp_group_number() % arena->n_queues;
}

GRAVELP_INLINE struct gravelp_ring gravelp_ring(global struct gravelp_arena *arena, uint queue)
{
    const ulong bytes = (ulong)arena->n_slots * arena->slot_bytes;
    return (struct gravelp_ring){gravelp_queue_words(arena, queue),
                                 (global uchar *)arena + arena->slots_offset + queue * bytes, queue,
                                 arena->n_slots, arena->slot_bytes};
}

GRAVELP_INLINE global uchar *gravelp_ring_slot(struct gravelp_ring ring, uint ticket)
{
    return ring.slots + (ulong)(ticket & (ring.n_slots - 1)) * ring.slot_bytes;
}

/* GRAVEL_OPEN: the leader keeps where its queue is. Where a group is one thread, a load from the arena costs nothing,
 * and PoCL 3.1 compiles barriers under a condition wrongly behind a branch of the leader's here. */
GRAVELP_INLINE void gravelp_open(struct gravel_group g)
{
#ifndef GRAVELP_SERIAL_GROUP
    if (gravelp_is_leader())
        g.scratch->ring = gravelp_ring(g.arena, gravelp_queue_of_group(g.arena));
#else
    (void)g;
#endif
}

/* Leader: where its queue lies. */
GRAVELP_INLINE struct gravelp_ring gravelp_own_ring(struct gravel_group g)
{
#ifndef GRAVELP_SERIAL_GROUP
    return g.scratch->ring;
#else
    return gravelp_ring(g.arena, gravelp_queue_of_group(g.arena));
#endif
}

/* Every work-item of the group, before and after its messages: adds n to the sessions. */
GRAVELP_INLINE void gravelp_session_add(struct gravel_group g, uint n)
{
    gravelp_group_meet_apart(g.arena);
    if (gravelp_is_leader())
        gravelp_fetch_add_relaxed(&gravelp_own_ring(g).words->sessions, n); /* A8 */
    gravelp_block_keep(g.arena);
}

/*
 * Leader: reserve slots for n packages, with tickets one after the other. The slots before the last one are
 * free if it is, and it waits only for packages of other groups, so a group never waits for itself.
 *
 * @param n       packages, at least 1; more than the queue has slots is a fault.
 * @param ticket  [out] the first, to be published; all n must be.
 * @return        the first slot; NULL if the messages must be dropped, because the node has failed.
 */
GRAVELP_INLINE global uchar *gravelp_queue_reserve(global struct gravelp_arena *arena,
                                                   struct gravelp_ring ring, uint n, uint *ticket)
{
    uint first = gravelp_device_fetch_add_relaxed(&ring.words->reserved, n), last = first + n - 1;
    uint consumed =
        gravelp_device_load_acquire(&ring.words->consumed_cache); /* D2, pairs with D1 */
    *ticket = first;
    if (last - consumed >= ring.n_slots &&
        !gravelp_queue_wait(arena, gravelp_origin(), ring.queue, n, last))
        return 0;
    return gravelp_ring_slot(ring, first);
}

/* Where the answers of a group's requests go, in its own node's heap. The same for the whole group. */
struct gravel_reply {
    ulong result; /* heap offset of position 0 [bytes] */
    ulong signal; /* heap offset of a uint [bytes], one more with every answer; 0: none */
};

#define GRAVELP_SIGNAL(signal) ((struct gravel_reply){0, (signal)})
#define GRAVELP_NO_REPLY GRAVELP_SIGNAL(GRAVEL_NO_SIGNAL)

/* Leader, after the group's barrier: fill the header and hand the package to the host. */
GRAVELP_INLINE void gravelp_queue_publish(global uchar *slot, uint ticket, uint command,
                                          uint n_messages, ulong base)
{
    global struct gravelp_package *package = (global struct gravelp_package *)slot;
    package->command = command;
    package->n_messages = n_messages;
    package->stride = GRAVELP_STRIDE(command & ~GRAVELP_COMMAND_CHECKED, n_messages);
    package->base = base;
    gravelp_store_release(&package->published, ticket + 1); /* P2, pairs with C1 */
}

#endif
