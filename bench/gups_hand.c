/* SPDX-License-Identifier: MIT */
/*
 * Peer: aggregation by hand over MPI, what a good MPI programmer would write for this one problem: updates are collected in
 * one 64 kB buffer a destination, full ones are sent without waiting, and what arrives is applied whenever a rank polls.
 *
 * A rank's own updates are collected too: a loop of nothing but increments keeps more cache misses in flight than increments
 * between hashing (2.2 times faster at 1, 2 and 4 ranks). What travels is the 4-byte index alone, since base and operation
 * are known. Messages of one rank arrive in order, and receives complete here in the order in which they were posted, so a
 * rank whose last message has been seen has nothing more in flight.
 *
 * Path:    bench_gups.c -> this -> MPI -> apply, at the owner.
 * Memory:  a variant owns its table and its buffers.
 * Threads: the main thread.
 * Source:  Orr 2016, section 5.2 (indirect aggregation), in plain C.
 */
#include "bench_thread.h"
#include "gups.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N_INDICES 16384u /* of a buffer: 64 kB */
#define N_SENDS 3u       /* buffers of a destination: one being filled, two in flight */
#define N_RECEIVES 8u
#define HUGE_PAGE (2u << 20)

enum { TAG_MORE = 1, TAG_LAST };

/* Buffers of one destination, used in turn. */
struct outgoing {
    uint32_t indices[N_SENDS][N_INDICES];
    MPI_Request requests[N_SENDS];
    uint32_t current; /* buffer being filled; its request is not active */
    uint32_t n;       /* indices in it */
};

struct incoming {
    uint32_t indices[N_RECEIVES][N_INDICES];
    MPI_Request requests[N_RECEIVES];
    uint32_t oldest; /* receive posted first */
    uint32_t n_last; /* ranks whose last message has been seen */
};

struct hand {
    struct gups gups;
    uint64_t *table;
    struct outgoing *outgoing; /* [n_ranks] */
    struct incoming *incoming;
};

static void apply(uint64_t *table, const uint32_t *indices, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        table[indices[i]]++;
}

static void post_receive(struct incoming *in, uint32_t i)
{
    MPI_Irecv(in->indices[i], N_INDICES, MPI_UINT32_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
              &in->requests[i]);
}

/* Apply the oldest receive if it is complete. @return whether it was. */
static bool receive(struct hand *hand)
{
    struct incoming *in = hand->incoming;
    uint32_t i = in->oldest;
    MPI_Status status;
    int is_complete, n;
    MPI_Test(&in->requests[i], &is_complete, &status);
    if (!is_complete)
        return false;
    MPI_Get_count(&status, MPI_UINT32_T, &n);
    apply(hand->table, in->indices[i], (uint32_t)n);
    in->n_last += status.MPI_TAG == TAG_LAST;
    post_receive(in, i);
    in->oldest = (i + 1) % N_RECEIVES;
    return true;
}

/* Receive until a send is complete or, without one, until each other rank has sent its last message. */
static void receive_until(struct hand *hand, MPI_Request *request)
{
    struct bench_wait_state wait = {.n_tries = BENCH_SPINS - 16};
    for (;;) {
        int is_complete = hand->incoming->n_last == hand->gups.problem->n_ranks - 1;
        if (request)
            MPI_Test(request, &is_complete, MPI_STATUS_IGNORE);
        if (is_complete)
            return;
        if (receive(hand))
            wait.since = 0;
        else
            bench_wait(&wait, request ? "an MPI send to complete" : "other ranks' last messages");
    }
}

/* Send the buffer being filled, or apply it if it is this rank's own, and begin the next. */
static void send(struct hand *hand, uint32_t destination, int tag)
{
    struct outgoing *out = &hand->outgoing[destination];
    uint32_t n = out->n;
    out->n = 0;
    if (destination == hand->gups.problem->rank) {
        apply(hand->table, out->indices[out->current], n);
        return;
    }
    MPI_Isend(out->indices[out->current], (int)n, MPI_UINT32_T, (int)destination, tag,
              MPI_COMM_WORLD, &out->requests[out->current]);
    out->current = (out->current + 1) % N_SENDS;
    while (receive(hand))
        ;
    receive_until(hand, &out->requests[out->current]);
}

/* Send what is left, and apply what others send before they come here. */
static void finish(struct hand *hand)
{
    uint32_t n_ranks = hand->gups.problem->n_ranks;
    for (uint32_t i = 0; i < n_ranks; i++)
        send(hand, (hand->gups.problem->rank + i) % n_ranks, TAG_LAST);
    receive_until(hand, NULL);
    hand->incoming->n_last = 0;
    for (uint32_t i = 0; i < n_ranks; i++)
        for (uint32_t j = 0; j < N_SENDS; j++)
            receive_until(hand, &hand->outgoing[i].requests[j]);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void hand_run(struct gups *gups)
{
    struct hand *hand = (struct hand *)gups;
    const struct gups_problem problem = *gups->problem;
    for (uint64_t i = 0; i < problem.n_updates; i++) {
        uint64_t random = gups_random(problem.rank, i);
        uint32_t destination = gups_destination(random, problem.n_ranks);
        struct outgoing *out = &hand->outgoing[destination];
        if (out->n == N_INDICES)
            send(hand, destination, TAG_MORE);
        out->indices[out->current][out->n++] = gups_index(random, problem.mask);
    }
    finish(hand);
}

static void hand_close(struct gups *gups)
{
    struct hand *hand = (struct hand *)gups;
    for (uint32_t i = 0; hand->incoming && i < N_RECEIVES; i++) {
        MPI_Cancel(&hand->incoming->requests[i]);
        MPI_Wait(&hand->incoming->requests[i], MPI_STATUS_IGNORE);
    }
    free(hand->incoming);
    free(hand->outgoing);
    free(hand->table);
    free(hand);
}

/* Makes a zero-filled table, on huge pages where the system gives them, and touches its pages. */
static uint64_t *table_create(size_t n_words)
{
    size_t bytes = (n_words * sizeof(uint64_t) + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    uint64_t *table = aligned_alloc(HUGE_PAGE, bytes);
    if (!table)
        return NULL;
    (void)madvise(table, bytes, MADV_HUGEPAGE);
    memset(table, 0, bytes);
    return table;
}

static struct gups *hand_open(const struct gups_problem *problem, bool is_alone)
{
    (void)is_alone;
    struct hand *hand = calloc(1, sizeof *hand);
    uint64_t *table = table_create((size_t)problem->mask + 1);
    struct outgoing *outgoing = calloc(problem->n_ranks, sizeof *outgoing);
    struct incoming *incoming = calloc(1, sizeof *incoming);
    if (!hand || !table || !outgoing || !incoming) {
        fprintf(stderr, "mpi-hand: out of memory\n");
        free(hand), free(table), free(outgoing), free(incoming);
        return NULL;
    }
    for (uint32_t i = 0; i < N_RECEIVES; i++)
        post_receive(incoming, i);
    for (uint32_t i = 0; i < problem->n_ranks; i++)
        for (uint32_t j = 0; j < N_SENDS; j++)
            outgoing[i].requests[j] = MPI_REQUEST_NULL;
    *hand =
        (struct hand){{.problem = problem, .table = table, .run = hand_run, .close = hand_close},
                      table,
                      outgoing,
                      incoming};
    return &hand->gups;
}

const struct gups_variant gups_hand = {.open = hand_open};
