/* SPDX-License-Identifier: MIT */
/*
 * Servers: each runs what is in its inbox and, if handlers send, in its spill ring, and gives slots back.
 *
 * In phases servers are a kernel of their own, which ends when nothing is left: no client runs, so what is reserved is
 * published. Other groups of the kernel write into the ring, of which a server runs no more than it holds, for kernels
 * are to end; the host launches servers again while a ring has messages.
 *
 * Resident servers (GRAVELP_RESIDENT) share a kernel with their clients: the first groups to arrive serve, all later
 * ones are clients. A server never waits for room. It leaves when all clients have finished and nothing is left. A
 * client takes virtual groups until none is left. So a launch ends if the groups that have arrived run concurrently
 * and one more than the servers can arrive, however few groups the device runs at once; the host has proved that
 * when it opened (lib/self_test/meet.c).
 *
 * Path:    server.cl.h, or a kernel of lib/serve/text.c -> this -> gravelp_run, by which text.c calls the handlers.
 * Memory:  I1 with a client's P2, I2 with its P1, I4 with its I3; in phases the ends of kernels order all of it. O2 and
 *          O3 of rings. G8 inside the group. What handlers alone touch has one group for each key.
 * Source:  Wang, Fussell, Lin 2019, section 3.1; there servers are a kernel of their own, and the host knows how many
 *          groups run at once. Section 3.2 (receiver): here all of a group's work-items read slots together.
 */
#ifndef GRAVELP_SERVING_CL_H
#define GRAVELP_SERVING_CL_H

#include "outbox.cl.h"
#include "transaction.cl.h"

/* ---- a server -------------------------------------------------------------------------------------- */

#if defined(GRAVELP_SERVES)

/* Any work-item: whether the i-th slot of an inbox, or message of a ring, is published. */
GRAVELP_INLINE bool gravelp_source_is_published(struct gravelp_source from, uint i)
{
    const uint ticket = from.first + i;
    if (from.kind == GRAVELP_FROM_INBOX)
        return gravelp_load_acquire(&gravelp_source_slot(from, i)->published) ==
               ticket + 1; /* I1, pairs with P2, whose scope is the host's */
    global uint *spilled = &gravelp_spilled(from.servers, from.server, ticket)->published;
    return gravelp_device_load_acquire(spilled) == ticket + 1; /* O2, pairs with O1 */
}

/* Leader: messages, or slots, before `ticket` have been run. */
GRAVELP_INLINE void gravelp_source_release(struct gravelp_source from, uint ticket)
{
    global struct gravelp_queue_words *words = from.kind == GRAVELP_FROM_INBOX
                                                   ? gravelp_inbox_words(from.servers, from.server)
                                                   : gravelp_spill_words(from.servers, from.server);
    gravelp_device_store_release(&words->consumed, ticket); /* I2, O3: pair with P1 and O4 */
}

/* Calls the handler that a message names: behind the text of a program that serves. */
GRAVELP_INLINE void gravelp_run(global struct gravelp_arena *gravel_arena_,
                                struct gravelp_message message, uint i);

/* Whether handlers send. */
#ifndef GRAVELP_HANDLERS_SEND
#define GRAVELP_HANDLERS_SEND 0
#endif
#define GRAVELP_SERVER_SLOTS 16u /* that a group of many threads reads together */

/* A server, and how far it is. */
struct gravelp_server {
    global struct gravelp_arena *arena;
    global struct gravelp_servers *servers;
    uint number, n_clients; /* groups of its launch that do not serve; 0 in phases */
    uint ticket[2]; /* slots of its inbox, and messages of its ring, before these have been run */
    uint ring_end;  /* in phases: messages from this one on are left to the next kernel */
};

/* Leader, or every work-item of the group, which alone moves `consumed`. */
GRAVELP_INLINE struct gravelp_server gravelp_server_begin(global struct gravelp_arena *arena,
                                                          uint number, uint n_clients)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    const uint first = gravelp_inbox_words(servers, number)->consumed;
    struct gravelp_server server = {arena, servers, number, n_clients, {first, 0}, 0};
    if (GRAVELP_HANDLERS_SEND) {
        server.ticket[GRAVELP_FROM_RING] = gravelp_spill_words(servers, number)->consumed;
        server.ring_end = server.ticket[GRAVELP_FROM_RING] + servers->n_spill;
    }
    return server;
}

/* Returns how many slots, or messages of the ring, a server takes at once. */
GRAVELP_INLINE uint gravelp_server_most(struct gravelp_server server, uint kind)
{
#if defined(GRAVELP_SERIAL_GROUP)
    const uint n_slots = 1, batch = GRAVELP_SPILL_BATCH;
#else
    const uint n_slots = GRAVELP_SERVER_SLOTS, batch = GRAVELP_SERVER_POLLS * gravelp_n_lanes();
#endif
#if defined(GRAVELP_RESIDENT)
    const uint left = batch;
#else
    const uint left = server.ring_end - server.ticket[GRAVELP_FROM_RING];
#endif
    (void)server;
    return kind == GRAVELP_FROM_INBOX ? n_slots : left < batch ? left : batch;
}

GRAVELP_INLINE struct gravelp_source gravelp_server_source(struct gravelp_server server, uint kind)
{
    return GRAVELP_SERVED_BY(kind, server.servers, server.number, server.ticket[kind]);
}

#if defined(GRAVELP_RESIDENT)

/* Leader without a message: returns whether to poll again, after a moment. A server waits as long as its clients take;
 * if no client arrives, because groups do not run concurrently after all, that is a fault. */
GRAVELP_OUT_OF_LINE bool gravelp_server_waits_on(struct gravelp_server server,
                                                 struct gravelp_origin origin,
                                                 private struct gravelp_patience *patience,
                                                 private uint *busy)
{
    global struct gravelp_arena *arena = server.arena;
    global struct gravelp_servers *servers = server.servers;
    bool are_finished =
        gravelp_device_load_acquire(&servers->finished) == server.n_clients; /* I4 */
    if (are_finished &&
        gravelp_device_load_relaxed(&gravelp_inbox_words(servers, server.number)->reserved) ==
            server.ticket[GRAVELP_FROM_INBOX] && /* relaxed: it is final by I4 */
        (!GRAVELP_HANDLERS_SEND || gravelp_spill_is_over(servers, busy)))
        return false;
    bool is_joined = gravelp_device_load_relaxed(&servers->arrived) >
                     servers->n_servers; /* relaxed: it orders nothing */
    uint verdict =
        gravelp_wait_ask(arena, gravelp_queue_words(arena, 0), is_joined ? patience->seen + 1 : 0,
                         GRAVELP_ROOM_WAITS * arena->wait_ms, patience);
    if (verdict & GRAVELP_WAIT_IS_LATE)
        gravelp_fault_at(arena, origin, GRAVELP_FAULT_ALONE | (verdict & GRAVELP_FAULT_CUT_OFF),
                         server.number, servers->n_servers, server.n_clients, 0);
    if (verdict == GRAVELP_WAITS_ON)
        patience->least_ns += gravelp_pause(patience->polls, false);
    return verdict == GRAVELP_WAITS_ON;
}

#else
#define gravelp_server_waits_on(server, origin, patience, busy) \
    ((void)(server), (void)(origin), (void)(patience), (void)(busy), false)
#endif

/* Leader: adds up what its group has run. */
GRAVELP_INLINE void gravelp_server_end(struct gravelp_server server, uint n_run)
{
    gravelp_device_fetch_add_relaxed(&server.servers->n_served, n_run); /* a sum */
#if !defined(GRAVELP_RESIDENT)
    if (server.number == 0)
        server.servers->is_full = 0;
#endif
}

#if defined(GRAVELP_SERIAL_GROUP)

/* Leader: runs the next slot, or a batch of the ring. Returns whether there was one; not when the node has failed. */
GRAVELP_INLINE bool gravelp_server_run(private struct gravelp_server *server, uint kind,
                                       private uint *n_run)
{
    const struct gravelp_source from = gravelp_server_source(*server, kind);
    const uint most = gravelp_server_most(*server, kind);
    uint n = 0;
    for (; n < most && gravelp_source_is_published(from, n); n++) {
        const bool is_slot = kind == GRAVELP_FROM_INBOX;
        const struct gravelp_message message =
            gravelp_source_message(from, is_slot ? n * from.servers->columns : n);
        const uint n_messages = is_slot ? gravelp_source_slot(from, n)->n_messages : 1;
        for (uint i = 0; i < n_messages; i++)
            gravelp_run(server->arena, message, i);
        gravelp_source_release(from, from.first + n + 1);
        *n_run += n_messages;
    }
    server->ticket[kind] += n;
    return n && !gravelp_load_relaxed(&server->arena->abort); /* H1 */
}

/* Leader: serves until no message can come. */
GRAVELP_OUT_OF_LINE void gravelp_serve_all(global struct gravelp_arena *arena,
                                           struct gravelp_origin origin, uint number,
                                           uint n_clients)
{
    struct gravelp_server server = gravelp_server_begin(arena, number, n_clients);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    uint busy = number, n_run = 0;
    do
        while (gravelp_server_run(&server, GRAVELP_FROM_INBOX, &n_run) ||
               (GRAVELP_HANDLERS_SEND && gravelp_server_run(&server, GRAVELP_FROM_RING, &n_run)))
            ;
    while (gravelp_server_waits_on(server, origin, &patience, &busy));
    gravelp_server_end(server, n_run);
}

#define GRAVELP_SERVE_ALL(arena, service, number, n_clients) \
    if (gravelp_is_leader())                                 \
    gravelp_serve_all((arena), gravelp_origin(), (number), (n_clients))

#else

#define gravelp_service_meet(server) gravelp_group_meet((server).arena)

/* Every work-item of the group: returns how many of the slots, or messages, that it takes at once are published. */
GRAVELP_INLINE uint gravelp_server_count(struct gravelp_server server,
                                         local struct gravelp_service *service, uint kind)
{
    const struct gravelp_source from = gravelp_server_source(server, kind);
    const uint most = gravelp_server_most(server, kind);
    if (gravelp_is_leader())
        service->n_behind = 0;
    gravelp_service_meet(server); /* G8: nothing is counted */
    for (uint i = (uint)gravelp_lane_id(); i < most; i += gravelp_n_lanes())
        if (!gravelp_source_is_published(from, i))
            gravelp_local_max_relaxed(&service->n_behind, most - i);
    gravelp_service_meet(server); /* G8: all have polled */
    return most - service->n_behind;
}

/* Every work-item of the group: counts the slots that are to be served. False: all is over. */
GRAVELP_INLINE bool gravelp_server_poll(struct gravelp_server server,
                                        local struct gravelp_service *service)
{
    const uint n = gravelp_server_count(server, service, GRAVELP_FROM_INBOX);
    if (gravelp_is_leader()) {
        const struct gravelp_source ring = gravelp_server_source(server, GRAVELP_FROM_RING);
        struct gravelp_patience patience = service->patience;
        uint busy = service->busy;
        service->goes_on =
            n ||
            (GRAVELP_HANDLERS_SEND && gravelp_server_most(server, GRAVELP_FROM_RING) &&
             gravelp_source_is_published(ring, 0) &&
             !gravelp_load_relaxed(&server.arena->abort)) || /* H1 */
            gravelp_server_waits_on(server, gravelp_origin(), &patience, &busy);
        service->patience = patience;
        service->busy = busy;
    }
    gravelp_service_meet(server); /* G8: whether to continue is known */
    return service->goes_on;
}

/* Every work-item of the group: runs n slots, or messages of the ring. */
GRAVELP_INLINE void gravelp_server_run(private struct gravelp_server *server,
                                       local struct gravelp_service *service, uint kind, uint n)
{
    struct gravelp_source from = gravelp_server_source(*server, kind);
    uint n_run = 0;
    from.n = kind == GRAVELP_FROM_INBOX ? n * from.servers->columns : n;
    GRAVELP_EACH_SERVED(service, from, message)
    {
        gravelp_run(server->arena, gravelp_source_message(from, message), 0);
        n_run++;
    }
    if (n_run)
        gravelp_local_add_relaxed(&service->n_run, n_run);
    gravelp_block_keep(server->arena); /* behind the barrier of the last, empty gathering */
    if (gravelp_is_leader())
        gravelp_source_release(from, from.first + n);
    gravelp_block_keep(server->arena);
    server->ticket[kind] += n;
}

/* Every work-item of the group: serves until no message can come. */
GRAVELP_INLINE void gravelp_serve_all(global struct gravelp_arena *arena,
                                      local struct gravelp_service *service, uint number,
                                      uint n_clients)
{
    struct gravelp_server server = gravelp_server_begin(arena, number, n_clients);
    gravelp_service_open(service);
    gravelp_block_keep(arena);
    if (gravelp_is_leader()) {
        service->patience = (struct gravelp_patience){0, 0, 0, 0, 0, 0};
        service->n_run = 0;
        service->busy = number;
    }
    while (gravelp_server_poll(server, service)) {
        gravelp_server_run(&server, service, GRAVELP_FROM_INBOX,
                           GRAVELP_SERVER_SLOTS - service->n_behind);
#if GRAVELP_HANDLERS_SEND
        gravelp_server_run(&server, service, GRAVELP_FROM_RING,
                           gravelp_server_count(server, service, GRAVELP_FROM_RING));
#endif
    }
    if (gravelp_is_leader())
        gravelp_server_end(server, service->n_run);
}

#define GRAVELP_SERVE_ALL gravelp_serve_all

#endif

/* Every work-item of the group, in phases: the kernel of servers. */
#if !defined(GRAVELP_RESIDENT)

#define GRAVELP_SERVE_INBOX \
    GRAVELP_SERVICE_MEMORY; \
    GRAVELP_SERVE_ALL(gravel_arena_, service, gravelp_group_number(), 0u)

#else

#define GRAVELP_SERVE_INBOX (void)gravel_arena_

/* ---- roles ----------------------------------------------------------------------------------------- */

/* A group is a client or a server, and needs the one's local memory or the other's. */
#if !defined(GRAVELP_SERIAL_GROUP)
#define GRAVELP_CLIENT gravelp_role
struct gravelp_role {
    union {
        struct gravelp_outbox outbox;
        struct gravelp_service service;
    } as;
};
#endif

/* Every work-item of the group: takes a role, and plays it if it is a server's. */
GRAVELP_INLINE uint gravelp_serve_begin(struct gravel_group g)
{
    global struct gravelp_servers *servers = gravelp_servers(g.arena);
    gravelp_group_meet_apart(g.arena); /* G1: the outbox is whole */
    if (gravelp_is_leader()) {         /* any other launch has no roles; its clients report it */
        const bool has_roles =
            g.arena->servers_offset && servers->launch == GRAVELP_LAUNCH_RESIDENT;
        const uint number =
            has_roles ? gravelp_device_fetch_add_relaxed(&servers->arrived, 1) : 0; /* a number */
        g.scratch->ticket = has_roles && number < servers->n_servers ? number : GRAVELP_NO_SERVER;
    }
    gravelp_group_meet(g.arena); /* G1: the role is known */
    const uint server = g.scratch->ticket;
    if (server != GRAVELP_NO_SERVER) {
        GRAVELP_SERVE_ALL(g.arena, (local struct gravelp_service *)g.outbox, server,
                          (uint)gravelp_get_num_groups(0) - gravelp_servers(g.arena)->n_servers);
#if defined(GRAVELP_CLIENT)
        gravelp_outbox_open(g); /* where the lists of messages were */
#endif
        if (gravelp_is_leader())
            g.outbox->is_server = 1;
    }
    return 1;
}

/* Every work-item of the group, at the end: hands all over. Returns 0. */
GRAVELP_INLINE uint gravelp_serve_end(struct gravel_group g)
{
    gravelp_outbox_close(g);
    if (gravelp_is_leader() && !g.outbox->is_server)
        gravelp_device_fetch_add_release(&gravelp_servers(g.arena)->finished, 1); /* I3 */
    return 0;
}

#endif
#endif

#if !defined(GRAVELP_SERVES) || !defined(GRAVELP_RESIDENT)
#define gravelp_serve_begin(g) 1
#define gravelp_serve_end(g) gravelp_outbox_close(g)
#endif
#ifndef GRAVELP_CLIENT
#define GRAVELP_CLIENT gravelp_outbox
#endif

#endif
