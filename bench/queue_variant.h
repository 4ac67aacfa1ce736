/* SPDX-License-Identifier: MIT */
/*
 * What bench-queue asks of a queue, and the messages it sends through it.
 *
 * Word `row` of message number i is i + row: cheap to write, and the sum of all words is known, so
 * a lost, doubled or half-written message shows.
 *
 * Path:    bench_queue.c -> a table of variants -> queue_*.c.
 * Memory:  a queue is made by its variant's open and freed by its own close.
 * Threads: produce and consume run at the same time, one thread each; the rest is called alone.
 */
#ifndef GRAVEL_QUEUE_VARIANT_H
#define GRAVEL_QUEUE_VARIANT_H

#include <stdint.h>

/* X(bytes): every message size there is code for. */
#define QUEUE_MESSAGE_BYTES(X) X(8) X(16) X(32) X(64) X(128) X(256)

#define QUEUE_RING_BYTES (1u << 20) /* payload capacity every variant gets */

/* Message counts are powers of two from here up, so that batches and work-groups divide them. */
#define QUEUE_MIN_MESSAGES (1u << 12)

/* Cores of the two sides, in the order of those that the process may use. */
#define QUEUE_PRODUCER_CORE 0u
#define QUEUE_CONSUMER_CORE 1u

/* What is measured. */
struct queue_case {
    uint32_t message_bytes; /* one of QUEUE_MESSAGE_BYTES */
    uint32_t work_group;    /* work-items of a group, for the variants that have groups */
};

/* An open queue. */
struct queue {
    uint64_t ring_bytes;                                       /* of its slots */
    void (*produce)(struct queue *queue, uint64_t n_messages); /* send messages 0 to n - 1 */
    uint64_t (*consume)(struct queue *queue,
                        uint64_t n_messages); /* take them; sum of their words */
    void (*close)(struct queue *queue);
};

/* A kind of queue. A list of them ends with one without a name. */
struct queue_variant {
    const char *name;
    /** Make a queue, or end the program after a message. */
    struct queue *(*open)(const struct queue_variant *variant, const struct queue_case *measured);
    uint32_t
        batch; /* most messages handed over at once; 0: as many as the work-group has work-items */
    uint32_t is_single_producer; /* restricted to one producer and one consumer */
};

/* One list for each library; bench_queue.c says which were built. */
extern const struct queue_variant queue_host_variants[];
extern const struct queue_variant queue_device_variants[];
extern const struct queue_variant queue_ck_variants[];

/* Write the words of one message. */
static inline void queue_message_write(uint64_t *words, uint32_t n_words, uint64_t number)
{
    for (uint32_t row = 0; row < n_words; row++)
        words[row] = number + row;
}

/* Sum the words of one message, or of several that follow one another. */
static inline uint64_t queue_message_sum(const uint64_t *words, uint64_t n_words)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n_words; i++)
        sum += words[i];
    return sum;
}

#endif
