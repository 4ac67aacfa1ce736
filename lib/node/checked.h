/* SPDX-License-Identifier: MIT */
/*
 * Checked mode's part of host calls: what has been launched, and which wait has covered it.
 *
 * So gravel_map can refuse to show what may not be there yet, and the aggregators know when a group's calls are final:
 * threads may launch and wait side by side.
 *
 * Path:    launch.c, waits.c -> checked.c -> maps.c, lib/aggregate/aggregator.c.
 * Threads: any; one lock.
 */
#ifndef GRAVEL_NODE_CHECKED_H
#define GRAVEL_NODE_CHECKED_H

#include "gravel/gravel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gravel_checked {
    pthread_mutex_t lock;
    uint64_t n_begun, n_ended; /* calls that launch */
    uint64_t n_over;           /* of n_begun: their kernels are known to have ended */
    uint64_t n_writable;       /* maps that were not only to be read */
    uint64_t n_launched;       /* of n_begun: kernels that have been enqueued */
    uint64_t n_applied;        /* of n_launched: a quiet or barrier covers them */
    char last[128];            /* the kernel launched last */
};

/* How far the node was when a wait began. */
struct gravel_checked_mark {
    uint64_t n_begun, n_launched;
    bool is_between; /* no call that launches was under way */
};

/** Around a call that launches. @param kernel  that has been enqueued; NULL: none. */
void gravel_checked_begin_launch(struct gravel *gravel);
void gravel_checked_end_launch(struct gravel *gravel, cl_kernel kernel);

/** A wait begins; has seen all kernels end, and then also what they sent applied. */
struct gravel_checked_mark gravel_checked_mark(struct gravel *gravel);
void gravel_checked_note(struct gravel *gravel, const struct gravel_checked_mark *mark,
                         bool are_applied);

/** Whether all kernels have ended that the node has launched; `context` is the node. */
bool gravel_checked_are_over(void *context);

/** GRAVEL_EINVAL, and what may not be applied yet, if the heap is not to be mapped now; else 0. */
int gravel_checked_refuse_map(struct gravel *gravel, const char *call);

#endif
