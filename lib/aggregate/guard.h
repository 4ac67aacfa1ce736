/* SPDX-License-Identifier: MIT */
/*
 * Ranges of the heap that objects use: none is freed before its object. A range of an accumulator is exclusive: while
 * words of it wait nothing else is to touch it, and in checked mode a message for it leaves a note for the next flush.
 *
 * Path:    aggregator.c, node/messages.c -> guard.c -> accumulate/flush.c; node/heap.c asks.
 * Owner:   an accumulator, a mirror, a block pool has its guards, of the same ranges at every node.
 * Threads: any; a lock.
 */
#ifndef GRAVEL_AGGREGATE_GUARD_H
#define GRAVEL_AGGREGATE_GUARD_H

#include "aggregate/check.h"

struct gravel_guard {
    const char *object;  /* "mirror", of the calls gravel_mirror_... */
    uint64_t begin, end; /* heap offsets [bytes] */
    bool is_exclusive;
    bool is_touched;
    char text[384]; /* by whom first, since the last take */
    struct gravel_guard *next;
};

/* Of a node; zero-filled: none. */
struct gravel_guards {
    pthread_mutex_t lock;
    struct gravel_guard *first;
};

void gravel_guards_add(struct gravel_guards *guards, struct gravel_guard *guard);
void gravel_guards_remove(struct gravel_guards *guards, const struct gravel_guard *guard);

/** @return the object that uses one of these bytes; NULL: none. */
const char *gravel_guards_object(struct gravel_guards *guards, uint64_t begin, uint64_t bytes);

/** Note that `what` reads or changes these bytes, at any node. */
void gravel_guards_touch(struct gravel_guards *guards, uint64_t begin, uint64_t bytes,
                         const char *what);

/** Note messages of a kernel. @param arrival  whose call it is, in checked mode; NULL: one work-item's. */
void gravel_guards_touch_columns(struct gravel_guards *guards, const struct gravel_columns *columns,
                                 struct gravel_check *check, const struct gravelp_arrival *arrival);

/** Returns whether the range has been touched since the last take: `text` [bytes] says by whom. */
bool gravel_guard_take(struct gravel_guards *guards, struct gravel_guard *guard, char *text,
                       size_t bytes);

#endif
