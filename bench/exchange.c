/* SPDX-License-Identifier: MIT */
/*
 * Send full buffers while receiving, apply; the end of a round is each rank's last message.
 *
 * Path:    gups_hand.c, bench_pagerank.c -> this -> MPI.
 * Memory:  see exchange.h.
 * Threads: the main thread.
 */
#include "exchange.h"

#include "bench_thread.h"

#include <stdbool.h>
#include <stdlib.h>

#define N_RECEIVES 8u

enum { TAG_MORE = 1, TAG_LAST };

struct exchange_incoming {
    unsigned char records[N_RECEIVES][EXCHANGE_BYTES];
    MPI_Request requests[N_RECEIVES];
    uint32_t oldest; /* receive posted first */
    uint32_t n_last; /* ranks whose last message has been seen */
};

static void post_receive(struct exchange_incoming *in, uint32_t i)
{
    MPI_Irecv(in->records[i], EXCHANGE_BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
              &in->requests[i]);
}

/* Apply the oldest receive if it is complete. @return whether it was. */
static bool receive(struct exchange *exchange)
{
    struct exchange_incoming *in = exchange->incoming;
    uint32_t i = in->oldest;
    MPI_Status status;
    int is_complete, bytes;
    MPI_Test(&in->requests[i], &is_complete, &status);
    if (!is_complete)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    exchange->apply(exchange->context, in->records[i], (uint32_t)bytes);
    in->n_last += status.MPI_TAG == TAG_LAST;
    post_receive(in, i);
    in->oldest = (i + 1) % N_RECEIVES;
    return true;
}

/* Receive until a send is complete. */
static void wait_for_send(struct exchange *exchange, MPI_Request *request)
{
    struct bench_wait_state wait = {.n_tries = BENCH_SPINS - 16};
    for (int is_complete = 0;;) {
        MPI_Test(request, &is_complete, MPI_STATUS_IGNORE);
        if (is_complete)
            return;
        if (receive(exchange))
            wait.since = 0;
        else
            bench_wait(&wait, "an MPI send to complete");
    }
}

static void send(struct exchange *exchange, uint32_t destination, int tag)
{
    struct exchange_outgoing *out = &exchange->outgoing[destination];
    uint32_t bytes = out->bytes;
    out->bytes = 0;
    if (destination == exchange->rank) {
        exchange->apply(exchange->context, out->records[out->current], bytes);
        return;
    }
    MPI_Isend(out->records[out->current], (int)bytes, MPI_BYTE, (int)destination, tag,
              MPI_COMM_WORLD, &out->requests[out->current]);
    out->current = (out->current + 1) % EXCHANGE_SENDS;
    while (receive(exchange))
        ;
    wait_for_send(exchange, &out->requests[out->current]);
}

void exchange_send(struct exchange *exchange, uint32_t destination)
{
    send(exchange, destination, TAG_MORE);
}

void exchange_finish(struct exchange *exchange)
{
    uint32_t n_ranks = exchange->n_ranks;
    for (uint32_t i = 0; i < n_ranks; i++)
        send(exchange, (exchange->rank + i) % n_ranks, TAG_LAST);
    struct bench_wait_state wait = {.n_tries = BENCH_SPINS - 16};
    while (exchange->incoming->n_last < n_ranks - 1) {
        if (receive(exchange))
            wait.since = 0;
        else
            bench_wait(&wait, "the last messages of other ranks");
    }
    exchange->incoming->n_last = 0;
    for (uint32_t i = 0; i < n_ranks; i++)
        for (uint32_t j = 0; j < EXCHANGE_SENDS; j++)
            wait_for_send(exchange, &exchange->outgoing[i].requests[j]);
}

void exchange_close(struct exchange *exchange)
{
    for (uint32_t i = 0; exchange->incoming && i < N_RECEIVES; i++) {
        MPI_Cancel(&exchange->incoming->requests[i]);
        MPI_Wait(&exchange->incoming->requests[i], MPI_STATUS_IGNORE);
    }
    free(exchange->incoming);
    free(exchange->outgoing);
    *exchange = (struct exchange){0};
}

int exchange_open(struct exchange *exchange, exchange_apply *apply, void *context)
{
    int rank, n_ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    *exchange = (struct exchange){
        .rank = (uint32_t)rank, .n_ranks = (uint32_t)n_ranks, .apply = apply, .context = context};
    exchange->outgoing = calloc((size_t)n_ranks, sizeof *exchange->outgoing);
    struct exchange_incoming *incoming = calloc(1, sizeof *incoming);
    if (!exchange->outgoing || !incoming) {
        free(incoming);
        exchange_close(exchange);
        return -1;
    }
    exchange->incoming = incoming;
    for (uint32_t i = 0; i < N_RECEIVES; i++)
        post_receive(incoming, i);
    for (uint32_t i = 0; i < exchange->n_ranks; i++)
        for (uint32_t j = 0; j < EXCHANGE_SENDS; j++)
            exchange->outgoing[i].requests[j] = MPI_REQUEST_NULL;
    return 0;
}
