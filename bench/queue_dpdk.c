/* SPDX-License-Identifier: MIT */
/*
 * Peer: rte_ring of DPDK, with the messages in the ring itself, one at a time and in batches.
 *
 * The ring stands in plain memory (rte_ring_init), so neither DPDK's environment layer nor its huge
 * pages are set up. The ring functions are told the message size as a constant, which lets them
 * unroll their copies.
 *
 * Path:    bench_queue.c -> queue_dpdk.c -> <rte_ring_elem.h>.
 * Memory:  a queue owns its ring.
 * Threads: one producer, one consumer.
 * Source:  doc.dpdk.org, programmer's guide, "Ring Library".
 */
#include "queue_variant.h"

#include "bench_thread.h"

#include <rte_ring.h>
#include <rte_ring_elem.h>
#include <stdio.h>
#include <stdlib.h>

struct dpdk_queue {
    struct queue queue;
    struct rte_ring *ring;
    uint32_t batch; /* messages of one call */
};

/* The two loops of a message size. The ring knows by its flags whether it has one producer and
 * consumer. */
#define DEFINE_LOOPS(bytes)                                                                   \
    static void produce_##bytes(struct queue *queue, uint64_t n_messages)                     \
    {                                                                                         \
        struct dpdk_queue *q = (struct dpdk_queue *)queue;                                    \
        uint64_t messages[QUEUE_MAX_BATCH][bytes / 8];                                        \
        for (uint64_t i = 0; i < n_messages; i += q->batch) {                                 \
            struct bench_wait_state wait = {0};                                               \
            for (uint32_t j = 0; j < q->batch; j++)                                           \
                queue_message_write(messages[j], bytes / 8, i + j);                           \
            while (rte_ring_enqueue_bulk_elem(q->ring, messages, bytes, q->batch, NULL) == 0) \
                bench_wait(&wait, "room in an rte_ring");                                     \
        }                                                                                     \
    }                                                                                         \
    static uint64_t consume_##bytes(struct queue *queue, uint64_t n_messages)                 \
    {                                                                                         \
        struct dpdk_queue *q = (struct dpdk_queue *)queue;                                    \
        uint64_t messages[QUEUE_MAX_BATCH][bytes / 8], sum = 0;                               \
        for (uint64_t i = 0; i < n_messages; i += q->batch) {                                 \
            struct bench_wait_state wait = {0};                                               \
            while (rte_ring_dequeue_bulk_elem(q->ring, messages, bytes, q->batch, NULL) == 0) \
                bench_wait(&wait, "messages in an rte_ring");                                 \
            sum += queue_message_sum(messages[0], (uint64_t)q->batch * (bytes / 8));          \
        }                                                                                     \
        return sum;                                                                           \
    }
QUEUE_MESSAGE_BYTES(DEFINE_LOOPS)

static void dpdk_close(struct queue *queue)
{
    struct dpdk_queue *q = (struct dpdk_queue *)queue;
    free(q->ring);
    free(q);
}

/* A ring in plain memory; NULL if there is none. */
static struct rte_ring *ring_create(const struct queue_variant *variant, uint32_t message_bytes)
{
    uint32_t n_slots = QUEUE_RING_BYTES / message_bytes;
    ssize_t bytes = rte_ring_get_memsize_elem(message_bytes, n_slots);
    if (bytes < 0)
        return NULL;
    struct rte_ring *ring = aligned_alloc(128, ((size_t)bytes + 127) & ~(size_t)127);
    uint32_t flags = variant->is_single_producer ? RING_F_SP_ENQ | RING_F_SC_DEQ : 0;
    if (ring && rte_ring_init(ring, "bench", n_slots, flags) != 0) {
        free(ring);
        return NULL;
    }
    return ring;
}

static void choose_loops(struct queue *queue, uint32_t message_bytes)
{
    switch (message_bytes) {
#define CASE(bytes)                       \
    case bytes:                           \
        queue->produce = produce_##bytes; \
        queue->consume = consume_##bytes; \
        break;
        QUEUE_MESSAGE_BYTES(CASE)
    }
}

static struct queue *dpdk_open(const struct queue_variant *variant,
                               const struct queue_case *measured)
{
    struct dpdk_queue *q = calloc(1, sizeof *q);
    struct rte_ring *ring = ring_create(variant, measured->message_bytes);
    if (!q || !ring) {
        fprintf(stderr, "%s: no ring\n", variant->name);
        free(q);
        free(ring);
        return NULL;
    }
    q->ring = ring;
    q->batch = variant->batch;
    q->queue = (struct queue){.ring_bytes = QUEUE_RING_BYTES, .close = dpdk_close};
    choose_loops(&q->queue, measured->message_bytes);
    return &q->queue;
}

const struct queue_variant queue_dpdk_variants[] = {
    {.name = "rte_ring", .open = dpdk_open, .batch = 1},
    {.name = "rte_ring-bulk64", .open = dpdk_open, .batch = 64},
    {.name = "rte_ring-bulk256", .open = dpdk_open, .batch = 256},
    {.name = "rte_ring-spsc", .open = dpdk_open, .batch = 1, .is_single_producer = 1},
    {.name = "rte_ring-spsc-bulk64", .open = dpdk_open, .batch = 64, .is_single_producer = 1},
    {.name = "rte_ring-spsc-bulk256", .open = dpdk_open, .batch = 256, .is_single_producer = 1},
    {.name = NULL}};
