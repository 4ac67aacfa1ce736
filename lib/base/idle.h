/* SPDX-License-Identifier: MIT */
/*
 * How a host thread waits for what no thread signals: a device queue, the network.
 *
 *     for (;;) {
 *         if (look for work and do it)
 *             gravel_idle_reset(&idle);
 *         else
 *             gravel_idle_wait(&idle, &event, time until the next deadline);
 *     }
 *     gravel_idle_reset(&idle);
 *
 * The first few looks follow each other at once, for about a microsecond; then the thread waits as await.h says, with
 * sleeps that last 1/8 of the time without work, so that work waits at most 1/8 longer than it took to come, and never
 * more than GRAVEL_IDLE_MAX_NS. Every look is made between prepare and sleep, so no signal of the event is lost.
 *
 * Path:    aggregator and network loops -> idle -> await.c; its counters -> gravel_stats_read.
 * Owner:   the one thread that waits; zero-filled is ready to use, and nothing needs to be freed.
 * Threads: reset and wait: the owner; the counters: any.
 * Source:  Orr 2016, section 5.5: its aggregator polled 65% of the time; this one sleeps instead.
 */
#ifndef GRAVEL_BASE_IDLE_H
#define GRAVEL_BASE_IDLE_H

#include "base/await.h"

#define GRAVEL_IDLE_SPINS 16u /* looks with only a pause between them: about a microsecond */
#define GRAVEL_IDLE_MAX_NS UINT64_C(8000000)

struct gravel_idle {
    struct gravel_wait wait;
    uint32_t n_spins;       /* looks so far with only a pause between them; 0: not idle */
    uint64_t counted_ns;    /* when poll_ns was complete */
    _Atomic uint64_t polls; /* counters, as poll_ns */
    _Atomic uint64_t poll_ns;
};

/* End a time without work. */
void gravel_idle_end(struct gravel_idle *idle);

/** Work was found, or the thread stops waiting. Costs one test unless the thread was idle. */
static inline void gravel_idle_reset(struct gravel_idle *idle)
{
    if (idle->n_spins)
        gravel_idle_end(idle);
}

/**
 * No work was found: wait a little, for longer and longer, then let the caller look again.
 *
 * @param event     wakes the thread when signalled; the same one until the next reset.
 * @param limit_ns  longest sleep [ns], e.g. time until a buffer must leave; 0 does not sleep.
 */
void gravel_idle_wait(struct gravel_idle *idle, struct gravel_event *event, uint64_t limit_ns);

/** Looks that found nothing [count]. */
static inline uint64_t gravel_idle_polls(const struct gravel_idle *idle)
{
    return atomic_load_explicit(&idle->polls, memory_order_relaxed);
}

/**
 * Time awake with nothing to do [ns]; over the life of the thread it is the poll ratio. Leaves out
 * what the system takes to put the thread to sleep and wake it, and the time of threads it yielded
 * to.
 */
static inline uint64_t gravel_idle_poll_ns(const struct gravel_idle *idle)
{
    return atomic_load_explicit(&idle->poll_ns, memory_order_relaxed);
}

#endif
