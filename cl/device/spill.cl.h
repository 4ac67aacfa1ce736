/* SPDX-License-Identifier: MIT */
/*
 * Handlers that send: a message with a key from a handler with a key to the server that owns the key, on this device.
 *
 * It goes to the server's spill ring, which has room for all that may wait there, so that no server waits for another.
 * A server takes a batch from its ring, runs it, and gives the places back. Where clients and servers take turns, a
 * group that finds its ring empty leaves, and the host launches servers again while a ring has messages. Resident
 * servers end when all clients have finished, all inboxes are empty, and the messages handled are as many as those
 * sent: the sum of the handled is taken before the sum of the sent, so that equal sums leave no message whose handler
 * could send more.
 *
 * Path:    the user's handler -> server.cl.h (gravel_serve_amN) -> this -> the user's handler.
 * Memory:  O1 and O2, a message; O3 and O4, the way back, and the end; G8 inside a group.
 * Source:  Wang, Fussell, Lin 2019, section 4 (MF, whose messages are the worklist); the sums are those of Mattern,
 *          Algorithms for distributed termination detection, Distributed Computing 2, 1987.
 */
#ifndef GRAVELP_SPILL_CL_H
#define GRAVELP_SPILL_CL_H

#include "inbox.cl.h"
#include "layout/spill.h"

/* ---- rings ----------------------------------------------------------------------------------------- */

GRAVELP_INLINE global struct gravelp_queue_words *
gravelp_spill_words(global struct gravelp_servers *servers, uint owner)
{
    return (global struct gravelp_queue_words *)((global uchar *)servers +
                                                 GRAVELP_SPILL_WORDS(servers, owner));
}
GRAVELP_INLINE global struct gravelp_spilled *
gravelp_spilled(global struct gravelp_servers *servers, uint owner, uint ticket)
{
    return (global struct gravelp_spilled *)((global uchar *)servers +
                                             GRAVELP_SPILLED(servers, owner,
                                                             ticket & (servers->n_spill - 1)));
}

/* Any work-item that runs a handler: a message to a server. It waits for nothing. */
GRAVELP_INLINE void gravelp_spill_send(global struct gravelp_arena *arena, uint owner, uint command,
                                       struct gravelp_values values)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    global struct gravelp_queue_words *words = gravelp_spill_words(servers, owner);
    uint ticket = gravelp_device_fetch_add_relaxed(&words->reserved, 1);
    uint in_use = ticket - gravelp_device_load_acquire(&words->consumed); /* O4, pairs with O3 */
    if (in_use >= servers->n_spill) {
        gravelp_store_relaxed(&servers->is_broken, 1); /* relaxed: the kernel's end orders it */
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

/* Any work-item that runs a handler which may not send. */
GRAVELP_INLINE void gravelp_spill_refuse(global struct gravelp_arena *arena, uint command)
{
    if (arena->servers_offset)
        gravelp_store_relaxed(&gravelp_servers(arena)->is_broken,
                              1); /* relaxed: the kernel's end orders it */
    gravelp_fault(arena, GRAVELP_FAULT_SENDER, GRAVELP_COMMAND_HANDLER(command), 0, 0);
}

/* A server's ring, and how far the server is. */
struct gravelp_spill {
    global struct gravelp_servers *servers;
    global struct gravelp_queue_words *words;
    uint owner;
    uint first; /* ticket that has not been run yet */
    uint n_run;
};

/* Any work-item of the server's group, which alone moves `consumed`. */
GRAVELP_INLINE struct gravelp_spill gravelp_spill_of(global struct gravelp_arena *arena, uint owner)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    global struct gravelp_queue_words *words = gravelp_spill_words(servers, owner);
    return (struct gravelp_spill){servers, words, owner,
                                  gravelp_device_load_relaxed(&words->consumed), 0};
}
GRAVELP_INLINE bool gravelp_spill_has(struct gravelp_spill spill, uint ticket)
{
    global struct gravelp_spilled *spilled = gravelp_spilled(spill.servers, spill.owner, ticket);
    return gravelp_device_load_acquire(&spilled->published) == ticket + 1; /* O2, pairs with O1 */
}
GRAVELP_INLINE struct gravelp_letter gravelp_spill_letter(struct gravelp_spill spill, uint ticket)
{
    global struct gravelp_spilled *spilled = gravelp_spilled(spill.servers, spill.owner, ticket);
    return (struct gravelp_letter){spilled->handler, 1, (global const ulong *)(spilled + 1)};
}

/* Leader: n messages have been run. */
GRAVELP_INLINE void gravelp_spill_give_back(struct gravelp_spill spill, uint n)
{
    gravelp_device_store_release(&spill.words->consumed, spill.first + n); /* O3, pairs with O4 */
}

/* Leader: sum up. */
GRAVELP_INLINE void gravelp_spill_close(struct gravelp_spill spill)
{
    if (spill.n_run)
        gravelp_device_fetch_add_relaxed(&spill.servers->n_served, spill.n_run); /* a sum */
}

/* ---- serving --------------------------------------------------------------------------------------- */

#if defined(GRAVELP_SERIAL_GROUP)

/* Leader: run messages by `run(arena, letter, 0)` while there are any, up to `most`. */
#define GRAVELP_RUN_SPILLED(spill, most, run)                                     \
    while ((spill).n_run < (most) && gravelp_spill_has((spill), (spill).first)) { \
        run(gravel_arena_, gravelp_spill_letter((spill), (spill).first), 0);      \
        gravelp_spill_give_back((spill), 1);                                      \
        (spill).first++;                                                          \
        (spill).n_run++;                                                          \
    }

/* Every work-item of the group, in phases: serve its ring, of which no more than it holds, for kernels are to end. */
#define GRAVELP_SERVE_SPILL(run)                                                          \
    struct gravelp_spill spill = gravelp_spill_of(gravel_arena_, gravelp_group_number()); \
    const uint most_spilled = gravelp_is_leader() ? spill.servers->n_spill : 0;           \
    GRAVELP_RUN_SPILLED(spill, most_spilled, run)                                         \
    gravelp_spill_close(spill)

#else

/* Every work-item of the group: gather and link what waits, a batch at most. @return  how many. */
GRAVELP_INLINE uint gravelp_spill_gather(local struct gravelp_service *service,
                                         struct gravelp_spill spill)
{
    const uint n_lanes = gravelp_n_lanes(), most = GRAVELP_SERVER_POLLS * n_lanes;
    if (gravelp_is_leader())
        service->n_behind = 0;
    gravelp_barrier_group(); /* G8: nothing is counted */
    for (uint i = (uint)gravelp_lane_id(); i < most; i += n_lanes)
        if (!gravelp_spill_has(spill, spill.first + i))
            gravelp_local_max_relaxed(&service->n_behind, most - i);
    gravelp_barrier_group(); /* G8: all have polled */
    const uint n = most - service->n_behind;
    for (uint i = (uint)gravelp_lane_id(); i < n; i += n_lanes)
        gravelp_service_hold(service, spill.first + i,
                             *gravelp_spill_letter(spill, spill.first + i).argument);
    gravelp_barrier_group(); /* G8: all is gathered */
    gravelp_service_link(service, n);
    return n;
}

/* Every work-item of the group: n messages have been run, or are being run by others of the group. */
GRAVELP_INLINE void gravelp_spill_end(local struct gravelp_service *service,
                                      private struct gravelp_spill *spill, uint n)
{
    gravelp_service_clear(service);
    if (gravelp_is_leader())
        gravelp_spill_give_back(*spill, n);
    spill->first += n;
    spill->n_run += n;
}

/* Every work-item of the group: run batches by `run(arena, letter, 0)` while there are any, up to `most`. */
#define GRAVELP_RUN_SPILLED(service, spill, most, run)                                         \
    for (uint spilled = gravelp_spill_gather((service), (spill)); spilled != 0;                \
         gravelp_spill_end((service), &(spill), spilled),                                      \
              spilled = (spill).n_run < (most) ? gravelp_spill_gather((service), (spill)) : 0) \
        for (struct gravelp_served served =                                                    \
                 gravelp_served_from((service), spilled, (uint)gravelp_lane_id());             \
             served.x != GRAVELP_SERVER_NONE;                                                  \
             served = gravelp_served_next((service), spilled, served))                         \
    run(gravel_arena_, gravelp_spill_letter((spill), (service)->held[served.x]), 0)

#define GRAVELP_SERVE_SPILL(run)                                                          \
    struct gravelp_spill spill = gravelp_spill_of(gravel_arena_, gravelp_group_number()); \
    GRAVELP_RUN_SPILLED(service, spill, spill.servers->n_spill, run);                     \
    if (gravelp_is_leader())                                                              \
    gravelp_spill_close(spill)

#endif

/* ---- the end of resident servers ------------------------------------------------------------------- */

/*
 * Leader, when all clients have finished (I4): whether no message can come to any server.
 *
 * @param busy  [in, out] a server that had messages at the last poll; there the next begins.
 */
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
