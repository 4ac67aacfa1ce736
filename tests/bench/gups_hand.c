/* SPDX-License-Identifier: MIT */
/*
 * Peer: aggregation by hand, what a good MPI programmer would write for this one problem.
 *
 * Each rank collects indices in one 64 kB buffer a destination, sends full ones without waiting,
 * and applies what has arrived whenever it looks. Its own updates are collected too: a loop of
 * nothing but increments keeps more cache misses under way than increments between hashing (2.2
 * times faster at 1, 2 and 4 ranks). What travels is the 4-byte index alone, since base and
 * operation are known.
 *
 * Messages of one rank arrive in order, and receives complete here in the order they were posted,
 * so a rank whose last message (TAG_LAST) has been seen has nothing more under way.
 *
 * Path:    bench_gups.c -> gups_hand.c -> MPI.
 * Memory:  a variant owns its table and its buffers.
 * Threads: the main thread.
 * Source:  Orr 2016, section 5.2 (indirect aggregation), in plain C.
 */
#include "gups.h"

#include "bench_thread.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef uint32_t wire_index;

#define BUFFER_BYTES 65536u
#define BUFFER_INDICES (BUFFER_BYTES / sizeof(wire_index))
#define N_RECEIVES 8u
#define HUGE_PAGE (2u << 20)
#define N_SENDS 3u /* buffers of a destination: one being filled, two under way */

enum { TAG_MORE = 1, TAG_LAST };

/* Buffers of one destination, used in turn. */
struct outgoing {
    wire_index indices[N_SENDS][BUFFER_INDICES];
    MPI_Request requests[N_SENDS];
    uint32_t current; /* buffer being filled; its request is not active */
    uint32_t n;       /* indices in it */
};

struct incoming {
    wire_index indices[N_RECEIVES][BUFFER_INDICES];
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

static void post_receive(struct incoming *in, uint32_t i)
{
    MPI_Irecv(in->indices[i], BUFFER_BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
              &in->requests[i]);
}

static void apply(uint64_t *table, const wire_index *indices, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        table[indices[i]]++;
}

/* Apply the oldest receive if it is complete. @return whether it was. */
static bool receive(struct hand *hand)
{
    struct incoming *in = hand->incoming;
    uint32_t i = in->oldest;
    MPI_Status status;
    int is_complete, bytes;
    MPI_Test(&in->requests[i], &is_complete, &status);
    if (!is_complete)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    apply(hand->table, in->indices[i], (uint32_t)bytes / sizeof(wire_index));
    in->n_last += status.MPI_TAG == TAG_LAST;
    post_receive(in, i);
    in->oldest = (i + 1) % N_RECEIVES;
    return true;
}

/* Wait until a send is complete, receiving meanwhile. */
static void wait_for_send(struct hand *hand, MPI_Request *request)
{
    struct bench_wait_state wait = {.n_tries = BENCH_SPINS - 16};
    for (int is_complete = 0;;) {
        MPI_Test(request, &is_complete, MPI_STATUS_IGNORE);
        if (is_complete)
            return;
        if (receive(hand))
            wait.since = 0;
        else
            bench_wait(&wait, "an MPI send to complete");
    }
}

/* Send the buffer being filled and go on with the next one; apply it if it is this rank's own. */
static void send(struct hand *hand, uint32_t destination, int tag)
{
    struct outgoing *out = &hand->outgoing[destination];
    if (destination == hand->gups.problem->rank) {
        apply(hand->table, out->indices[out->current], out->n);
        out->n = 0;
        return;
    }
    MPI_Isend(out->indices[out->current], (int)(out->n * sizeof(wire_index)), MPI_BYTE,
              (int)destination, tag, MPI_COMM_WORLD, &out->requests[out->current]);
    out->current = (out->current + 1) % N_SENDS;
    out->n = 0;
    while (receive(hand))
        ;
    wait_for_send(hand, &out->requests[out->current]);
}

/* Send what is left, each rank's last message, and take everybody else's. */
static void finish(struct hand *hand)
{
    const struct gups_problem *problem = hand->gups.problem;
    for (uint32_t i = 0; i < problem->n_ranks; i++)
        send(hand, (problem->rank + i) % problem->n_ranks, TAG_LAST);
    struct bench_wait_state wait = {.n_tries = BENCH_SPINS - 16};
    while (hand->incoming->n_last < problem->n_ranks - 1) {
        if (receive(hand))
            wait.since = 0;
        else
            bench_wait(&wait, "the last messages of other ranks");
    }
    hand->incoming->n_last = 0;
    for (uint32_t i = 0; i < problem->n_ranks; i++)
        for (uint32_t j = 0; j < N_SENDS; j++)
            wait_for_send(hand, &hand->outgoing[i].requests[j]);
}

static void hand_run(struct gups *gups)
{
    struct hand *hand = (struct hand *)gups;
    const struct gups_problem problem = *gups->problem;
    for (uint64_t i = 0; i < problem.n_updates; i++) {
        uint64_t random = gups_random(problem.rank, i);
        uint32_t destination = gups_destination(random, problem.n_ranks);
        uint32_t index = gups_index(random, problem.mask);
        struct outgoing *out = &hand->outgoing[destination];
        out->indices[out->current][out->n++] = index;
        if (out->n == BUFFER_INDICES)
            send(hand, destination, TAG_MORE);
    }
    finish(hand);
    MPI_Barrier(MPI_COMM_WORLD);
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

/* A zero-filled table, on huge pages where the system gives them, its pages touched. */
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

static struct gups *hand_open(const struct gups_problem *problem)
{
    struct hand *hand = calloc(1, sizeof *hand);
    if (!hand) {
        fprintf(stderr, "mpi-hand: out of memory\n");
        return NULL;
    }
    hand->table = table_create((size_t)problem->mask + 1);
    hand->outgoing = calloc(problem->n_ranks, sizeof *hand->outgoing);
    struct incoming *incoming = calloc(1, sizeof *incoming);
    if (!hand->table || !hand->outgoing || !incoming) {
        fprintf(stderr, "mpi-hand: out of memory\n");
        free(incoming);
        hand_close(&hand->gups);
        return NULL;
    }
    hand->incoming = incoming;
    for (uint32_t i = 0; i < N_RECEIVES; i++)
        post_receive(incoming, i);
    for (uint32_t i = 0; i < problem->n_ranks; i++)
        for (uint32_t j = 0; j < N_SENDS; j++)
            hand->outgoing[i].requests[j] = MPI_REQUEST_NULL;
    hand->gups = (struct gups){
        .problem = problem, .table = hand->table, .run = hand_run, .close = hand_close};
    return &hand->gups;
}

const struct gups_variant gups_hand = {.name = "mpi-hand", .open = hand_open};
