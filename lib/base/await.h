/* SPDX-License-Identifier: MIT */
/*
 * Waits, with a limit. Every thread that does nothing but wait does it by this loop:
 *
 *     struct gravel_wait wait = {.limit = ..., .what = "copying packages", .event = ...};
 *     while (it has not come && !(code = gravel_wait_pause(&wait)))
 *         ;
 *     gravel_wait_end(&wait);
 *
 * The thread gives its core away for a while. Then it sleeps between two looks: until the event is signalled, or, where
 * nothing signals, for a part of the wait so far. Before each sleep it asks whether it may continue: a limit is a time,
 * or a function that knows what excuses a delay. timeouts.h has the times.
 *
 * Path:    lib/opencl/wait.h, which waits for commands, and all other waits -> await.h -> node/limits.c.
 * Owner:   the thread that waits; what is not named is 0 as it begins.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_AWAIT_H
#define GRAVEL_BASE_AWAIT_H

#include "base/awake.h"
#include "base/event.h"
#include "base/lived.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define GRAVEL_WAIT_YIELDS \
    4u /* for an event, at least: most jobs of the network thread are short */

struct gravel_wait;

/* How long a wait may last; zero-filled: it has no limit of its own. */
struct gravel_limit {
    uint64_t ns; /* without `check`: since the wait began, or since gravel_wait_renew */
    int (*check)(void *context, struct gravel_wait *wait); /* 0 to keep waiting, or why not */
    void *context;
    void (*keep)(void *context); /* memory stays: the device may use it without end; or NULL */
    uint64_t yields_ns; /* of looks before the first sleep; 0: as for copies, which are short */
};

/* How long a wait has lasted, for a thread that had its turns. */
struct gravel_waited {
    struct gravel_lived lived;
    uint64_t alone_ns; /* of it when nothing was left that excuses the device */
    uint64_t limit_ns; /* from then; 0: `check` sets it at the first look */
};

struct gravel_wait {
    struct gravel_limit limit;
    const char *what;           /* for the error: "copying packages from the device" */
    struct gravel_event *event; /* is signalled when it may have come; NULL: looks find out */
    uint64_t look_ns; /* longest sleep on it, which grows, for signals that come late; 0: 250 ms */
    struct gravel_waited waited;
    struct gravel_awake awake; /* since the first pause, or the last signal if sleeps grow */
    uint32_t n_yields;         /* beyond the time to stay awake */
    uint64_t rested_ns;        /* asleep, or while another thread had the core */
    bool is_prepared;          /* to sleep on the event, with this key */
    uint32_t key;
};

/** Whether a wait may continue. @return 0; what its limit says, text set; of a time GRAVEL_ETIMEOUT alone. */
int gravel_wait_check(struct gravel_wait *wait);

/** Between two looks: yield at first, then check and sleep. @return as the check. */
int gravel_wait_pause(struct gravel_wait *wait);

/** Note that what is waited for has got nearer: a limit that is a time begins anew. */
static inline void gravel_wait_renew(struct gravel_wait *wait)
{
    wait->waited = (struct gravel_waited){.alone_ns = 0};
}

/** After the last look, of a wait with an event. */
static inline void gravel_wait_end(struct gravel_wait *wait)
{
    if (wait->is_prepared)
        gravel_event_cancel(wait->event);
    wait->is_prepared = false;
}

/** Take a lock that another wait may keep: yields, then a try each 20 us. @return as gravel_wait_check; then it is not
 * taken. */
int gravel_wait_lock(struct gravel_wait *wait, pthread_mutex_t *lock);

#endif
