/* SPDX-License-Identifier: MIT */
/*
 * Ranges of the heap that belong to accumulators: none is freed before them, and nothing else is to touch one while
 * words of it wait. In checked mode who sends a message for one leaves a note, which the next flush reads.
 *
 * Path:    aggregator.c, node/messages.c -> guard.c -> accumulate/flush.c; node/heap.c asks.
 * Owner:   an accumulator has its guard.
 * Threads: any; a lock.
 */
#ifndef GRAVEL_AGGREGATE_GUARD_H
#define GRAVEL_AGGREGATE_GUARD_H

#include "aggregate/sender.h"

#include <pthread.h>
#include <stdbool.h>

struct gravel_guard {
    uint64_t begin, end; /* heap offsets [bytes] */
    bool is_touched;
    char text[384]; /* by whom first, since the last take */
    struct gravel_guard *next;
};

/* Of a node; zero-filled but for the lock. */
struct gravel_guards {
    pthread_mutex_t lock;
    struct gravel_guard *first;
};

void gravel_guards_add(struct gravel_guards *guards, struct gravel_guard *guard);
void gravel_guards_remove(struct gravel_guards *guards, const struct gravel_guard *guard);

/** Whether one of these bytes is of a range. */
bool gravel_guards_have(struct gravel_guards *guards, uint64_t begin, uint64_t bytes);

/** `what` reads or changes these bytes, at any node. */
void gravel_guards_touch(struct gravel_guards *guards, uint64_t begin, uint64_t bytes,
                         const char *what);

/** Messages of a kernel, if they have elements. @param who  "kernel count, work-group at (128)" */
void gravel_guards_touch_columns(struct gravel_guards *guards, const struct gravel_columns *columns,
                                 const char *who);

/** Whether the range has been touched since the last take: `text` [bytes] says by whom. */
bool gravel_guard_take(struct gravel_guards *guards, struct gravel_guard *guard, char *text,
                       size_t bytes);

#endif
