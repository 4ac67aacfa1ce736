/* SPDX-License-Identifier: MIT */
/*
 * The host side of the work-group-level producer/consumer queue: peek and release.
 *
 * Path:    cl/device/queue.cl.h (reserve, publish) -> package.h -> lib/aggregate/aggregator.c.
 * Owner:   the queue lies in the arena; this struct is its one consumer's view of it.
 * Threads: one consumer; any for gravel_package_queue_reserved.
 * Memory:  C1 acquires what a leader released by P2. C2 releases our reads of the slot to P1.
 * Source:  Orr 2016, section A.2.3.
 */
#ifndef GRAVEL_MEMORY_PACKAGE_H
#define GRAVEL_MEMORY_PACKAGE_H

#include "base/clock.h"
#include "base/unseen.h"
#include "base/counter.h"
#include "layout/arena.h"
#include "layout/package.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Command of a package that represents a block (lib/pump/block.h), in the slot of the run's first ticket: n_messages
 * is the block's room, stride the tickets it covers. The pump alone writes it, and makes it 0 where a kernel did.
 */
#define GRAVEL_BINNED 0xb1u

/* Of one that represents packages that the device has applied (lib/pump/drain.c): n_messages are theirs, stride the
 * tickets it covers. As GRAVEL_BINNED, the pump's. */
#define GRAVEL_APPLIED 0xb2u

struct gravel_package_queue {
    struct gravelp_queue_words *words;
    unsigned char *slots; /* [n_slots][slot_bytes] */
    uint32_t n_slots;     /* a power of two */
    uint32_t slot_bytes;
    uint32_t head; /* tickets consumed; the same as words->consumed, which we alone write */
    const uint32_t *arrived;
    /* where the slots are a mirror: tickets the pump has brought; else NULL */
    const uint32_t *polls; /* U6: of the pump, where the slots are a mirror; else NULL */
    uint32_t *held;        /* U8: where the slots are a mirror; else NULL */
    const _Atomic uint32_t *unanswered;
    /* U10: of the network: whether functions that block are asked; or NULL */
    struct gravel_lived clock;
    /* what gravel_package_beat shows; its step is of the arena's wait_ms */
};

/** Makes the clock that waits of kernels go by. @return what its owner ticks. */
static inline struct gravel_lived gravel_package_clock(const struct gravelp_arena *arena)
{
    return gravel_lived_for(arena->wait_ms * GRAVEL_NS_PER_MS);
}

/** Return the clock as kernels take it [ms]: never 0, which they take for no clock. */
static inline uint32_t gravel_package_time(struct gravel_lived *clock, uint64_t now_ns)
{
    return (uint32_t)(gravel_lived_tick(clock, now_ns) / GRAVEL_NS_PER_MS) | 1u;
}

/** Returns the slot of a ticket. */
static inline struct gravelp_package *gravel_package_slot(const struct gravel_package_queue *queue,
                                                          uint32_t ticket)
{
    size_t slot = ticket & (queue->n_slots - 1);
    return (struct gravelp_package *)(queue->slots + slot * queue->slot_bytes);
}

/** Returns the next package, or NULL if it is not published, or not brought, yet. */
static inline const struct gravelp_package *
gravel_package_peek(const struct gravel_package_queue *queue)
{
    if (queue->arrived && gravel_word_load(queue->arrived, memory_order_acquire) ==
                              queue->head) /* U2, pairs with U1 */
        return NULL;
    struct gravelp_package *package = gravel_package_slot(queue, queue->head);
    uint32_t published = gravel_word_load(&package->published, memory_order_acquire); /* C1 */
    if (published != queue->head + 1)
        return NULL;
    gravel_unseen_package(queue->words);
    return package;
}

/** Give the slots of n tickets, from the package last peeked on, back to the leaders. */
static inline void gravel_package_release(struct gravel_package_queue *queue, uint32_t n)
{
    queue->head += n;
    gravel_word_store(&queue->words->consumed, queue->head, memory_order_release); /* C2 */
}

/** Renews the limits of kernels that wait: the host waits for what has a limit of its own. */
static inline void gravel_package_renew(struct gravel_package_queue *queue)
{
    gravel_word_store(&queue->words->renewed, queue->words->renewed + 1,
                      memory_order_relaxed); /* H14 */
}

/** Returns whether a question of this node's kernels is with a function that blocks. @param unanswered  or NULL */
static inline bool gravel_package_is_unanswered(const _Atomic uint32_t *unanswered)
{
    return unanswered && atomic_load_explicit(unanswered, memory_order_relaxed); /* U10 */
}

/** Show kernels that wait how long we have lived. Never back, for they take differences. */
static inline void gravel_package_beat(struct gravel_package_queue *queue, uint64_t now_ns)
{
    if (gravel_package_is_unanswered(queue->unanswered))
        gravel_package_renew(queue);
    gravel_word_store(&queue->words->beat, gravel_package_time(&queue->clock, now_ns),
                      memory_order_relaxed); /* H6 */
}

/** Publishes whether the consumer waits for what has its own limit: none of the pump's runs out before that does. */
static inline void gravel_package_hold(struct gravel_package_queue *queue, bool is_held)
{
    if (queue->held)
        gravel_word_store(queue->held, is_held, memory_order_relaxed); /* U8 */
}

/**
 * Returns the tickets taken so far. Packages of a kernel are all counted once the host knows that it has ended.
 *
 * Memory:  relaxed; the end of the kernel (clWaitForEvents) or C1 orders it.
 */
static inline uint32_t gravel_package_reserved(const struct gravel_package_queue *queue)
{
    return gravel_word_load(&queue->words->reserved, memory_order_relaxed);
}

/** Returns the sessions that groups have begun, less those that they have ended; wraps. Orders nothing. */
static inline uint32_t gravel_package_sessions(const struct gravel_package_queue *queue)
{
    return gravel_word_load(&queue->words->sessions, memory_order_relaxed); /* A8 */
}

#endif
