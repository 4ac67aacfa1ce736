/* SPDX-License-Identifier: MIT */
/*
 * Servers that run beside their clients, in one kernel: the first groups to arrive serve, all later ones are clients.
 *
 * A server reads the slots of its next tickets, runs what is published, and gives the slots back; it never waits for
 * room. It leaves when all clients have finished and its inbox is empty. A client takes virtual groups until none is
 * left. So a launch ends if the groups that have arrived continue beside each other and one more than the servers can
 * arrive, however few groups the device runs at once; the host has proved that when it opened
 * (lib/self_test/meet.c).
 *
 * Path:    server.cl.h -> this -> gravelp_run, by which lib/serve/text.c calls the handlers.
 * Memory:  I1 with a client's P2, I2 with its P1, I4 with its I3; G8 inside the group. What handlers alone touch has
 *          one group for each key.
 * Source:  Wang, Fussell, Lin 2019, section 3.1; there servers are a kernel of their own, and the host knows how many
 *          groups run at once.
 */
#ifndef GRAVELP_RESIDENT_CL_H
#define GRAVELP_RESIDENT_CL_H

#include "inbox.cl.h"
#include "outbox.cl.h"
#include "spill.cl.h"

#if defined(GRAVELP_RESIDENT)

#define GRAVELP_SERVER_SLOTS 16u /* that a group reads together */

/* Leader: which server the group is, or GRAVELP_NO_SERVER. A launch that is none has no roles; its clients tell. */
GRAVELP_INLINE uint gravelp_role_take(global struct gravelp_arena *arena)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    if (arena->servers_offset == 0 || servers->launch != GRAVELP_LAUNCH_RESIDENT)
        return GRAVELP_NO_SERVER;
    uint number = gravelp_device_fetch_add_relaxed(&servers->arrived, 1); /* a number */
    return number < servers->n_servers ? number : GRAVELP_NO_SERVER;
}

/* The inbox of a server: n_slots tickets from `first` on. */
GRAVELP_INLINE struct gravelp_inbox gravelp_resident_inbox(global struct gravelp_arena *arena,
                                                           uint server, uint first, uint n_slots)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    return (struct gravelp_inbox){
        servers, gravelp_inbox_words(servers, server), server, first, n_slots, 0, 0};
}

/* The first ticket of a server that it has not served yet. */
GRAVELP_INLINE uint gravelp_resident_first(global struct gravelp_arena *arena, uint server)
{
    return gravelp_inbox_words(gravelp_servers(arena), server)->consumed;
}

GRAVELP_INLINE bool gravelp_resident_has(struct gravelp_inbox inbox, uint ticket)
{
    global struct gravelp_package *slot =
        (global struct gravelp_package *)gravelp_inbox_slot(inbox.servers, inbox.server, ticket);
    return gravelp_load_acquire(&slot->published) ==
           ticket + 1; /* I1, pairs with P2, whose scope is the host's */
}

/* Leader: the slots before inbox->first have been read. */
GRAVELP_INLINE void gravelp_resident_give_back(struct gravelp_inbox inbox)
{
    gravelp_device_store_release(&inbox.words->consumed, inbox.first); /* I2, pairs with P1 */
}

/* Whether handlers have sent nothing that is still to be run. */
#if defined(GRAVELP_SENDS)
#define GRAVELP_SENT_IS_OVER(servers, busy) gravelp_spill_is_over(servers, busy)
#else
#define GRAVELP_SENT_IS_OVER(servers, busy) ((void)(busy), true)
#endif

/*
 * Leader, who has found no message: whether to poll again, after a moment. A server waits as long as its clients take,
 * as any kernel may; but if no client arrives, for groups do not run beside each other after all, that is a fault.
 */
GRAVELP_OUT_OF_LINE bool gravelp_resident_waits_on(global struct gravelp_arena *arena,
                                                   struct gravelp_origin origin,
                                                   struct gravelp_inbox inbox, uint n_clients,
                                                   private struct gravelp_patience *patience,
                                                   private uint *busy)
{
    global struct gravelp_servers *servers = inbox.servers;
    bool are_finished = gravelp_device_load_acquire(&servers->finished) == n_clients; /* I4 */
    if (are_finished &&
        gravelp_device_load_relaxed(&inbox.words->reserved) ==
            inbox.first && /* relaxed: it is final by I4 */
        GRAVELP_SENT_IS_OVER(servers, busy))
        return false;
    bool is_joined = gravelp_device_load_relaxed(&servers->arrived) >
                     servers->n_servers; /* relaxed: it orders nothing */
    uint verdict =
        gravelp_wait_ask(arena, gravelp_queue_words(arena, 0), is_joined ? patience->seen + 1 : 0,
                         GRAVELP_ROOM_WAITS * arena->wait_ms, patience);
    if (verdict & GRAVELP_WAIT_IS_LATE)
        gravelp_fault_at(arena, origin, GRAVELP_FAULT_ALONE | (verdict & GRAVELP_FAULT_CUT_OFF),
                         inbox.server, servers->n_servers, n_clients, 0);
    if (verdict != GRAVELP_WAITS_ON)
        gravelp_store_relaxed(&servers->is_broken, 1); /* relaxed: the kernel's end orders it */
    else
        patience->least_ns += gravelp_pause(patience->polls, false);
    return verdict == GRAVELP_WAITS_ON;
}

#if defined(GRAVELP_SERIAL_GROUP)

/* Leader: run the messages of the next slot. */
GRAVELP_INLINE void gravelp_resident_serve_slot(global struct gravelp_arena *gravel_arena_,
                                                private struct gravelp_inbox *inbox)
{
    struct gravelp_letter letter = gravelp_inbox_letter(*inbox, 0);
    const uint n = gravelp_inbox_in_slot(*inbox, 0);
    for (uint i = 0; i < n; i++)
        gravelp_run(gravel_arena_, letter, i);
    inbox->n_run += n;
    inbox->first++;
    gravelp_resident_give_back(*inbox);
}

/* Leader: run a batch that handlers have sent. @return  whether there was one; not when the node has failed. */
#if defined(GRAVELP_SENDS)
GRAVELP_INLINE bool gravelp_resident_spill(global struct gravelp_arena *gravel_arena_, uint server)
{
    struct gravelp_spill spill = gravelp_spill_of(gravel_arena_, server);
    GRAVELP_RUN_SPILLED(spill, GRAVELP_SPILL_BATCH, gravelp_run)
    gravelp_spill_close(spill);
    return spill.n_run && !gravelp_load_relaxed(&gravel_arena_->abort); /* H1 */
}
#else
#define gravelp_resident_spill(arena, server) ((void)(arena), (void)(server), false)
#endif

/* Leader: serve until no message of a client can come. */
GRAVELP_OUT_OF_LINE void gravelp_resident_serve(global struct gravelp_arena *gravel_arena_,
                                                struct gravelp_origin origin, uint server,
                                                uint n_clients)
{
    struct gravelp_inbox inbox = gravelp_resident_inbox(
        gravel_arena_, server, gravelp_resident_first(gravel_arena_, server), 0);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    uint busy = server;
    do
        while (gravelp_resident_has(inbox, inbox.first) ||
               gravelp_resident_spill(gravel_arena_, server))
            if (gravelp_resident_has(inbox, inbox.first))
                gravelp_resident_serve_slot(gravel_arena_, &inbox);
    while (gravelp_resident_waits_on(gravel_arena_, origin, inbox, n_clients, &patience, &busy));
    gravelp_device_fetch_add_relaxed(&inbox.servers->n_served, inbox.n_run); /* a sum */
}

/* Every work-item of the group: take a role, and play it if it is a server's. */
GRAVELP_INLINE uint gravelp_resident_begin(struct gravel_group g)
{
    gravelp_group_meet_apart(g.arena); /* G1: the outbox is whole */
    if (gravelp_is_leader()) {
        uint server = gravelp_role_take(g.arena);
        g.outbox->is_server = server != GRAVELP_NO_SERVER;
        if (server != GRAVELP_NO_SERVER)
            gravelp_resident_serve(g.arena, gravelp_origin(), server,
                                   (uint)gravelp_get_num_groups(0) -
                                       gravelp_servers(g.arena)->n_servers);
    }
    gravelp_group_meet(g.arena); /* G1: the role is known */
    return 1;
}

#else

#define GRAVELP_ROLES
#define gravelp_service_meet gravelp_group_meet /* of a group that serves */
/* A group is a client or a server, and needs the one's local memory or the other's. */
union gravelp_role {
    struct gravelp_outbox outbox;
    struct gravelp_service service;
};
#if defined(__OPENCL_C_VERSION__)
#define GRAVELP_SERVICE_OF(g) (&((local union gravelp_role *)(g).outbox)->service)
#else
#define GRAVELP_SERVICE_OF(g) ((void)(g), (struct gravelp_service *)gravelp_lane->service)
#endif

/* Leader: as gravelp_resident_waits_on. */
GRAVELP_INLINE bool gravelp_resident_goes_on(struct gravel_group g,
                                             local struct gravelp_service *service,
                                             struct gravelp_inbox inbox)
{
    const uint n_clients = (uint)gravelp_get_num_groups(0) - inbox.servers->n_servers;
    struct gravelp_patience patience = service->patience;
    uint busy = service->busy;
    bool goes_on =
        gravelp_resident_waits_on(g.arena, gravelp_origin(), inbox, n_clients, &patience, &busy);
    service->patience = patience;
    service->busy = busy;
    return goes_on;
}

/* Leader: whether handlers have sent what is to be run; not when the node has failed. */
#if defined(GRAVELP_SENDS)
GRAVELP_INLINE bool gravelp_resident_has_spilled(global struct gravelp_arena *arena, uint server)
{
    struct gravelp_spill spill = gravelp_spill_of(arena, server);
    return gravelp_spill_has(spill, spill.first) && !gravelp_load_relaxed(&arena->abort); /* H1 */
}
#else
#define gravelp_resident_has_spilled(arena, server) ((void)(arena), (void)(server), false)
#endif

/* Every work-item of the group: see how many slots there are to be served. False: all is over. */
GRAVELP_INLINE bool gravelp_resident_poll(struct gravel_group g,
                                          local struct gravelp_service *service, uint server)
{
    struct gravelp_inbox inbox = gravelp_resident_inbox(g.arena, server, service->first, 0);
    if (gravelp_is_leader()) {
        service->n_behind = 0;
        service->goes_on = 1;
    }
    gravelp_service_meet(g.arena); /* G8: nothing is counted */
    for (uint i = (uint)gravelp_lane_id(); i < GRAVELP_SERVER_SLOTS; i += gravelp_n_lanes())
        if (!gravelp_resident_has(inbox, inbox.first + i))
            gravelp_local_max_relaxed(&service->n_behind, GRAVELP_SERVER_SLOTS - i);
    gravelp_service_meet(g.arena); /* G8: all have polled */
    if (gravelp_is_leader() && service->n_behind == GRAVELP_SERVER_SLOTS &&
        !gravelp_resident_has_spilled(g.arena, server))
        service->goes_on = gravelp_resident_goes_on(g, service, inbox);
    gravelp_service_meet(g.arena); /* G8: whether to continue is known */
    return service->goes_on;
}

/* Every work-item of the group: serve what the poll has found. */
GRAVELP_INLINE void gravelp_resident_serve_slots(struct gravel_group g,
                                                 local struct gravelp_service *service, uint server)
{
    global struct gravelp_arena *gravel_arena_ = g.arena;
    const uint n_slots = GRAVELP_SERVER_SLOTS - service->n_behind;
    struct gravelp_inbox inbox = gravelp_resident_inbox(g.arena, server, service->first, n_slots);
    GRAVELP_SERVE_SLOTS(service, inbox, gravelp_run);
    if (inbox.n_run)
        gravelp_local_add_relaxed(&service->n_run, inbox.n_run);
    gravelp_block_keep(g.arena); /* behind the barrier of the last, empty gathering */
    if (gravelp_is_leader()) {
        inbox.first += n_slots;
        service->first = inbox.first;
        gravelp_resident_give_back(inbox);
    }
    gravelp_service_meet(g.arena); /* G8: the next slot is known */
}

/* Every work-item of the group: run a batch that handlers have sent. */
#if defined(GRAVELP_SENDS)
GRAVELP_INLINE void gravelp_resident_spill(struct gravel_group g,
                                           local struct gravelp_service *service, uint server)
{
    global struct gravelp_arena *gravel_arena_ = g.arena;
    struct gravelp_spill spill = gravelp_spill_of(g.arena, server);
    GRAVELP_RUN_SPILLED(service, spill, 1, gravelp_run);
    gravelp_block_keep(g.arena);
    if (gravelp_is_leader())
        gravelp_spill_close(spill);
    gravelp_service_meet(g.arena); /* G8: places have been given back */
}
#else
#define gravelp_resident_spill(g, service, server) (void)0
#endif

/* Every work-item of the group: serve until no message can come. */
GRAVELP_INLINE void gravelp_resident_serve(struct gravel_group g,
                                           local struct gravelp_service *service, uint server)
{
    gravelp_service_open(service);
    gravelp_service_meet(
        g.arena); /* G8: lists are empty. PoCL 3.1 drops leaders' words that no block precedes */
    if (gravelp_is_leader()) {
        service->first = gravelp_resident_first(g.arena, server);
        service->patience = (struct gravelp_patience){0, 0, 0, 0, 0, 0};
        service->n_run = 0;
        service->busy = server;
    }
    gravelp_service_meet(g.arena); /* G8: the first ticket is known */
    while (gravelp_resident_poll(g, service, server)) {
        gravelp_resident_serve_slots(g, service, server);
        gravelp_resident_spill(g, service, server);
    }
    if (gravelp_is_leader())
        gravelp_device_fetch_add_relaxed(&gravelp_servers(g.arena)->n_served,
                                         service->n_run); /* a sum */
}

/* Every work-item of the group: take a role, and play it if it is a server's. Its lists lie where an outbox would. */
GRAVELP_INLINE uint gravelp_resident_begin(struct gravel_group g)
{
    gravelp_group_meet(g.arena); /* G1: the outbox is whole */
    if (gravelp_is_leader())
        g.scratch->ticket = gravelp_role_take(g.arena);
    gravelp_group_meet(g.arena); /* G1: the role is known */
    const uint server = g.scratch->ticket;
    if (server != GRAVELP_NO_SERVER) {
        gravelp_resident_serve(g, GRAVELP_SERVICE_OF(g), server);
        gravelp_outbox_open(g);
        if (gravelp_is_leader())
            g.outbox->is_server = 1;
    }
    return 1;
}

#endif

/* Every work-item of the group, at the end: hand all over. Returns 0. */
GRAVELP_INLINE uint gravelp_resident_end(struct gravel_group g)
{
    gravelp_outbox_close(g);
    if (gravelp_is_leader() && !g.outbox->is_server)
        gravelp_device_fetch_add_release(&gravelp_servers(g.arena)->finished, 1); /* I3 */
    return 0;
}

#endif

#endif
