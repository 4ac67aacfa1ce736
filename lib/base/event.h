/* SPDX-License-Identifier: MIT */
/*
 * Eventcount: lets threads sleep until a condition that they test themselves may have become true.
 *
 *     waiter:                                      signaller:
 *         key = gravel_event_prepare(e);               make the condition true;
 *         if (condition) gravel_event_cancel(e);       gravel_event_signal(e);
 *         else gravel_event_wait(e, key, timeout);
 *
 * No wake-up is lost. The waiter stores n_waiters and then reads the condition; the signaller
 * stores the condition and then reads n_waiters. This store-load (Dekker) shape is the one thing
 * that acquire and release do not order: both could read the old value, the waiter sleep and the
 * signaller not wake it. With a sequentially consistent fence between store and load on both sides
 * (E1), one of the two fences comes first and the other side's load then sees the store. If that is
 * the signaller's load, it advances the epoch: a waiter with the old key does not sleep (the futex
 * compares), and one with the new key sees the condition (E2).
 *
 * Path:    a stage that publishes -> event -> await.c, which sleep on it.
 * Owner:   the struct that embeds it; zero-filled is ready to use, and nothing needs to be freed.
 * Threads: any.
 * Source:  the eventcount of Reed and Kanodia (CACM 22(2), 1979), over the Linux futex.
 */
#ifndef GRAVEL_BASE_EVENT_H
#define GRAVEL_BASE_EVENT_H

#include "base/unseen.h"
#include "layout/base.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gravel_event {
    _Alignas(GRAVELP_CACHELINE) _Atomic uint32_t epoch; /* E2: signals that found a waiter; wraps */
    _Atomic uint32_t n_waiters; /* E1: threads between prepare and cancel or the end of wait */
    _Atomic uint32_t awake_us;
    /* a waiter may stay awake for that time before it sleeps; 0 where cores are few */
};

_Static_assert(sizeof(struct gravel_event) == GRAVELP_CACHELINE,
               "an event keeps its line to itself");

/**
 * Announce that this thread is about to sleep; then test the condition, then cancel or wait.
 *
 * @return  key for gravel_event_wait.
 *
 * Memory:  E1, sequentially consistent, for the reason above; pairs with E1 in gravel_event_signal.
 * Acquire E2 pairs with release E2 in gravel_event_wake.
 */
static inline uint32_t gravel_event_prepare(struct gravel_event *event)
{
    atomic_fetch_add_explicit(&event->n_waiters, 1, memory_order_seq_cst); /* E1 */
#ifndef GRAVEL_UNDER_TSAN /* which does not model fences: it gets a read-modify-write of the same strength */
    atomic_thread_fence(memory_order_seq_cst); /* E1 */
#endif
    return atomic_load_explicit(&event->epoch, memory_order_acquire); /* E2 */
}

/** Take a prepare back: the condition was true. Relaxed: a signal too many does no harm. */
static inline void gravel_event_cancel(struct gravel_event *event)
{
    atomic_fetch_sub_explicit(&event->n_waiters, 1, memory_order_relaxed);
}

/**
 * Sleep until a signal that follows the prepare which returned the key.
 *
 * @param key         from gravel_event_prepare, which this call ends.
 * @param timeout_ns  longest sleep [ns]; 0 does not sleep; UINT64_MAX sleeps without limit.
 * @return            true after a signal, false after the timeout. The condition must be tested
 * either way.
 *
 * Memory:  acquire E2 pairs with release E2 in gravel_event_wake.
 */
bool gravel_event_wait(struct gravel_event *event, uint32_t key, uint64_t timeout_ns);

/** Sets how long a waiter for the event may stay awake [us]. Any thread, at any time; orders nothing (H12). */
static inline void gravel_event_stay_awake(struct gravel_event *event, uint32_t awake_us)
{
    atomic_store_explicit(&event->awake_us, awake_us, memory_order_relaxed); /* H12 */
}

/* Wake all who wait: the part of gravel_event_signal that costs a system call. Release E2. */
void gravel_event_wake(struct gravel_event *event);

/**
 * Wake all threads that wait or are about to. Costs one fence and one load when there are none.
 *
 * Memory:  E1, sequentially consistent, for the reason above; pairs with E1 in
 * gravel_event_prepare.
 */
static inline void gravel_event_signal(struct gravel_event *event)
{
#ifndef GRAVEL_UNDER_TSAN
    atomic_thread_fence(memory_order_seq_cst); /* E1 */
    uint32_t n_waiters = atomic_load_explicit(&event->n_waiters, memory_order_relaxed);
#else
    uint32_t n_waiters =
        atomic_fetch_add_explicit(&event->n_waiters, 0, memory_order_seq_cst); /* E1 */
#endif
    if (n_waiters)
        gravel_event_wake(event);
}

#endif
