/* SPDX-License-Identifier: MIT */
/*
 * Inboxes: where they are, which of them gets a message, and room in them for clients.
 *
 * In phases no client waits: they end when an inbox is nearly full. Where servers run beside them (GRAVELP_RESIDENT)
 * a client waits for room.
 *
 * Path:    outbox.cl.h, serving.cl.h -> this -> inboxes (layout/server.h).
 * Memory:  P1 with the servers' I2; in phases the kernel's end orders all of it before the servers' kernel.
 */
#ifndef GRAVELP_INBOX_CL_H
#define GRAVELP_INBOX_CL_H

#include "layout/server.h"
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

/* How many servers there are. A constant, if the program was built for them: then work-items' keys are hashed many at
 * once, or not at all. */
#if defined(GRAVELP_N_SERVERS)
#define GRAVELP_SERVERS_OF(arena) GRAVELP_N_SERVERS
#define GRAVELP_OWNERS_OF(arena) GRAVELP_N_OWNERS /* of them share out keys */
#else
#define GRAVELP_SERVERS_OF(arena) (gravelp_servers(arena)->n_servers)
#define GRAVELP_OWNERS_OF(arena) (gravelp_servers(arena)->n_owners)
#endif

GRAVELP_INLINE global struct gravelp_servers *gravelp_servers(global struct gravelp_arena *arena)
{
    return (global struct gravelp_servers *)((global uchar *)arena + arena->servers_offset);
}

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
gravelp_inbox_words(global struct gravelp_servers *servers, uint server)
{
    return (global struct gravelp_queue_words *)((global uchar *)servers +
                                                 GRAVELP_INBOX_WORDS(server));
}

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

#if defined(GRAVELP_RESIDENT)

/* Any work-item: of n slots from a ticket on, none of which is published, how many have room. One poll; no wait. */
GRAVELP_INLINE uint gravelp_inbox_room(global struct gravelp_servers *servers,
                                       global struct gravelp_queue_words *words, uint ticket,
                                       uint n)
{
    uint in_use = ticket - gravelp_device_load_acquire(&words->consumed); /* P1, pairs with I2 */
    uint room = in_use < servers->n_slots ? servers->n_slots - in_use : 0;
    return room < n ? room : n;
}

/* Leader, who has found no room: wait a moment. `consumed`: how far the server is. False: waiting does not help. */
GRAVELP_OUT_OF_LINE bool gravelp_inbox_keep_waiting(global struct gravelp_arena *arena,
                                                    struct gravelp_origin origin, uint server,
                                                    uint ticket, uint consumed,
                                                    private struct gravelp_patience *patience)
{
    uint verdict = gravelp_wait_ask(arena, gravelp_queue_words(arena, 0), consumed,
                                    GRAVELP_ROOM_WAITS * arena->wait_ms, patience);
    if (verdict & GRAVELP_WAIT_IS_LATE)
        gravelp_fault_at(arena, origin, GRAVELP_FAULT_SILENT | (verdict & GRAVELP_FAULT_CUT_OFF),
                         server, ticket, consumed, 0);
    if (verdict != GRAVELP_WAITS_ON)
        gravelp_store_relaxed(&gravelp_servers(arena)->is_broken,
                              1); /* relaxed: the kernel's end orders it */
    else
        patience->least_ns += gravelp_pause(patience->polls, false);
    return verdict == GRAVELP_WAITS_ON;
}

#else

/*
 * Any work-item: reserve n slots of an inbox, with tickets one after the other. No client waits for room in phases:
 * they end when an inbox is nearly full, and what is left must do for what they have begun.
 *
 * @param ticket  [out] the first.
 * @return        whether there is room; a fault if not.
 */
GRAVELP_OUT_OF_LINE bool gravelp_inbox_reserve(global struct gravelp_arena *arena,
                                               struct gravelp_origin origin, uint server, uint n,
                                               private uint *ticket)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    global struct gravelp_queue_words *words = gravelp_inbox_words(servers, server);
    *ticket = gravelp_device_fetch_add_relaxed(&words->reserved, n);
    uint in_use = *ticket + n - words->consumed; /* no server runs: it does not change */
    if (in_use >= servers->full_at)
        gravelp_store_relaxed(&servers->is_full,
                              1); /* relaxed: clients read it in their own time */
    if (in_use <= servers->n_slots)
        return true;
    gravelp_store_relaxed(&servers->is_broken, 1); /* relaxed: the kernel's end orders it */
    gravelp_fault_at(arena, origin, GRAVELP_FAULT_INBOX, server, servers->n_slots, in_use, 0);
    return false;
}

#endif

#endif
