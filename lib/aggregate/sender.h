/* SPDX-License-Identifier: MIT */
/*
 * A private set of node buffers, one open per destination, and the binning of messages into them.
 *
 * Each aggregator thread has a sender, the host calls share one, the handlers share one. Senders need no
 * locks: only the thread that owns one touches it, and full buffers leave and come back through lists.
 *
 * Path:    aggregator.c, host calls, handlers -> sender.c -> network thread (ship).
 * Owner:   all its buffers, wherever they are; they are returned before the sender is destroyed.
 * Threads: one at a time.
 * Source:  Orr 2016, section 5.2.2 (indirect aggregation).
 */
#ifndef GRAVEL_AGGREGATE_SENDER_H
#define GRAVEL_AGGREGATE_SENDER_H

#include "base/await.h"
#include "gravel/stats.h"
#include "pump/block.h"
#include "memory/package.h"
#include "transport/buffer.h"
#include "transport/pool.h"

#include <stdatomic.h>

/* When buffers leave, as the choices of GRAVEL_AGGREGATION are in config.h. The last two are there to be compared with:
 * Orr 2016, sections 3.2, 3.3 and 5.5. */
enum gravel_aggregation {
    GRAVEL_AGGREGATE_DESTINATION, /* when it is full, old, or asked for */
    GRAVEL_AGGREGATE_GROUP,       /* when a package has been binned */
    GRAVEL_AGGREGATE_OFF          /* with every message */
};

/* Why a buffer leaves. */
enum gravel_ship_reason { GRAVEL_SHIP_FULL, GRAVEL_SHIP_TIMEOUT, GRAVEL_SHIP_FLUSH };

/* Messages of one run, in rows, as in a package. */
struct gravel_columns {
    struct gravel_run_key key;
    uint32_t n;
    const uint32_t *nodes;                           /* [n] */
    const unsigned char *index;                      /* [n] of GRAVELP_INDEX_BYTES; NULL if 0 */
    const unsigned char *values[GRAVEL_AM_MAX_ARGS]; /* rows of [n] */
};

struct gravel_sender_shape {
    uint32_t node, n_nodes;
    uint32_t buffer_bytes;
    uint32_t n_buffers; /* in all; 0: as many as it takes, and the sender never waits */
    unsigned char *frames;
    /* memory for n_buffers frames, each at a multiple of a cache line; or NULL */
    uint64_t flush_ns;
    uint64_t timeout_ns; /* GRAVEL_TIMEOUT: a session keeps a buffer for an eighth of it at most */
    const _Atomic uint32_t *n_sessions;
    /* A7: sessions that keep its buffers from ageing; NULL: none does */
    const struct gravel_list *shipped;
    /* where `ship` puts buffers for another thread: while that thread is behind, none needs to age; or NULL */
    enum gravel_aggregation aggregation;
    bool has_records; /* its frames are of records alone; else of all other messages */
    void (*ship)(void *context,
                 struct gravel_buffer *buffer); /* hand a closed buffer to the network */
    void *context;
    const struct gravel_failure *failure; /* the node has failed: stop waiting */
    struct gravel_package_queue *queue;
    /* whose leaders see a heartbeat while the sender waits; or NULL */
};

/* Counters of one destination, as of the last buffer shipped. One writer, any reader; relaxed. */
struct gravel_sender_counts {
    _Atomic uint64_t messages, buffers, bytes;
};

#define GRAVEL_SENDER_AGES 8u     /* that a buffer stays for behind those of other senders */
#define GRAVEL_SENDER_CHUNK 1024u /* messages whose destinations are checked together */

struct gravel_sender {
    struct gravel_sender_shape shape;
    struct gravel_bin *bins;      /* [n_nodes] */
    uint32_t run;                 /* number of the current run, key; never 0 */
    struct gravel_buffer **open;  /* [n_nodes] the buffer being filled, or NULL */
    struct gravel_buffer *oldest; /* of those; each is older than its `next` */
    struct gravel_buffer *newest;
    struct gravel_sender_counts *counts; /* [n_nodes] */
    _Atomic uint64_t shipped[3];         /* buffers by enum gravel_ship_reason */
    _Atomic uint64_t waits;              /* for a free buffer */
    uint32_t ended_sessions;             /* of kernels, by the last flush: their count as of then */
    uint64_t session_ns;                 /* when a session was last seen: ages count from then on */
    uint64_t n_gathers;                  /* of the list `shipped`, when it last shipped a buffer */
    uint32_t n_calls;                    /* appends of requests; never 0 after the first */
    bool is_urgent;                      /* some thread waits for what an open buffer holds */
    struct gravel_run_key key;           /* of the current run */
    unsigned char text[GRAVELP_TEXT_MAX_BYTES]; /* and its text */
    struct gravel_pool pool;                    /* of its buffers */
    struct gravel_event returned;               /* a buffer was returned, or the node aborted */
    struct gravel_idle idle;
    uint32_t nodes[GRAVEL_SENDER_CHUNK];
    /* a chunk's destinations, copied before they are checked */
};

/** @return 0; GRAVEL_ENOMEM; GRAVEL_ECONFIG if a buffer does not hold one message of the widest kind. */
int gravel_sender_create(struct gravel_sender **out, const struct gravel_sender_shape *shape);
/** Frees it; all buffers must have been returned. NULL is allowed. */
void gravel_sender_destroy(struct gravel_sender *sender);

/**
 * Bin messages by destination.
 *
 * @param now_ns   the time, for the age of buffers it opens [ns].
 * @param refused  [out] a destination that does not exist, if there is one.
 * @return         0; GRAVEL_ERANGE, and then nothing of the chunk that holds it, nor what follows, is sent;
 *                 GRAVEL_EPEER if the node has aborted, or GRAVEL_ENOMEM: messages were dropped.
 */
int gravel_sender_append(struct gravel_sender *sender, const struct gravel_columns *columns,
                         uint64_t now_ns, uint32_t *refused);

/** Ship the buffers of a block, behind all messages before it. */
void gravel_sender_ship_block(struct gravel_sender *sender, struct gravel_block *block);

/** Ship every open buffer. */
void gravel_sender_flush(struct gravel_sender *sender);

/** Lets open sessions of kernels keep no buffer any longer; behind a flush. */
void gravel_sender_end_sessions(struct gravel_sender *sender);

/** Flush if a message that some thread waits for is among them. Called when idle. */
static inline void gravel_sender_flush_urgent(struct gravel_sender *sender)
{
    if (sender->is_urgent)
        gravel_sender_flush(sender);
}

/**
 * Ship the open buffers that have reached their age: GRAVEL_FLUSH outside of sessions. While the thread that takes what
 * was shipped is behind, they would only wait there: they stay and fill, until it has taken what this sender shipped
 * last, and then for GRAVEL_SENDER_AGES at most.
 *
 * @return  time until the next poll is due; in a session, until a buffer is sent all the same [ns].
 */
uint64_t gravel_sender_flush_aged(struct gravel_sender *sender, uint64_t now_ns);

/** Ship the open buffer of one destination and get an empty frame for it, e.g. for bytes; NULL on abort. */
struct gravel_buffer *gravel_sender_frame(struct gravel_sender *sender, uint16_t kind,
                                          uint32_t destination);
/** Ship a buffer got by gravel_sender_frame, whose header is complete. */
void gravel_sender_ship_frame(struct gravel_sender *sender, struct gravel_buffer *buffer);

#endif
