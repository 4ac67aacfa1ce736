/* SPDX-License-Identifier: MIT */
/*
 * A list of node buffers: any threads push, and one thread takes them in the order in which they were pushed.
 *
 *     pushed: newest -> ... -> oldest        gather reverses what was pushed           in hand: oldest -> ... -> newest
 *
 * No thread waits, and there is no capacity: a buffer has its own link. What others push is taken all at once, never
 * one by one, so that a buffer which comes again is not mistaken for an older one.
 *
 * Path:    sender.c -> network thread (network.c); network thread -> pool (pool.c).
 * Owner:   the list has its buffers; zeroed it is empty. Who drops it takes them first.
 * Threads: push: any; all other calls: one at a time.
 */
#ifndef GRAVEL_TRANSPORT_LIST_H
#define GRAVEL_TRANSPORT_LIST_H

#include "base/counter.h"
#include "transport/buffer.h"

#include <stdatomic.h>
#include <stddef.h>

struct gravel_list {
    _Atomic(struct gravel_buffer *) newest; /* M3: pushed, and not yet gathered */
    struct gravel_buffer *in_hand;          /* gathered, oldest first */
    _Atomic uint64_t n_gathers;             /* counter: that found some */
};

/**
 * Append a buffer.
 *
 * Memory:  release M3 pairs with acquire M3 in gravel_list_gather, which sees the buffer's contents; pushes are
 *          read-modify-writes, so it sees those of all buffers behind the newest as well.
 */
static inline void gravel_list_push(struct gravel_list *list, struct gravel_buffer *buffer)
{
    buffer->next = atomic_load_explicit(&list->newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&list->newest, &buffer->next, buffer,
                                                  memory_order_release, /* M3 */
                                                  memory_order_relaxed))
        ;
}

/** Take over what has been pushed; nothing is in hand. @return whether there is any. */
static inline bool gravel_list_gather(struct gravel_list *list)
{
    if (!atomic_load_explicit(&list->newest, memory_order_relaxed)) /* the exchange orders */
        return false;
    struct gravel_buffer *buffer =
        atomic_exchange_explicit(&list->newest, NULL, memory_order_acquire); /* M3 */
    gravel_counter_add(&list->n_gathers, 1);
    while (buffer) {
        struct gravel_buffer *older = buffer->next;
        buffer->next = list->in_hand;
        list->in_hand = buffer;
        buffer = older;
    }
    return true;
}

/** Returns whether all that was pushed has been gathered. Any thread: it orders nothing, and may be over at once. */
static inline bool gravel_list_is_gathered(const struct gravel_list *list)
{
    return !atomic_load_explicit(&list->newest, memory_order_relaxed); /* nothing is read by it */
}

/** Returns the oldest in hand, or NULL. */
static inline struct gravel_buffer *gravel_list_next(struct gravel_list *list)
{
    struct gravel_buffer *buffer = list->in_hand;
    if (buffer)
        list->in_hand = buffer->next;
    return buffer;
}

/** Returns the oldest there is, or NULL. */
static inline struct gravel_buffer *gravel_list_take(struct gravel_list *list)
{
    if (!list->in_hand)
        gravel_list_gather(list);
    return gravel_list_next(list);
}

/* Buffers in order, of one thread: zeroed it is empty. */
struct gravel_fifo {
    struct gravel_buffer *first, *last; /* last: means nothing if it is empty */
};

/** Append a buffer. */
static inline void gravel_fifo_push(struct gravel_fifo *fifo, struct gravel_buffer *buffer)
{
    buffer->next = NULL;
    *(fifo->first ? &fifo->last->next : &fifo->first) = buffer;
    fifo->last = buffer;
}

/** Take the oldest, or NULL. */
static inline struct gravel_buffer *gravel_fifo_pop(struct gravel_fifo *fifo)
{
    struct gravel_buffer *buffer = fifo->first;
    fifo->first = buffer ? buffer->next : NULL;
    return buffer;
}

#endif
