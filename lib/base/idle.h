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
 * The first few looks follow each other at once (about a microsecond), the next after giving the
 * core to any thread that wants it (four times; where cores are free, for the event's awake_us),
 * and all later ones after a sleep that lasts about 1/8 of the time without work, so that work waits
 * at most 1/8 longer than it took to come, and never more than GRAVEL_IDLE_MAX_NS. The thread sleeps
 * on an event, for those who can signal: every look is
 * made between prepare and wait, so a signal is never lost.
 *
 * Path:    aggregator and network loops -> idle -> event.c; its counters -> gravel_stats_read.
 * Owner:   the one thread that waits; zero-filled is ready to use, and nothing needs to be freed.
 * Threads: reset and wait: the owner; the counters: any.
 * Source:  Orr 2016, section 5.5: its aggregator polled 65% of the time; this one sleeps instead.
 */
#ifndef GRAVEL_BASE_IDLE_H
#define GRAVEL_BASE_IDLE_H

#include "base/event.h"

#define GRAVEL_IDLE_SPINS 16u /* looks with only a pause between them: about a microsecond */
#define GRAVEL_IDLE_YIELDS 4u /* looks after giving the core away, at least */
#define GRAVEL_IDLE_MIN_NS UINT64_C(20000)
#define GRAVEL_IDLE_MAX_NS UINT64_C(8000000)

struct gravel_idle {
    uint32_t round;             /* looks without work before the first sleep; 0: not idle */
    bool is_crowded;            /* the last yield took GRAVEL_CROWDED_NS */
    uint32_t key;               /* of the prepare under way, if event is not NULL */
    struct gravel_event *event; /* prepared for sleeping on, or NULL */
    uint64_t idle_since_ns; /* first look without work, or last signal; sets the length of sleeps */
    uint64_t awake_since_ns; /* start of the awake time that poll_ns does not contain yet */
    _Atomic uint64_t polls;  /* written by the owner, relaxed: counters order nothing */
    _Atomic uint64_t poll_ns;
};

/* End a time without work. */
void gravel_idle_end(struct gravel_idle *idle);

/** Work was found, or the thread stops waiting. Costs one test unless the thread was idle. */
static inline void gravel_idle_reset(struct gravel_idle *idle)
{
    if (idle->round)
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
