/* SPDX-License-Identifier: MIT */
/*
 * How groups serve: each takes the messages whose keys it owns, so that messages with equal keys are never run at once.
 *
 * Where a group is one thread its leader goes through all messages in a plain loop. Elsewhere a group gathers about as
 * many messages as it has work-items and links those of a list, by a hash of the key: link[x] is what was the list's
 * last. After a barrier the work-item that finds its message last in the list runs all of it, one after the other. No
 * work-item waits for another but at a barrier, so there is no order of lanes that could hang, and no lock.
 *
 * Path:    serve/text.c writes kernels around this, serving.cl.h loops -> the user's handlers.
 * Memory:  what only handlers with keys touch has one owner group: plain accesses, ordered by the group's barriers (G8)
 *          and by the queue, in which one kernel that serves follows another.
 * Source:  Wang, Fussell, Lin 2019, section 3.1; lists instead of its try-locks in local memory.
 */
#ifndef GRAVELP_SERVE_CL_H
#define GRAVELP_SERVE_CL_H

#include "inbox.cl.h"

#define GRAVELP_SERVER_ITEMS 256u /* most work-items of a group that serves */
#define GRAVELP_SERVER_POLLS 4u   /* messages that a work-item reads between two barriers */
#define GRAVELP_SERVER_MOST (GRAVELP_SERVER_ITEMS * (1u + GRAVELP_SERVER_POLLS)) /* gathered */
#define GRAVELP_SERVER_LISTS 1024u /* a power of two; keys of one list wait for each other */
#define GRAVELP_SERVER_NONE 0xffffffffu

/* ---- messages to be served ------------------------------------------------------------------------- */

/* Keys of messages: ulong, or uint. */
struct gravelp_keys {
    global const uchar *first;
    uint bytes; /* of each */
};
#define GRAVELP_KEYS(words) \
    ((struct gravelp_keys){(global const uchar *)(words), (uint)sizeof *(words)})
GRAVELP_INLINE ulong gravelp_key(struct gravelp_keys keys, size_t i)
{
    return keys.bytes == 4 ? ((global const uint *)keys.first)[i]
                           : ((global const ulong *)keys.first)[i];
}

#define GRAVELP_FROM_INBOX 0u /* slots of an inbox: those that they hold */
#define GRAVELP_FROM_RING 1u  /* of a spill ring: all */
#define GRAVELP_FROM_FRAME 2u /* a run of a frame: a group has those whose keys it owns */

/* Messages that a group serves, some of those that have numbers from 0. */
struct gravelp_source {
    uint kind;                   /* a constant, once inlined */
    uint n, at;                  /* numbers, and those before `at` have been read */
    struct gravelp_keys keys[2]; /* of a frame; the second keys, of transactions */
    /* The server that an inbox or a ring belongs to, and the ticket of its first slot or message. */
    global struct gravelp_servers *servers;
    uint server, first;
};
#define GRAVELP_FRAME(first, second, n) \
    ((struct gravelp_source){GRAVELP_FROM_FRAME, (n), 0, {(first), (second)}, 0, 0, 0})
#define GRAVELP_SERVED_BY(from, of, number, ticket) \
    ((struct gravelp_source){                       \
        .kind = (from), .servers = (of), .server = (number), .first = (ticket)})

/* In the function that calls the handler a message names: what the handler gets. */
#define GRAVELP_SERVER_CALL(sends)                                                    \
    ((struct gravel_call){(global uchar *)gravel_arena_ + gravel_arena_->heap_offset, \
                          gravel_arena_->heap_bytes, gravel_arena_->node,             \
                          GRAVELP_N_NODES(gravel_arena_), gravel_arena_->node,        \
                          gravel_arena_->constants, gravel_arena_, (sends)})
#define GRAVELP_MESSAGE_ARGUMENT(message, row, i) \
    ((message).argument[(row) * (message).stride + (i)])

/* A message of an inbox or a ring. */
struct gravelp_message {
    uint handler;
    size_t stride;                /* from one argument to the next */
    global const ulong *argument; /* the first */
};

/* Returns the i-th slot of an inbox. */
GRAVELP_INLINE global struct gravelp_package *gravelp_source_slot(struct gravelp_source from,
                                                                  uint i)
{
    return (global struct gravelp_package *)gravelp_inbox_slot(from.servers, from.server,
                                                               from.first + i);
}

/* Returns message i of an inbox or a ring. */
GRAVELP_INLINE struct gravelp_message gravelp_source_message(struct gravelp_source from, uint i)
{
    const uint columns = from.servers->columns;
    if (from.kind == GRAVELP_FROM_RING) {
        global struct gravelp_spilled *spilled =
            gravelp_spilled(from.servers, from.server, from.first + i);
        return (struct gravelp_message){spilled->handler, 1, (global const ulong *)(spilled + 1)};
    }
    global struct gravelp_package *slot = gravelp_source_slot(from, i / columns);
    return (struct gravelp_message){GRAVELP_COMMAND_HANDLER(slot->command), columns,
                                    gravelp_inbox_row(from.servers, (global uchar *)slot, 0) +
                                        (i & (columns - 1))};
}

/* Returns the first key of message i, row 0, or the second, row 1. */
GRAVELP_INLINE ulong gravelp_source_key(struct gravelp_source from, uint i, uint row)
{
    if (from.kind == GRAVELP_FROM_FRAME)
        return gravelp_key(from.keys[row], i);
    const struct gravelp_message message = gravelp_source_message(from, i);
    return message.argument[row * message.stride];
}

/* Any work-item: whether message i is there, and its group's. */
GRAVELP_INLINE bool gravelp_source_has(struct gravelp_source from, uint i)
{
    if (from.kind == GRAVELP_FROM_INBOX)
        return (i & (from.servers->columns - 1)) <
               gravelp_source_slot(from, i / from.servers->columns)->n_messages;
    return from.kind == GRAVELP_FROM_RING ||
           gravelp_owner(gravelp_key(from.keys[0], i), (uint)gravelp_get_num_groups(0)) ==
               gravelp_group_number();
}

/* ---- a group of many threads ----------------------------------------------------------------------- */

/* Local memory of a group that serves. */
struct gravelp_service {
    uint n;                          /* gathered */
    uint held[GRAVELP_SERVER_MOST];  /* messages gathered: their numbers */
    uint list[GRAVELP_SERVER_MOST];  /* of each, which */
    uint link[GRAVELP_SERVER_MOST];  /* of each, 1 + the one before it in its list, or 0 */
    uint last[GRAVELP_SERVER_LISTS]; /* of each list, 1 + the last, or 0 */
    /* serving.cl.h uses these. */
    uint n_behind, goes_on, n_run, busy;
    struct gravelp_patience patience;
};

/* Every work-item of the group: nothing is gathered; what was has been run. */
GRAVELP_INLINE void gravelp_service_open(local struct gravelp_service *service)
{
    gravelp_barrier_group(); /* G8: all lists have been run */
    for (uint i = (uint)gravelp_lane_id(); i < GRAVELP_SERVER_LISTS; i += gravelp_n_lanes())
        service->last[i] = 0;
    if (gravelp_is_leader())
        service->n = 0;
    gravelp_barrier_group(); /* G8: lists are empty */
}

/* Every work-item of the group: gathers and links the group's next messages. Returns how many; 0 at the end. */
GRAVELP_INLINE uint gravelp_service_gather(local struct gravelp_service *service,
                                           private struct gravelp_source *from)
{
    const uint n_lanes = gravelp_n_lanes(), most = GRAVELP_SERVER_POLLS * n_lanes;
    uint n_held = 0;
    while (n_held < n_lanes && from->at < from->n) {
        for (uint poll = 0; poll < GRAVELP_SERVER_POLLS; poll++) {
            uint i = from->at + poll * n_lanes + (uint)gravelp_lane_id();
            if (i >= from->n || !gravelp_source_has(*from, i))
                continue;
            const uint x = gravelp_local_add_relaxed(&service->n, 1);
            const uint hash = gravelp_key_hash(gravelp_source_key(*from, i, 0));
            service->held[x] = i;
            service->list[x] = (hash >> 8) & (GRAVELP_SERVER_LISTS - 1);
        }
        from->at += from->n - from->at < most ? from->n - from->at : most;
        gravelp_barrier_group(); /* G8: all have polled */
        n_held = service->n;
        gravelp_barrier_group(); /* G8: all know how many there are */
    }
    for (uint x = (uint)gravelp_lane_id(); x < n_held; x += n_lanes)
        service->link[x] = gravelp_local_swap_in_relaxed(&service->last[service->list[x]], x + 1);
    gravelp_barrier_group(); /* G8: lists are whole */
    return n_held;
}

/* The messages that a work-item runs: of each list whose last is one of its own, all. */
struct gravelp_served {
    uint x;   /* number of the message among those gathered, or GRAVELP_SERVER_NONE */
    uint own; /* the list's last */
};
GRAVELP_INLINE struct gravelp_served gravelp_served_from(local struct gravelp_service *service,
                                                         uint n, uint own)
{
    while (own < n && service->last[service->list[own]] != own + 1)
        own += gravelp_n_lanes();
    return (struct gravelp_served){own < n ? own : GRAVELP_SERVER_NONE, own};
}
GRAVELP_INLINE struct gravelp_served gravelp_served_next(local struct gravelp_service *service,
                                                         uint n, struct gravelp_served served)
{
    uint before = service->link[served.x];
    return before ? (struct gravelp_served){before - 1, served.own}
                  : gravelp_served_from(service, n, served.own + gravelp_n_lanes());
}

/* Every work-item of the group: goes through the messages of a source; `message` is the number of one. */
#define GRAVELP_EACH_SERVED(service, from, message)                                            \
    for (uint gathered = gravelp_service_gather((service), &(from)); gathered != 0;            \
         gravelp_service_open(service), gathered = gravelp_service_gather((service), &(from))) \
        for (struct gravelp_served served =                                                    \
                 gravelp_served_from((service), gathered, (uint)gravelp_lane_id());            \
             served.x != GRAVELP_SERVER_NONE;                                                  \
             served = gravelp_served_next((service), gathered, served))                        \
            for (uint message = (service)->held[served.x], once = 1; once; once = 0)

/* Every work-item of the group, in the kernel's outermost scope behind GRAVELP_SERVICE: goes through those of n
 * messages with `keys` that the group owns; `message` is the number of one. */
#if defined(GRAVELP_SERIAL_GROUP)
#define GRAVELP_SERVICE_MEMORY (void)0
#define GRAVELP_SERVICE
#define GRAVELP_SERVE(message, keys, n)                                          \
    const struct gravelp_source gravel_from_ = GRAVELP_FRAME(keys, keys, n);     \
    for (uint message = gravelp_is_leader() ? 0 : (n); message < (n); message++) \
        if (gravelp_source_has(gravel_from_, message))
#else
#define GRAVELP_SERVICE_MEMORY GRAVELP_LOCAL(gravelp_service, service, service)
#define GRAVELP_SERVICE     \
    GRAVELP_SERVICE_MEMORY; \
    gravelp_service_open(service)
#define GRAVELP_SERVE(message, keys, n)                                \
    struct gravelp_source gravel_from_ = GRAVELP_FRAME(keys, keys, n); \
    GRAVELP_EACH_SERVED(service, gravel_from_, message)
#endif

#endif
