/* SPDX-License-Identifier: MIT */
/*
 * Transactions: handlers with two keys, each of which excludes all handlers with an equal key, be it their first or
 * their second.
 *
 * One group serves them all, while no other group serves. Where a group is one thread its leader goes through them in a
 * plain loop. Elsewhere it takes rounds: each work-item has one message, and bids its number for the lists of both
 * keys; a message whose number is the least of both lists is run; its work-item takes another one. The least message
 * of all runs in every round, so that no order of the messages can hang. No work-item waits for another except at a
 * barrier, or holds one key while it wants the other.
 *
 * Path:    serve/text.c writes kernels around this -> the user's handlers.
 * Memory:  G8, as serve.cl.h: between two barriers a datum has one work-item.
 * Source:  Wang, Fussell, Lin 2019, section 3.3, where servers send each other requests for locks; the rounds are
 *          the reservations of Blelloch, Fineman, Gibbons, Shun, Internally Deterministic Parallel Algorithms Can Be
 *          Fast, PPoPP 2012.
 */
#ifndef GRAVELP_TRANSACTION_CL_H
#define GRAVELP_TRANSACTION_CL_H

#include "serve.cl.h"

#define GRAVELP_PAIR_LISTS 2048u /* a power of two; keys of one list wait for each other */

/* Local memory of a group that serves transactions. */
struct gravelp_pairs {
    uint next;                    /* messages from here on have not been taken */
    uint n_bidding;               /* work-items that have a message in this round */
    uint bid[GRAVELP_PAIR_LISTS]; /* of each list, ~ the least message that wants it, or 0 */
};

/* A work-item's message, and its state in this round. */
struct gravelp_pair {
    uint message; /* its number; GRAVELP_SERVER_NONE: none */
    uint list[2]; /* of its keys */
    bool has[2];  /* whether it is the least of each */
    bool is_over; /* no message is left to be taken */
};

/* Any work-item of the only group: what is in the inbox for transactions. */
GRAVELP_INLINE struct gravelp_source gravelp_inbox_of_pairs(global struct gravelp_arena *arena)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    const uint server = servers->n_owners;
    global struct gravelp_queue_words *words = gravelp_inbox_words(servers, server);
    struct gravelp_source from =
        GRAVELP_SERVED_BY(GRAVELP_FROM_INBOX, servers, server, words->consumed);
    from.n = servers->is_broken ? 0 : (words->reserved - from.first) * servers->columns;
    return from;
}

/* Every work-item of the group: n transactions have been run by this one, and there are no more. */
GRAVELP_INLINE void gravelp_inbox_close(struct gravelp_source from, uint n)
{
    if (n)
        gravelp_device_fetch_add_relaxed(&from.servers->n_served, n); /* a sum */
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_barrier_group(); /* G8: all have seen `consumed`; in rounds they have by now */
#endif
    if (gravelp_is_leader())
        gravelp_inbox_words(from.servers, from.server)->consumed =
            from.first + from.n / from.servers->columns;
}

/* Every work-item of the only group, in the kernel's outermost scope behind GRAVELP_TRANSACTIONS: goes through the
 * messages of a source; `served` is the number of one. GRAVELP_SERVE_INBOX_PAIRS runs those of the inbox by
 * `run(arena, message, i)`, i columns after the message. */
#if defined(GRAVELP_SERIAL_GROUP)
#define GRAVELP_TRANSACTIONS
#define GRAVELP_EACH_PAIR(from, served)                                                 \
    for (uint served = gravelp_is_leader() ? 0 : (from).n; served < (from).n; served++) \
        if (gravelp_source_has((from), served))

#else

/* Every work-item of the group: no message is taken, and no list wanted. */
GRAVELP_INLINE void gravelp_pairs_open(local struct gravelp_pairs *pairs)
{
    for (uint i = (uint)gravelp_lane_id(); i < GRAVELP_PAIR_LISTS; i += gravelp_n_lanes())
        pairs->bid[i] = 0;
    if (gravelp_is_leader())
        pairs->next = pairs->n_bidding = 0;
    gravelp_barrier_group(); /* G8: no list is wanted */
}

/* Any work-item, behind gravelp_pairs_bid: whether its message is to run. */
GRAVELP_INLINE bool gravelp_pair_runs(local struct gravelp_pairs *pairs,
                                      private struct gravelp_pair *pair)
{
    const bool is_bidding = pair->message != GRAVELP_SERVER_NONE;
    for (uint i = 0; i < 2; i++)
        pair->has[i] = is_bidding && pairs->bid[pair->list[i]] == ~pair->message;
    return pair->has[0] && pair->has[1];
}

/* Every work-item of the group: what was to run has been run; the least of a list withdraws its bid. */
GRAVELP_INLINE void gravelp_pairs_end(local struct gravelp_pairs *pairs,
                                      private struct gravelp_pair *pair)
{
    gravelp_barrier_group(); /* G8: messages have been run, and bids read */
    for (uint i = 0; i < 2; i++)
        if (pair->has[i])
            pairs->bid[pair->list[i]] = 0;
    if (pair->has[0] && pair->has[1])
        pair->message = GRAVELP_SERVER_NONE;
    if (gravelp_is_leader())
        pairs->n_bidding = 0;
    gravelp_barrier_group(); /* G8: no list is wanted */
}

/* Every work-item of the group: takes a message, if one is left, and bids. Returns whether any has one. */
GRAVELP_INLINE bool gravelp_pairs_bid(local struct gravelp_pairs *pairs,
                                      private struct gravelp_pair *pair, struct gravelp_source from)
{
    while (pair->message == GRAVELP_SERVER_NONE && !pair->is_over) {
        const uint message = gravelp_local_add_relaxed(&pairs->next, 1);
        pair->is_over = message >= from.n;
        if (pair->is_over || !gravelp_source_has(from, message))
            continue;
        pair->message = message;
        for (uint i = 0; i < 2; i++)
            pair->list[i] =
                gravelp_key_hash(gravelp_source_key(from, message, i)) & (GRAVELP_PAIR_LISTS - 1);
    }
    if (pair->message != GRAVELP_SERVER_NONE) {
        gravelp_local_max_relaxed(&pairs->bid[pair->list[0]], ~pair->message);
        gravelp_local_max_relaxed(&pairs->bid[pair->list[1]], ~pair->message);
        gravelp_local_add_relaxed(&pairs->n_bidding, 1);
    }
    gravelp_barrier_group(); /* G8: all have bid */
    return pairs->n_bidding != 0;
}

#define GRAVELP_TRANSACTIONS                    \
    GRAVELP_LOCAL(gravelp_pairs, pairs, pairs); \
    gravelp_pairs_open(pairs)
#define GRAVELP_EACH_PAIR(from, served)                                                   \
    for (struct gravelp_pair pair = {GRAVELP_SERVER_NONE, {0, 0}, {false, false}, false}; \
         gravelp_pairs_bid(pairs, &pair, (from)); gravelp_pairs_end(pairs, &pair))        \
        if (gravelp_pair_runs(pairs, &pair))                                              \
            for (uint served = pair.message, once = 1; once; once = 0)
#endif

#define GRAVELP_SERVE_INBOX_PAIRS(run)                                        \
    GRAVELP_TRANSACTIONS;                                                     \
    const struct gravelp_source from = gravelp_inbox_of_pairs(gravel_arena_); \
    uint n_run = 0;                                                           \
    GRAVELP_EACH_PAIR(from, message)                                          \
    {                                                                         \
        run(gravel_arena_, gravelp_source_message(from, message), 0);         \
        n_run++;                                                              \
    }                                                                         \
    gravelp_inbox_close(from, n_run)

#define GRAVELP_SERVE_PAIRS(served, first, second, n)                \
    const struct gravelp_source gravel_from_ =                       \
        GRAVELP_FRAME(GRAVELP_KEYS(first), GRAVELP_KEYS(second), n); \
    GRAVELP_EACH_PAIR(gravel_from_, served)

#endif
