/* SPDX-License-Identifier: MIT */
/*
 * Queue of fixed-size elements from any number of producer threads to any number of consumer
 * threads.
 *
 *     producer: reserve -> write the element -> publish        consumer: peek -> read it -> release
 *
 * Tickets give each side its order; a word in every slot says whose turn the slot is. For the slot
 * of ticket t the word is
 *
 *     2t                 free for producer t
 *     2t + 1             published by producer t, for consumer t
 *     2(t + capacity)    released by consumer t, which is free for the producer one lap later
 *
 * so an old lap never looks new, and one slot is enough. A ticket is taken only once its slot is
 * seen to be free (or published): no thread ever waits for another, and a full queue is a NULL.
 *
 * Path:    queue_host.c -> this.
 * Owner:   elements live in the queue; what they point to belongs to the element's holder.
 * Threads: the four verbs: any; create, destroy: alone.
 * Source:  Orr 2016, section A.2.2. Differences: its tickets are taken first and then waited for;
 *          ours are taken by compare-and-swap, so that full and empty return. Tickets are 64 bits
 *          wide, so that no thread can sleep through all of them and then take a used one.
 */
#ifndef GRAVEL_QUEUE_MPMC_H
#define GRAVEL_QUEUE_MPMC_H

#include "layout/base.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAVEL_MPMC_MAX_CAPACITY (1u << 31) /* [elements] */

struct gravel_mpmc_slot {
    _Alignas(max_align_t) _Atomic uint64_t turn; /* M1, M2: as in the table above */
    _Alignas(max_align_t) unsigned char element[];
};

struct gravel_mpmc {
    /* Constant after create. */
    _Alignas(GRAVELP_CACHELINE) uint32_t capacity; /* [slots] a power of two */
    uint32_t slot_bytes;    /* whole cache lines: neighbouring slots have different writers */
    uint32_t element_bytes; /* usable */
    /* Producers' line and consumers' line. */
    _Alignas(GRAVELP_CACHELINE) _Atomic uint64_t tail; /* tickets taken by producers */
    _Alignas(GRAVELP_CACHELINE) _Atomic uint64_t head; /* tickets taken by consumers */
    _Alignas(GRAVELP_CACHELINE) unsigned char slots[]; /* [capacity][slot_bytes] */
};

_Static_assert(offsetof(struct gravel_mpmc, tail) == 1 * GRAVELP_CACHELINE, "producers' own line");
_Static_assert(offsetof(struct gravel_mpmc, head) == 2 * GRAVELP_CACHELINE, "consumers' own line");
_Static_assert(offsetof(struct gravel_mpmc, slots) == 3 * GRAVELP_CACHELINE, "aligned slots");

/**
 * Create an empty queue.
 *
 * @param out            [out] the queue, or NULL on failure.
 * @param capacity       elements it holds, a power of two, 1 to GRAVEL_MPMC_MAX_CAPACITY.
 * @param element_bytes  size of an element [bytes], at least 1. Elements are aligned as by malloc.
 * Up to 48 bytes share one cache line with the slot's turn.
 * @return               0; GRAVEL_EINVAL; GRAVEL_ENOMEM.
 */
int gravel_mpmc_create(struct gravel_mpmc **out, uint32_t capacity, uint32_t element_bytes);

/** Free a queue and the elements in it, but nothing they point to. NULL is allowed. */
void gravel_mpmc_destroy(struct gravel_mpmc *queue);

/* The slot of a ticket, and the slot around an element. */
static inline struct gravel_mpmc_slot *gravel_mpmc_slot_of(struct gravel_mpmc *queue,
                                                           uint64_t ticket)
{
    size_t position = ticket & (queue->capacity - 1);
    return (void *)(queue->slots + position * queue->slot_bytes);
}

static inline struct gravel_mpmc_slot *gravel_mpmc_slot_around(void *element)
{
    return (void *)((unsigned char *)element - offsetof(struct gravel_mpmc_slot, element));
}

/*
 * Take the next ticket of `counter` (tail or head) once its slot's turn has come: 2 * ticket +
 * is_consumer.
 *
 * @return  the slot's element, or NULL if the slot is still one step behind (full or empty).
 *
 * The loop repeats only when another thread has taken the ticket, that is, has got on.
 * Memory:  the turn is acquired (M1 by a consumer, M2 by a producer). The ticket itself is relaxed:
 * its compare-and-swap only makes tickets unique, and all contents are ordered by the turn.
 */
static inline void *gravel_mpmc_take(struct gravel_mpmc *queue, _Atomic uint64_t *counter,
                                     uint64_t is_consumer)
{
    uint64_t ticket = atomic_load_explicit(counter, memory_order_relaxed);
    for (;;) {
        struct gravel_mpmc_slot *slot = gravel_mpmc_slot_of(queue, ticket);
        uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire); /* M1, M2 */
        int64_t lead = (int64_t)(turn - (2 * ticket + is_consumer));
        if (lead < 0)
            return NULL;
        if (lead > 0)
            ticket = atomic_load_explicit(counter, memory_order_relaxed);
        else if (atomic_compare_exchange_weak_explicit(counter, &ticket, ticket + 1,
                                                       memory_order_relaxed, memory_order_relaxed))
            return slot->element;
    }
}

/**
 * Take an element to write, or NULL if the queue is full. Every element taken must be published.
 *
 * Memory:  acquire M2 pairs with release M2 in gravel_mpmc_release: its last reader is done with
 * it.
 */
static inline void *gravel_mpmc_reserve(struct gravel_mpmc *queue)
{
    return gravel_mpmc_take(queue, &queue->tail, 0);
}

/**
 * Hand a reserved element to the consumers.
 *
 * Memory:  release M1 pairs with acquire M1 in gravel_mpmc_peek: it sees the element's contents.
 */
static inline void gravel_mpmc_publish(struct gravel_mpmc *queue, void *element)
{
    (void)queue;
    struct gravel_mpmc_slot *slot = gravel_mpmc_slot_around(element);
    uint64_t turn =
        atomic_load_explicit(&slot->turn, memory_order_relaxed); /* ours until we store */
    assert((turn & 1) == 0);
    atomic_store_explicit(&slot->turn, turn + 1, memory_order_release); /* M1 */
}

/**
 * Take the oldest element, or NULL if the queue is empty or the oldest is reserved but not yet
 * published. Unlike gravel_spsc_peek it takes the element: every element taken must be released.
 *
 * Memory:  acquire M1 pairs with release M1 in gravel_mpmc_publish.
 */
static inline void *gravel_mpmc_peek(struct gravel_mpmc *queue)
{
    return gravel_mpmc_take(queue, &queue->head, 1);
}

/**
 * Give a peeked element back to the producers.
 *
 * Memory:  release M2 pairs with acquire M2 in gravel_mpmc_reserve: our reads are over before it
 * writes.
 */
static inline void gravel_mpmc_release(struct gravel_mpmc *queue, void *element)
{
    struct gravel_mpmc_slot *slot = gravel_mpmc_slot_around(element);
    uint64_t turn =
        atomic_load_explicit(&slot->turn, memory_order_relaxed); /* ours until we store */
    assert((turn & 1) == 1);
    uint64_t next_lap = turn - 1 + 2 * (uint64_t)queue->capacity;
    atomic_store_explicit(&slot->turn, next_lap, memory_order_release); /* M2 */
}

#endif
