/* SPDX-License-Identifier: MIT */
/*
 * Inboxes of servers, and their rings: where they are, which of them gets a message, and room in them.
 *
 * In phases no client waits: they end when an inbox is nearly full. Where servers run concurrently (GRAVELP_RESIDENT)
 * a client waits for room.
 *
 * Path:    outbox.cl.h, serving.cl.h -> this -> inboxes (layout/server.h); a handler's gravel_serve_amN -> rings.
 * Memory:  P1 with the servers' I2; in phases the kernel's end orders all of it before the servers' kernel. O1, a
 *          message of a ring, whose server acquires it by O2; O4, which pairs with the server's O3, and the end.
 * Source:  Wang, Fussell, Lin 2019, section 4 (MF, whose messages are the worklist); the sums are those of Mattern,
 *          Algorithms for distributed termination detection, Distributed Computing 2, 1987.
 */
#ifndef GRAVELP_INBOX_CL_H
#define GRAVELP_INBOX_CL_H

#include "send.cl.h"

/* Which of n servers has a key: spread by a multiplication, for keys are often numbers in a row. */
GRAVELP_INLINE uint gravelp_key_hash(ulong key)
{
    return (uint)(key * 0x9e3779b97f4a7c15ul >> 32);
}
#ifndef GRAVEL_OWNER
#define GRAVEL_OWNER(key, n) ((ulong)gravelp_key_hash(key) * (n) >> 32)
#endif
GRAVELP_INLINE uint gravelp_owner(ulong key, uint n)
{
    ulong owner = n == 1 ? 0 : GRAVEL_OWNER(key, n);
    return owner < n ? (uint)owner : n - 1;
}

/* How many servers share out keys: a constant, if the program was built for them, so that hashes are vectorized. */
#if defined(GRAVELP_N_OWNERS)
#define GRAVELP_OWNERS_OF(arena) GRAVELP_N_OWNERS
#else
#define GRAVELP_OWNERS_OF(arena) (gravelp_servers(arena)->n_owners)
#endif

/* Which server gets a message: the first key's owner, or that of transactions. */
#ifndef GRAVELP_IS_PAIR
#define GRAVELP_IS_PAIR(handler) ((void)(handler), 0)
#endif
GRAVELP_INLINE uint gravelp_server_of(uint command, ulong key, uint n_owners)
{
    return GRAVELP_IS_PAIR(GRAVELP_COMMAND_HANDLER(command)) ? n_owners
                                                             : gravelp_owner(key, n_owners);
}

GRAVELP_INLINE global struct gravelp_queue_words *
gravelp_server_words(global struct gravelp_servers *servers, ulong offset)
{
    return (global struct gravelp_queue_words *)((global uchar *)servers + offset);
}
#define gravelp_inbox_words(servers, server) \
    gravelp_server_words(servers, GRAVELP_INBOX_WORDS(server))
#define gravelp_spill_words(servers, owner) \
    gravelp_server_words(servers, GRAVELP_SPILL_WORDS(servers, owner))

GRAVELP_INLINE global uchar *gravelp_inbox_slot(global struct gravelp_servers *servers, uint server,
                                                uint ticket)
{
    return (global uchar *)servers + GRAVELP_INBOX_SLOT(servers->n_servers, servers->n_slots,
                                                        servers->slot_bytes, server,
                                                        ticket & (servers->n_slots - 1));
}

/* Any work-item: a message's argument in an inbox's slot. */
GRAVELP_INLINE global ulong *gravelp_inbox_row(global struct gravelp_servers *servers,
                                               global uchar *slot, uint row)
{
    return (global ulong *)(slot + GRAVELP_INBOX_ROWS) + row * servers->columns;
}

/* Any work-item: of n slots from a ticket on, none of which is published, how many have room. One poll; no wait. */
GRAVELP_INLINE uint gravelp_inbox_room(global struct gravelp_servers *servers,
                                       global struct gravelp_queue_words *words, uint ticket,
                                       uint n)
{
    uint in_use = ticket - gravelp_device_load_acquire(&words->consumed); /* P1, pairs with I2 */
    uint room = in_use < servers->n_slots ? servers->n_slots - in_use : 0;
#if !defined(GRAVELP_RESIDENT)
    if (in_use + n >= servers->full_at)
        gravelp_store_relaxed(&servers->is_full, 1); /* relaxed: clients read it when they do */
#endif
    return room < n ? room : n;
}

/* Leader that has found no room: waits a moment. Returns false if room cannot come, as in phases: clients end when
 * an inbox is nearly full, and what is left must do for what they have begun. `seen` changes when servers take some. */
GRAVELP_OUT_OF_LINE bool gravelp_inbox_keep_waiting(global struct gravelp_arena *arena,
                                                    struct gravelp_origin origin, uint server,
                                                    uint ticket, uint seen,
                                                    private struct gravelp_patience *patience)
{
#if defined(GRAVELP_RESIDENT)
    uint verdict = gravelp_wait_ask(arena, gravelp_queue_words(arena, 0), seen,
                                    GRAVELP_ROOM_WAITS * arena->wait_ms, patience);
    if (verdict & GRAVELP_WAIT_IS_LATE)
        gravelp_fault_at(arena, origin, GRAVELP_FAULT_SILENT | (verdict & GRAVELP_FAULT_CUT_OFF),
                         server, ticket, seen, 0);
    if (verdict == GRAVELP_WAITS_ON)
        patience->least_ns += gravelp_pause(patience->polls, false);
    return verdict == GRAVELP_WAITS_ON;
#else
    global struct gravelp_servers *servers = gravelp_servers(arena);
    global struct gravelp_queue_words *words = gravelp_inbox_words(servers, server);
    (void)ticket, (void)seen, (void)patience;
    gravelp_fault_at(arena, origin, GRAVELP_FAULT_INBOX, server, servers->n_slots,
                     gravelp_device_load_relaxed(&words->reserved) - words->consumed,
                     0); /* relaxed: how many */
    return false;
#endif
}

/* ---- handlers that send ---------------------------------------------------------------------------- */

/*
 * A message with a key from a handler with a key goes to the spill ring of the server that owns the key, on this
 * device, which has room for all that may wait there, so that no server waits for another. Resident servers end when
 * all clients have finished, all inboxes are empty, and the messages handled are as many as those sent: the sum of the
 * handled is taken before the sum of the sent, so that equal sums leave no message whose handler could send more.
 */
GRAVELP_INLINE global struct gravelp_spilled *
gravelp_spilled(global struct gravelp_servers *servers, uint owner, uint ticket)
{
    return (global struct gravelp_spilled *)((global uchar *)servers +
                                             GRAVELP_SPILLED(servers, owner,
                                                             ticket & (servers->n_spill - 1)));
}

/* Any work-item that runs a handler, which may send or not: a message to a server. It waits for nothing. */
GRAVELP_INLINE void gravelp_serve_send(global struct gravelp_arena *arena, uint sends, uint command,
                                       struct gravelp_values values)
{
    if (!sends) {
        gravelp_fault(arena, GRAVELP_FAULT_SENDER, GRAVELP_COMMAND_HANDLER(command), 0, 0);
        return;
    }
    global struct gravelp_servers *servers = gravelp_servers(arena);
    const uint owner = gravelp_owner(values.value[0], GRAVELP_OWNERS_OF(arena));
    global struct gravelp_queue_words *words = gravelp_spill_words(servers, owner);
    uint ticket = gravelp_device_fetch_add_relaxed(&words->reserved, 1);
    uint in_use = ticket - gravelp_device_load_acquire(&words->consumed); /* O4, pairs with O3 */
    if (in_use >= servers->n_spill) {
        gravelp_fault(arena, GRAVELP_FAULT_SPILL, owner, servers->n_spill - GRAVELP_SPILL_BATCH,
                      in_use + 1);
        return;
    }
    global struct gravelp_spilled *spilled = gravelp_spilled(servers, owner, ticket);
    for (uint i = 0; i < GRAVELP_COMMAND_N_ARGS(command); i++)
        ((global ulong *)(spilled + 1))[i] = values.value[i];
    spilled->handler = GRAVELP_COMMAND_HANDLER(command);
    gravelp_device_store_release(&spilled->published, ticket + 1); /* O1, pairs with O2 */
}

/* Leader, when all clients have finished (I4): whether no message can come to any server. busy [in, out]: a server that
 * had messages at the last poll, where the next poll begins. */
GRAVELP_INLINE bool gravelp_spill_is_over(global struct gravelp_servers *servers,
                                          private uint *busy)
{
    const uint n = servers->n_owners;
    uint n_handled = 0, n_sent = 0;
    for (uint i = 0; i < n; i++, *busy = *busy + 1 < n ? *busy + 1 : 0) {
        global struct gravelp_queue_words *inbox = gravelp_inbox_words(servers, *busy);
        global struct gravelp_queue_words *ring = gravelp_spill_words(servers, *busy);
        uint n_taken = gravelp_device_load_acquire(&inbox->consumed);   /* O4, pairs with I2 */
        uint n_run = gravelp_device_load_acquire(&ring->consumed);      /* O4, pairs with O3 */
        if (n_taken != gravelp_device_load_relaxed(&inbox->reserved) || /* final by I4 */
            n_run != gravelp_device_load_relaxed(&ring->reserved)) /* relaxed: so it may be soon */
            return false;
        n_handled += n_run;
    }
    for (uint owner = 0; owner < n; owner++)
        n_sent += gravelp_device_load_relaxed(
            &gravelp_spill_words(servers, owner)->reserved); /* relaxed: behind all of O4 */
    return n_sent == n_handled;
}

#endif
