/* SPDX-License-Identifier: MIT */
/*
 * Kernels under way: those that may still run, and how many of the node's launches a wait has seen end.
 *
 * Path:    launch.c, enqueue.c, waits.c -> launches.c.
 * Threads: any.
 */
#ifndef GRAVEL_NODE_LAUNCHES_H
#define GRAVEL_NODE_LAUNCHES_H

#include "base/await.h"
#include "opencl/objects.h"

#include <pthread.h>

struct gravel;

/* A kernel that may still run. */
struct gravel_running {
    cl_event event;  /* retained */
    uint64_t number; /* rises from 1 */
    char name[GRAVEL_KERNEL_NAME_BYTES];
};

struct gravel_launches {
    pthread_mutex_t lock;
    struct gravel_running *kernels; /* [capacity] oldest first */
    uint32_t n, n_reserved, capacity;
    uint64_t n_filled; /* so far */
};

/* What has been launched, and which wait has covered it. */
struct gravel_launch_counts {
    uint64_t n_begun, n_ended;           /* calls that launch */
    uint64_t n_over;                     /* of n_begun: their kernels are known to have ended */
    uint64_t n_launched;                 /* of n_begun: kernels that have been enqueued */
    uint64_t n_applied;                  /* of n_launched: a quiet or barrier covers them */
    char last[GRAVEL_KERNEL_NAME_BYTES]; /* the kernel launched last, in checked mode */
};

/** Forget all kernels, ended or not. */
void gravel_launches_destroy(struct gravel_launches *launches);

/** Keep room for a kernel that is about to be enqueued: if it runs, it is remembered. @return 0; GRAVEL_ENOMEM. */
int gravel_launches_reserve(struct gravel_launches *launches);

/** Remember it, in the room kept, by its event, which is retained. @param event  NULL: it was not enqueued. */
void gravel_launches_fill(struct gravel_launches *launches, cl_kernel kernel, cl_event event);

/**
 * Wait until every remembered kernel has ended, one after the other.
 *
 * @param limit  of the wait for each, whose `what` is the kernel's name.
 * @return       0; GRAVEL_ECL if one ended with an error; GRAVEL_EKERNEL if one did not end within the limit, or the
 *               driver does not say whether it has: it stays remembered, as do those after it.
 */
int gravel_launches_wait(struct gravel_launches *launches, struct gravel_limit limit);

/**
 * Wait for one event of a kernel, e.g. of a part of a launch, which need not be remembered.
 *
 * @return  as gravel_launches_wait.
 */
int gravel_launches_wait_for(cl_kernel kernel, cl_event event, struct gravel_limit limit);

/**
 * Returns whether a remembered kernel has not ended.
 *
 * @param if_unknown  the answer for one of which the driver does not say: true, as it may still use memory; false, as
 *                    what waits behind it may be stuck.
 */
bool gravel_launches_are_running(struct gravel_launches *launches, bool if_unknown);

/* ---- of a node: what a wait has seen ------------------------------------------------------------------- */

/** Around a call that launches. @param kernel  that has been enqueued; NULL: none. */
void gravel_checked_begin_launch(struct gravel *gravel);
void gravel_checked_end_launch(struct gravel *gravel, cl_kernel kernel);

/** Returns how far the node is, as a wait begins. */
struct gravel_launch_counts gravel_checked_read(struct gravel *gravel);
/** Notes that all kernels have ended that were launched before a wait, or that what they sent is applied too.
 * @param mark  of the wait's beginning. */
void gravel_checked_note(struct gravel *gravel, const struct gravel_launch_counts *mark,
                         bool are_applied);
/** Returns whether all kernels have ended that the node has launched; `context` is the node. */
bool gravel_checked_are_over(void *context);

/** Return GRAVEL_EINVAL, and what may not be applied yet, if the heap is not to be mapped now; else 0. */
int gravel_checked_refuse_map(struct gravel *gravel, const char *call);

#endif
