/* SPDX-License-Identifier: MIT */
/*
 * Waits, with a limit. Every thread that does nothing but wait does it by this loop:
 *
 *     struct gravel_wait wait = {.limit = ..., .what = "copying packages", .event = ...};
 *     while (it has not come && !(code = gravel_wait_pause(&wait)))
 *         ;
 *     gravel_wait_end(&wait);
 *
 * The thread gives its core away for a while. Then it sleeps between two polls: until the event is signalled, or, where
 * nothing signals, for a part of the wait so far. Before each sleep it asks whether it may continue: a limit is a time,
 * or a function that knows what excuses a delay. timeouts.h has the times.
 *
 * Path:    lib/opencl/wait.h, which waits for commands, and all other waits -> await.h -> node/limits.c.
 * Owner:   the thread that waits; what is not named is 0 as it begins.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_AWAIT_H
#define GRAVEL_BASE_AWAIT_H

#include "base/clock.h"
#include "base/event.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- yields: looks for what may come soon, while cores are free, before a thread sleeps ---- */

/* A longer yield ran a thread that has work: cores are not free. Without a thread to run it takes under 1 us, and some
 * 30 us where the machine is a guest whose host is busy. */
#define GRAVEL_CROWDED_NS UINT64_C(100000)

struct gravel_awake {
    uint64_t begin_ns; /* 0 before the first yield */
    uint64_t yield_ns; /* how long the last yield took */
};

/** Give the core to any thread that wants it. */
static inline void gravel_awake_give(struct gravel_awake *awake)
{
    const uint64_t before_ns = gravel_clock_ns();
    sched_yield();
    awake->yield_ns = gravel_clock_ns() - before_ns;
}

/** Give the core as gravel_awake_give does. @return false, and the core was not given, if it is time to sleep. */
static inline bool gravel_awake_yield(struct gravel_awake *awake, uint64_t most_ns)
{
    const uint64_t now_ns = most_ns ? gravel_clock_ns() : 0;
    if (awake->begin_ns == 0)
        awake->begin_ns = now_ns;
    if (now_ns - awake->begin_ns >= most_ns || awake->yield_ns > GRAVEL_CROWDED_NS)
        return false;
    gravel_awake_give(awake);
    return true;
}

/* ---- waits ---- */

/* For an event, at least: most jobs of the network thread are short. */
#define GRAVEL_WAIT_YIELDS 4u

struct gravel_wait;

/* How long a wait may last; zero-filled: it has no limit of its own. */
struct gravel_limit {
    uint64_t ns; /* without `check`: since the wait began, or since gravel_wait_renew */
    int (*check)(void *context, struct gravel_wait *wait); /* 0 to keep waiting, or why not */
    void *context;
    void (*keep)(void *context); /* memory stays: the device may use it without end; or NULL */
    uint64_t yields_ns; /* of polls before the first sleep; 0: as for copies, which are short */
};

/* How long a wait has lasted, for a thread that was scheduled. */
struct gravel_waited {
    struct gravel_lived lived;
    uint64_t alone_ns; /* of it when nothing was left that excuses the device */
    uint64_t limit_ns; /* from then; 0: `check` sets it at the first poll */
};

struct gravel_wait {
    struct gravel_limit limit;
    const char *what;           /* for the error: "copying packages from the device" */
    struct gravel_event *event; /* is signalled when it may have come; NULL: polls find out */
    uint64_t poll_ns; /* longest sleep on it, which grows, for signals that come late; 0: 250 ms */
    struct gravel_waited waited;
    struct gravel_awake awake; /* since the first pause, or the last signal if sleeps grow */
    uint32_t n_yields;         /* beyond the time to stay awake */
    uint64_t rested_ns;        /* asleep, or while another thread had the core */
    bool is_prepared;          /* to sleep on the event, with this key */
    uint32_t key;
};

/** Checks whether a wait may continue. @return 0; what its limit says, text set; of a time GRAVEL_ETIMEOUT alone. */
int gravel_wait_check(struct gravel_wait *wait);

/** Waits between two polls: yields at first, then checks and sleeps. @return as the check. */
int gravel_wait_pause(struct gravel_wait *wait);

/** Note that what is waited for has got nearer: a limit that is a time begins anew. */
static inline void gravel_wait_renew(struct gravel_wait *wait)
{
    wait->waited = (struct gravel_waited){.alone_ns = 0};
}

/** Ends a wait with an event, after its last poll. */
static inline void gravel_wait_end(struct gravel_wait *wait)
{
    if (wait->is_prepared)
        gravel_event_cancel(wait->event);
    wait->is_prepared = false;
}

/** Take a lock that another wait may keep: yields, then a try each 20 us. @return as gravel_wait_check; then it is not
 * taken. */
int gravel_wait_lock(struct gravel_wait *wait, pthread_mutex_t *lock);

/* ---- loops: how a thread that has other work waits for what no thread signals, a device queue or the network ----
 *
 *     for (;;) {
 *         if (look for work and do it)
 *             gravel_idle_reset(&idle);
 *         else
 *             gravel_idle_wait(&idle, &event, time until the next deadline);
 *     }
 *     gravel_idle_reset(&idle);
 *
 * The first few polls follow each other at once; then the thread waits as above, with sleeps that last 1/8 of the time
 * without work, so that work waits at most 1/8 longer than it took to come. Every poll is made between prepare and
 * sleep, so no signal of the event is lost. Orr 2016, section 5.5: its aggregator polled 65 % of the time. */

#define GRAVEL_IDLE_SPINS 16u /* polls with only a pause between them: about a microsecond */
#define GRAVEL_IDLE_MAX_NS UINT64_C(8000000) /* longest sleep */

/* The wait of one thread; filled with zeros it is ready for use. Any thread reads the counters. */
struct gravel_idle {
    struct gravel_wait wait;
    uint32_t n_spins;       /* polls so far with only a pause between them; 0: not idle */
    uint64_t counted_ns;    /* when poll_ns was complete */
    _Atomic uint64_t polls; /* counter: polls that found nothing */
    /* Counter: time awake with nothing to do; over the life of the thread it is the poll ratio. Leaves out what the
     * system takes to put the thread to sleep and wake it, and the time of threads it yielded to. */
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
 * Waits a little when no work was found, for longer and longer, then lets the caller poll again.
 *
 * @param event     wakes the thread when signalled; the same one until the next reset.
 * @param limit_ns  longest sleep [ns], e.g. time until a buffer must leave; 0 does not sleep.
 */
void gravel_idle_wait(struct gravel_idle *idle, struct gravel_event *event, uint64_t limit_ns);

#endif
