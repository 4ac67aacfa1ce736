/* SPDX-License-Identifier: MIT */
/*
 * How a server runs the messages of its inbox, as serve.cl.h runs those of a frame that it owns.
 *
 * In phases lib/serve/text.c writes the kernel: around GRAVELP_SERVE_INBOX, a call of the handler that a
 * message names. Group i serves inbox i. No client runs, so that what is reserved is published, and does not change.
 *
 * Path:    outbox.cl.h -> inboxes -> this, or resident.cl.h with it -> the user's handlers -> spill.cl.h.
 * Memory:  as serve.cl.h; the end of the clients' kernel orders their slots before these reads, and the end of this
 *          kernel `consumed` before the next clients.
 * Source:  Wang, Fussell, Lin 2019, section 3.2 (receiver): here all of a group's work-items read slots together.
 */
#ifndef GRAVELP_INBOX_CL_H
#define GRAVELP_INBOX_CL_H

#include "inboxes.cl.h"
#include "transaction.cl.h"

/* The inbox of a group, and how far the group is. */
struct gravelp_inbox {
    global struct gravelp_servers *servers;
    global struct gravelp_queue_words *words;
    uint server;
    uint first, n_slots; /* tickets to be served: the first, and how many */
    uint at;             /* messages that have been read, each slot counting as `columns` */
    uint n_run;          /* by this work-item */
};

GRAVELP_INLINE struct gravelp_inbox gravelp_inbox_of(global struct gravelp_arena *arena,
                                                     uint server)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    global struct gravelp_queue_words *words = gravelp_inbox_words(servers, server);
    uint consumed = words->consumed;
    return (struct gravelp_inbox){
        servers, words, server, consumed, servers->is_broken ? 0 : words->reserved - consumed,
        0,       0};
}
GRAVELP_INLINE struct gravelp_inbox gravelp_inbox_open(global struct gravelp_arena *arena)
{
    return gravelp_inbox_of(arena, gravelp_group_number());
}

/* The one for transactions. */
GRAVELP_INLINE struct gravelp_inbox gravelp_inbox_of_pairs(global struct gravelp_arena *arena)
{
    return gravelp_inbox_of(arena, gravelp_servers(arena)->n_owners);
}

/* In the function that calls the handler a message names: what the handler gets. */
#define GRAVELP_SERVER_CALL GRAVELP_SERVER_CALL_OF(0)
#define GRAVELP_SENDER_CALL GRAVELP_SERVER_CALL_OF(1)
#define GRAVELP_SERVER_CALL_OF(sends)                                                 \
    ((struct gravel_call){(global uchar *)gravel_arena_ + gravel_arena_->heap_offset, \
                          gravel_arena_->heap_bytes, gravel_arena_->node,             \
                          GRAVELP_N_NODES(gravel_arena_), gravel_arena_->node,        \
                          gravel_arena_->constants, gravel_arena_, (sends)})
#define GRAVELP_LETTER_ARGUMENT(letter, row, i) ((letter).argument[(row) * (letter).stride + (i)])

/* A message by its number among those of the inbox. */
struct gravelp_letter {
    uint handler;
    size_t stride;                /* from one argument to the next */
    global const ulong *argument; /* the first */
};

#if defined(GRAVELP_RESIDENT)
/* Calls the handler that a letter names: behind the program's text. */
GRAVELP_INLINE void gravelp_run(global struct gravelp_arena *gravel_arena_,
                                struct gravelp_letter letter, uint i);
#endif

GRAVELP_INLINE struct gravelp_letter gravelp_inbox_letter(struct gravelp_inbox inbox, uint number)
{
    const uint columns = inbox.servers->columns;
    global uchar *slot =
        gravelp_inbox_slot(inbox.servers, inbox.server, inbox.first + number / columns);
    return (struct gravelp_letter){
        GRAVELP_COMMAND_HANDLER(((global struct gravelp_package *)slot)->command), columns,
        gravelp_inbox_row(inbox.servers, slot, 0) + (number & (columns - 1))};
}

/* Every work-item of the group: sum up, give the slots back, and let clients continue. */
GRAVELP_INLINE void gravelp_inbox_close(struct gravelp_inbox inbox)
{
    if (inbox.n_run)
        gravelp_device_fetch_add_relaxed(&inbox.servers->n_served, inbox.n_run); /* a sum */
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_barrier_group(); /* G8: all know what there was; where messages are gathered, they do by now */
#endif
    if (gravelp_is_leader())
        inbox.words->consumed = inbox.first + inbox.n_slots;
    if (gravelp_is_leader() && inbox.server == 0)
        inbox.servers->is_full = 0;
}

#if defined(GRAVELP_SERIAL_GROUP)

/* Messages in a slot. */
GRAVELP_INLINE uint gravelp_inbox_in_slot(struct gravelp_inbox inbox, uint i)
{
    global uchar *slot = gravelp_inbox_slot(inbox.servers, inbox.server, inbox.first + i);
    return ((global struct gravelp_package *)slot)->n_messages;
}

/* Leader: run each message by `run(arena, letter, i)`: the one i columns behind the letter. */
#define GRAVELP_RUN_SLOTS(inbox, run)                                                             \
    for (uint slot = gravelp_is_leader() ? 0 : (inbox).n_slots; slot < (inbox).n_slots; slot++) { \
        struct gravelp_letter letter =                                                            \
            gravelp_inbox_letter((inbox), slot * (inbox).servers->columns);                       \
        const uint n = gravelp_inbox_in_slot((inbox), slot);                                      \
        for (uint i = 0; i < n; i++)                                                              \
            run(gravel_arena_, letter, i);                                                        \
        (inbox).n_run += n;                                                                       \
    }

/* Every work-item of the group: serve its inbox; and of the only group, that of transactions. */
#define GRAVELP_SERVE_INBOX(run)                                    \
    struct gravelp_inbox inbox = gravelp_inbox_open(gravel_arena_); \
    GRAVELP_RUN_SLOTS(inbox, run)                                   \
    gravelp_inbox_close(inbox)
#define GRAVELP_SERVE_INBOX_PAIRS(run)                                  \
    struct gravelp_inbox inbox = gravelp_inbox_of_pairs(gravel_arena_); \
    GRAVELP_RUN_SLOTS(inbox, run)                                       \
    gravelp_inbox_close(inbox)

#else

/* Gathers from the inbox, as gravelp_service_gather. */
GRAVELP_INLINE uint gravelp_inbox_gather(local struct gravelp_service *service,
                                         private struct gravelp_inbox *inbox)
{
    const uint n_lanes = gravelp_n_lanes(), columns = inbox->servers->columns;
    const uint n = inbox->n_slots * columns;
    uint n_held = 0;
    while (n_held < n_lanes && inbox->at < n) {
        for (uint poll = 0; poll < GRAVELP_SERVER_POLLS; poll++) {
            uint number = inbox->at + poll * n_lanes + (uint)gravelp_lane_id();
            if (number >= n)
                continue;
            global uchar *slot =
                gravelp_inbox_slot(inbox->servers, inbox->server, inbox->first + number / columns);
            if ((number & (columns - 1)) < ((global struct gravelp_package *)slot)->n_messages)
                gravelp_service_hold(service, number,
                                     *gravelp_inbox_letter(*inbox, number).argument);
        }
        inbox->at = n - inbox->at < GRAVELP_SERVER_POLLS * n_lanes
                        ? n
                        : inbox->at + GRAVELP_SERVER_POLLS * n_lanes;
        gravelp_barrier_group(); /* G8: all have polled */
        n_held = service->n;
        gravelp_barrier_group(); /* G8: all know how many there are */
    }
    gravelp_service_link(service, n_held);
    return n_held;
}

/* Every work-item of the group: as GRAVELP_SERVE, the messages of the slots at hand. */
#define GRAVELP_SERVE_SLOTS(service, inbox, run)                                               \
    for (uint gathered = gravelp_inbox_gather((service), &(inbox)); gathered != 0;             \
         gravelp_service_clear(service), gathered = gravelp_inbox_gather((service), &(inbox))) \
        for (struct gravelp_served served =                                                    \
                 gravelp_served_from((service), gathered, (uint)gravelp_lane_id());            \
             served.x != GRAVELP_SERVER_NONE;                                                  \
             served = gravelp_served_next((service), gathered, served), (inbox).n_run++)       \
    run(gravel_arena_, gravelp_inbox_letter((inbox), (service)->held[served.x]), 0)

#define GRAVELP_SERVE_INBOX(run)                                    \
    GRAVELP_SERVICE;                                                \
    (void)gravel_at_;                                               \
    struct gravelp_inbox inbox = gravelp_inbox_open(gravel_arena_); \
    GRAVELP_SERVE_SLOTS(service, inbox, run);                       \
    gravelp_inbox_close(inbox)

/* Takes a turn of pairs from the inbox, as gravelp_pairs_turn. */
GRAVELP_INLINE bool gravelp_inbox_pairs_turn(local struct gravelp_pairs *pairs,
                                             private struct gravelp_pair *pair,
                                             struct gravelp_inbox inbox)
{
    const uint columns = inbox.servers->columns, n = inbox.n_slots * columns;
    while (pair->message == GRAVELP_SERVER_NONE && !pair->is_over) {
        uint number = gravelp_pairs_next(pairs, pair, n);
        if (number == GRAVELP_SERVER_NONE)
            break;
        global struct gravelp_package *slot = (global struct gravelp_package *)gravelp_inbox_slot(
            inbox.servers, inbox.server, inbox.first + number / columns);
        struct gravelp_letter letter = gravelp_inbox_letter(inbox, number);
        if ((number & (columns - 1)) < slot->n_messages)
            gravelp_pair_take(pair, number, letter.argument[0], letter.argument[letter.stride]);
    }
    return gravelp_pairs_bid(pairs, *pair);
}

#define GRAVELP_SERVE_INBOX_PAIRS(run)                                                   \
    GRAVELP_TRANSACTIONS;                                                                \
    struct gravelp_inbox inbox = gravelp_inbox_of_pairs(gravel_arena_);                  \
    for (struct gravelp_pair pair = GRAVELP_NO_PAIR;                                     \
         gravelp_inbox_pairs_turn(pairs, &pair, inbox); gravelp_pairs_end(pairs, &pair)) \
        if (gravelp_pair_runs(pairs, &pair)) {                                           \
            run(gravel_arena_, gravelp_inbox_letter(inbox, pair.message), 0);            \
            inbox.n_run++;                                                               \
        }                                                                                \
    gravelp_inbox_close(inbox)

#endif

#endif
