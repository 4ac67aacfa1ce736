/* SPDX-License-Identifier: MIT */
/*
 * Peer: aggregation by hand, what a good MPI programmer would write for this one problem.
 *
 * Its own updates are collected too: a loop of nothing but increments keeps more cache misses under
 * way than increments between hashing (2.2 times faster at 1, 2 and 4 ranks). What travels is the
 * 4-byte index alone, since base and operation are known.
 *
 * Path:    bench_gups.c -> gups_hand.c -> exchange.c -> MPI.
 * Memory:  a variant owns its table and its buffers.
 * Threads: the main thread.
 */
#include "exchange.h"
#include "gups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef uint32_t wire_index;

#define HUGE_PAGE (2u << 20)

struct hand {
    struct gups gups;
    uint64_t *table;
    struct exchange exchange;
};

/* The exchange_apply: count the updates of a buffer. */
static void apply(void *context, const void *records, uint32_t bytes)
{
    uint64_t *table = context;
    const wire_index *indices = records;
    for (uint32_t i = 0, n = bytes / sizeof(wire_index); i < n; i++)
        table[indices[i]]++;
}

static void hand_run(struct gups *gups)
{
    struct hand *hand = (struct hand *)gups;
    const struct gups_problem problem = *gups->problem;
    for (uint64_t i = 0; i < problem.n_updates; i++) {
        uint64_t random = gups_random(problem.rank, i);
        uint32_t destination = gups_destination(random, problem.n_ranks);
        wire_index *index = exchange_append(&hand->exchange, destination, sizeof *index);
        *index = gups_index(random, problem.mask);
    }
    exchange_finish(&hand->exchange);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void hand_close(struct gups *gups)
{
    struct hand *hand = (struct hand *)gups;
    exchange_close(&hand->exchange);
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
    if (hand)
        hand->table = table_create((size_t)problem->mask + 1);
    if (!hand || !hand->table || exchange_open(&hand->exchange, apply, hand->table)) {
        fprintf(stderr, "mpi-hand: out of memory\n");
        if (hand)
            hand_close(&hand->gups);
        return NULL;
    }
    hand->gups = (struct gups){
        .problem = problem, .table = hand->table, .run = hand_run, .close = hand_close};
    return &hand->gups;
}

const struct gups_variant gups_hand = {.name = "mpi-hand", .open = hand_open};
