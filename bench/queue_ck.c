/* SPDX-License-Identifier: MIT */
/*
 * Peer: ck_ring of Concurrency Kit, with the messages in the ring itself.
 *
 * Path:    bench_queue.c -> queue_ck.c -> <ck_ring.h>.
 * Memory:  a queue owns its ring and its message buffer.
 * Threads: one producer, one consumer.
 * Source:  concurrencykit.org; ck_ring has no call for several messages.
 */
#include "queue_variant.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <ck_ring.h>
#include <stdlib.h>

struct ck_queue {
    struct queue queue;
    ck_ring_t ring;
    void *buffer; /* [ring.size] messages */
};

/* Type, ring functions and the two loops of a message size and mode (spsc or mpmc). */
#define DEFINE_TYPE(bytes)         \
    struct message_##bytes {       \
        uint64_t words[bytes / 8]; \
    };                             \
    CK_RING_PROTOTYPE(bytes, message_##bytes)

#define DEFINE_LOOPS(mode, bytes)                                                      \
    static void produce_##mode##_##bytes(struct queue *queue, uint64_t n_messages)     \
    {                                                                                  \
        struct ck_queue *q = (struct ck_queue *)queue;                                 \
        for (uint64_t i = 0; i < n_messages; i++) {                                    \
            struct bench_wait_state wait = {0};                                        \
            struct message_##bytes message;                                            \
            queue_message_write(message.words, bytes / 8, i);                          \
            while (!ck_ring_enqueue_##mode##_##bytes(&q->ring, q->buffer, &message))   \
                bench_wait(&wait, "room in a ck_ring");                                \
        }                                                                              \
    }                                                                                  \
    static uint64_t consume_##mode##_##bytes(struct queue *queue, uint64_t n_messages) \
    {                                                                                  \
        struct ck_queue *q = (struct ck_queue *)queue;                                 \
        uint64_t sum = 0;                                                              \
        for (uint64_t i = 0; i < n_messages; i++) {                                    \
            struct bench_wait_state wait = {0};                                        \
            struct message_##bytes message;                                            \
            while (!ck_ring_dequeue_##mode##_##bytes(&q->ring, q->buffer, &message))   \
                bench_wait(&wait, "a message in a ck_ring");                           \
            sum += queue_message_sum(message.words, bytes / 8);                        \
        }                                                                              \
        return sum;                                                                    \
    }

#define DEFINE(bytes) DEFINE_TYPE(bytes) DEFINE_LOOPS(spsc, bytes) DEFINE_LOOPS(mpmc, bytes)
QUEUE_MESSAGE_BYTES(DEFINE)

static void ck_close(struct queue *queue)
{
    struct ck_queue *q = (struct ck_queue *)queue;
    free(q->buffer);
    free(q);
}

static void choose_loops(struct queue *queue, uint32_t message_bytes, uint32_t is_spsc)
{
    switch (message_bytes) {
#define CASE(bytes)                                                             \
    case bytes:                                                                 \
        queue->produce = is_spsc ? produce_spsc_##bytes : produce_mpmc_##bytes; \
        queue->consume = is_spsc ? consume_spsc_##bytes : consume_mpmc_##bytes; \
        break;
        QUEUE_MESSAGE_BYTES(CASE)
    }
}

static struct queue *ck_open(const struct queue_variant *variant, const struct queue_case *measured)
{
    struct ck_queue *q = aligned_alloc(64, (sizeof *q + 63) & ~(size_t)63);
    void *buffer = aligned_alloc(64, QUEUE_RING_BYTES);
    must(q && buffer ? 0 : GRAVEL_ENOMEM, variant->name);
    ck_ring_init(&q->ring, QUEUE_RING_BYTES / measured->message_bytes);
    q->buffer = buffer;
    q->queue = (struct queue){.ring_bytes = QUEUE_RING_BYTES, .close = ck_close};
    choose_loops(&q->queue, measured->message_bytes, variant->is_single_producer);
    return &q->queue;
}

const struct queue_variant queue_ck_variants[] = {
    {.name = "ck_ring", .open = ck_open, .batch = 1},
    {.name = "ck_ring-spsc", .open = ck_open, .batch = 1, .is_single_producer = 1},
    {.name = NULL}};
