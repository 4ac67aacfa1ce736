/* SPDX-License-Identifier: MIT */
/*
 * Aggregation by hand over MPI, for the peers: records collected in one 64 kB buffer a destination,
 * full ones sent without waiting, what arrives applied whenever the rank looks.
 *
 * Messages of one rank arrive in order, and receives complete here in the order they were posted,
 * so a rank whose last message has been seen has nothing more under way.
 *
 * Path:    gups_hand.c, bench_pagerank.c -> this -> MPI -> their apply functions at the owner.
 * Memory:  exchange_open makes what exchange_close frees.
 * Threads: the main thread.
 * Source:  Orr 2016, section 5.2 (indirect aggregation), in plain C.
 */
#ifndef GRAVEL_BENCH_EXCHANGE_H
#define GRAVEL_BENCH_EXCHANGE_H

#include <mpi.h>
#include <stdint.h>

#define EXCHANGE_BYTES 65536u
#define EXCHANGE_SENDS 3u /* buffers of a destination: one being filled, two under way */

/** Apply the records of a buffer that was sent to this rank. */
typedef void exchange_apply(void *context, const void *records, uint32_t bytes);

/* Buffers of one destination, used in turn. */
struct exchange_outgoing {
    unsigned char records[EXCHANGE_SENDS][EXCHANGE_BYTES];
    MPI_Request requests[EXCHANGE_SENDS];
    uint32_t current; /* buffer being filled; its request is not active */
    uint32_t bytes;   /* in it */
};

struct exchange {
    uint32_t rank, n_ranks;
    struct exchange_outgoing *outgoing; /* [n_ranks] */
    struct exchange_incoming *incoming;
    exchange_apply *apply;
    void *context;
};

/** Post the receives. Collective. @return 0, or -1 without memory, and *exchange is empty. */
int exchange_open(struct exchange *exchange, exchange_apply *apply, void *context);
void exchange_close(struct exchange *exchange);

/** Send the buffer being filled, or apply it if it is this rank's own, and begin the next. */
void exchange_send(struct exchange *exchange, uint32_t destination);

/** Room for a record of so many bytes, which divide EXCHANGE_BYTES, that goes to a rank. */
static inline void *exchange_append(struct exchange *exchange, uint32_t destination, uint32_t bytes)
{
    struct exchange_outgoing *out = &exchange->outgoing[destination];
    if (out->bytes == EXCHANGE_BYTES)
        exchange_send(exchange, destination);
    void *room = out->records[out->current] + out->bytes;
    out->bytes += bytes;
    return room;
}

/**
 * Send what is left, and apply everything that others have sent before their exchange_finish.
 * Collective; what is appended next must not be sent before all ranks have left it (a barrier).
 */
void exchange_finish(struct exchange *exchange);

#endif
