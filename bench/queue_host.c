/* SPDX-License-Identifier: MIT */
/*
 * The queues of the dissertation's appendix, between host threads: spsc and mpmc, one message at a time, and spsc in runs.
 *
 * Messages are written and read in place, which is what the four verbs are for.
 *
 * Path:    bench_queue.c -> queue_host.c -> queue/spsc.h, queue/mpmc.h.
 * Memory:  a queue owns the queue under it.
 * Threads: one producer, one consumer.
 * Source:  Orr 2016, sections A.2.1 and A.2.2.
 */
#include "queue_variant.h"
#include "bench_gravel.h"
#include "bench_thread.h"
#include "queue/mpmc.h"
#include "queue/spsc.h"

#include <stdlib.h>

struct host_queue {
    struct queue queue;
    struct gravel_spsc *spsc; /* or */
    struct gravel_mpmc *mpmc;
    uint32_t batch; /* most messages of one run */
};

/* The loops of a message size, on mpmc and in runs of up to `batch` on spsc. */
#define DEFINE_MPMC(bytes)                                                         \
    static void produce_mpmc_##bytes(struct queue *queue, uint64_t n_messages)     \
    {                                                                              \
        struct gravel_mpmc *mpmc = ((struct host_queue *)queue)->mpmc;             \
        for (uint64_t i = 0; i < n_messages; i++) {                                \
            struct bench_wait_state wait = {0};                                    \
            uint64_t *message;                                                     \
            while (!(message = gravel_mpmc_reserve(mpmc)))                         \
                bench_wait(&wait, "room in an mpmc queue");                        \
            queue_message_write(message, bytes / 8, i);                            \
            gravel_mpmc_publish(mpmc, message);                                    \
        }                                                                          \
    }                                                                              \
    static uint64_t consume_mpmc_##bytes(struct queue *queue, uint64_t n_messages) \
    {                                                                              \
        struct gravel_mpmc *mpmc = ((struct host_queue *)queue)->mpmc;             \
        uint64_t sum = 0;                                                          \
        for (uint64_t i = 0; i < n_messages; i++) {                                \
            struct bench_wait_state wait = {0};                                    \
            uint64_t *message;                                                     \
            while (!(message = gravel_mpmc_peek(mpmc)))                            \
                bench_wait(&wait, "a message in an mpmc queue");                   \
            sum += queue_message_sum(message, bytes / 8);                          \
            gravel_mpmc_release(mpmc, message);                                    \
        }                                                                          \
        return sum;                                                                \
    }

#define DEFINE_SPSC(bytes)                                                            \
    static void produce_spsc_##bytes(struct queue *queue, uint64_t n_messages)        \
    {                                                                                 \
        struct host_queue *host = (struct host_queue *)queue;                         \
        for (uint64_t i = 0; i < n_messages;) {                                       \
            struct bench_wait_state wait = {0};                                       \
            uint32_t n;                                                               \
            void *first;                                                              \
            while ((n = gravel_spsc_reserve_n(host->spsc, host->batch, &first)) == 0) \
                bench_wait(&wait, "room in an spsc queue");                           \
            uint64_t(*messages)[bytes / 8] = first;                                   \
            for (uint32_t j = 0; j < n; j++)                                          \
                queue_message_write(messages[j], bytes / 8, i + j);                   \
            gravel_spsc_publish_n(host->spsc, n);                                     \
            i += n;                                                                   \
        }                                                                             \
    }                                                                                 \
    static uint64_t consume_spsc_##bytes(struct queue *queue, uint64_t n_messages)    \
    {                                                                                 \
        struct host_queue *host = (struct host_queue *)queue;                         \
        uint64_t sum = 0;                                                             \
        for (uint64_t i = 0; i < n_messages;) {                                       \
            struct bench_wait_state wait = {0};                                       \
            uint32_t n;                                                               \
            void *first;                                                              \
            while ((n = gravel_spsc_peek_n(host->spsc, host->batch, &first)) == 0)    \
                bench_wait(&wait, "messages in an spsc queue");                       \
            sum += queue_message_sum(first, (uint64_t)n * (bytes / 8));               \
            gravel_spsc_release_n(host->spsc, n);                                     \
            i += n;                                                                   \
        }                                                                             \
        return sum;                                                                   \
    }

#define DEFINE(bytes) DEFINE_MPMC(bytes) DEFINE_SPSC(bytes)
QUEUE_MESSAGE_BYTES(DEFINE)

static void host_close(struct queue *queue)
{
    struct host_queue *host = (struct host_queue *)queue;
    gravel_spsc_destroy(host->spsc);
    gravel_mpmc_destroy(host->mpmc);
    free(host);
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

static struct queue *host_open(const struct queue_variant *variant,
                               const struct queue_case *measured)
{
    struct host_queue *host = calloc(1, sizeof *host);
    uint32_t bytes = measured->message_bytes, n_slots = QUEUE_RING_BYTES / bytes;
    must(host ? 0 : GRAVEL_ENOMEM, variant->name);
    must(variant->is_single_producer ? gravel_spsc_create(&host->spsc, n_slots, bytes)
                                     : gravel_mpmc_create(&host->mpmc, n_slots, bytes),
         variant->name);
    uint32_t slot_bytes = variant->is_single_producer ? bytes : host->mpmc->slot_bytes;
    host->batch = variant->batch;
    host->queue = (struct queue){.ring_bytes = (uint64_t)n_slots * slot_bytes, .close = host_close};
    choose_loops(&host->queue, bytes, variant->is_single_producer);
    return &host->queue;
}

const struct queue_variant queue_host_variants[] = {
    {.name = "mpmc", .open = host_open, .batch = 1},
    {.name = "spsc", .open = host_open, .batch = 1, .is_single_producer = 1},
    {.name = "spsc-bulk256", .open = host_open, .batch = 256, .is_single_producer = 1},
    {.name = NULL}};
