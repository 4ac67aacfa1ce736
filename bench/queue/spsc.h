/* SPDX-License-Identifier: MIT */
/*
 * Queue of fixed-size elements from one producer thread to one consumer thread.
 *
 *     producer: reserve -> write the element -> publish        consumer: peek -> read it -> release
 *
 * Neither side ever waits, loops or makes a system call. Each side keeps a private copy of the
 * other's index and reads the shared one only when the copy says full (or empty), so most calls
 * touch no line that the other side writes. Indices run free, wrap, and are compared by unsigned
 * difference.
 *
 * Path:    queue_host.c -> this.
 * Owner:   elements live in the queue; what they point to belongs to the element's holder.
 * Threads: reserve and publish: one at a time; peek and release: one at a time; create, destroy:
 *          alone.
 * Source:  Orr 2016, section A.2.1. Differences: cached opposite index, elements of any size, bulk
 *          form.
 */
#ifndef GRAVEL_QUEUE_SPSC_H
#define GRAVEL_QUEUE_SPSC_H

#include "layout/base.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAVEL_SPSC_MAX_CAPACITY (1u << 31) /* [elements] so that full and empty differ */

struct gravel_spsc {
    /* Constant after create. */
    _Alignas(GRAVELP_CACHELINE) uint32_t capacity; /* [elements] a power of two */
    uint32_t element_bytes;
    /* Producer's line. Invariant: 0 <= tail - head <= capacity. */
    _Alignas(GRAVELP_CACHELINE) _Atomic uint32_t tail; /* S1: elements published so far */
    uint32_t head_cache; /* a past value of head: at most this much is known to be released */
    /* Consumer's line. */
    _Alignas(GRAVELP_CACHELINE) _Atomic uint32_t head;    /* S2: elements released so far */
    uint32_t tail_cache;                                  /* a past value of tail */
    _Alignas(GRAVELP_CACHELINE) unsigned char elements[]; /* [capacity][element_bytes] */
};

_Static_assert(offsetof(struct gravel_spsc, tail) == 1 * GRAVELP_CACHELINE, "producer's own line");
_Static_assert(offsetof(struct gravel_spsc, head) == 2 * GRAVELP_CACHELINE, "consumer's own line");
_Static_assert(offsetof(struct gravel_spsc, elements) == 3 * GRAVELP_CACHELINE, "aligned elements");

/**
 * Create an empty queue.
 *
 * @param out            [out] the queue, or NULL on failure.
 * @param capacity       elements it holds, a power of two, 1 to GRAVEL_SPSC_MAX_CAPACITY.
 * @param element_bytes  size of an element [bytes], at least 1. Elements are aligned to the largest
 * power of two that divides it, GRAVELP_CACHELINE at most.
 * @return               0; GRAVEL_EINVAL; GRAVEL_ENOMEM.
 */
int gravel_spsc_create(struct gravel_spsc **out, uint32_t capacity, uint32_t element_bytes);

/** Free a queue and the elements in it, but nothing they point to. NULL is allowed. */
void gravel_spsc_destroy(struct gravel_spsc *queue);

/* Element number `index`, and how many follow it up to the end of the array. */
static inline void *gravel_spsc_at(struct gravel_spsc *queue, uint32_t index)
{
    size_t position = index & (queue->capacity - 1);
    return queue->elements + position * queue->element_bytes;
}

static inline uint32_t gravel_spsc_to_end(const struct gravel_spsc *queue, uint32_t index)
{
    return queue->capacity - (index & (queue->capacity - 1));
}

/**
 * Elements that can be written in one run, starting at *first.
 *
 * @param wanted  elements asked for; reads the consumer's line only if fewer are known to be
 * free.
 * @param first   [out] the first of them, contiguous; untouched if 0 is returned.
 * @return        0 if full, else 1 to wanted; fewer than are free where the array wraps.
 *
 * Memory:  acquire S2 pairs with release S2 in gravel_spsc_release_n: the consumer is done with
 * them.
 */
static inline uint32_t gravel_spsc_reserve_n(struct gravel_spsc *queue, uint32_t wanted,
                                             void **first)
{
    uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed); /* own index */
    uint32_t n_free = queue->capacity - (tail - queue->head_cache);
    if (n_free < wanted) {
        queue->head_cache = atomic_load_explicit(&queue->head, memory_order_acquire); /* S2 */
        n_free = queue->capacity - (tail - queue->head_cache);
    }
    uint32_t n = n_free < wanted ? n_free : wanted;
    uint32_t to_end = gravel_spsc_to_end(queue, tail);
    n = n < to_end ? n : to_end;
    if (n)
        *first = gravel_spsc_at(queue, tail);
    return n;
}

/**
 * Hand the first n reserved elements to the consumer. Not more than the last reserve returned.
 *
 * Memory:  release S1 pairs with acquire S1 in gravel_spsc_peek_n: it sees the elements' contents.
 */
static inline void gravel_spsc_publish_n(struct gravel_spsc *queue, uint32_t n)
{
    uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed); /* own index */
    assert(n <= queue->capacity - (tail - queue->head_cache));
    atomic_store_explicit(&queue->tail, tail + n, memory_order_release); /* S1 */
}

/**
 * Elements that can be read in one run, starting at *first.
 *
 * @param wanted  elements asked for; reads the producer's line only if fewer are known to be
 * there.
 * @param first   [out] the first of them, contiguous; untouched if 0 is returned.
 * @return        0 if empty, else 1 to wanted; fewer than are there where the array wraps.
 *
 * Memory:  acquire S1 pairs with release S1 in gravel_spsc_publish_n.
 */
static inline uint32_t gravel_spsc_peek_n(struct gravel_spsc *queue, uint32_t wanted, void **first)
{
    uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed); /* own index */
    uint32_t n_ready = queue->tail_cache - head;
    if (n_ready < wanted) {
        queue->tail_cache = atomic_load_explicit(&queue->tail, memory_order_acquire); /* S1 */
        n_ready = queue->tail_cache - head;
    }
    uint32_t n = n_ready < wanted ? n_ready : wanted;
    uint32_t to_end = gravel_spsc_to_end(queue, head);
    n = n < to_end ? n : to_end;
    if (n)
        *first = gravel_spsc_at(queue, head);
    return n;
}

/**
 * Give the first n peeked elements back to the producer. Not more than the last peek returned.
 *
 * Memory:  release S2 pairs with acquire S2 in gravel_spsc_reserve_n: our reads are over before it
 * writes.
 */
static inline void gravel_spsc_release_n(struct gravel_spsc *queue, uint32_t n)
{
    uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed); /* own index */
    assert(n <= queue->tail_cache - head);
    atomic_store_explicit(&queue->head, head + n, memory_order_release); /* S2 */
}

#endif
