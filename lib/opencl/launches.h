/* SPDX-License-Identifier: MIT */
/*
 * Enqueues kernels and remembers those under way, so that quiet can wait for them.
 *
 * Path:    gravel_launch -> launches.c -> the device; gravel_quiet -> gravel_launches_wait.
 * Threads: any.
 */
#ifndef GRAVEL_OPENCL_LAUNCHES_H
#define GRAVEL_OPENCL_LAUNCHES_H

#include "base/clock.h"
#include "opencl/objects.h"

#include <pthread.h>

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
 * Whether a remembered kernel has not ended.
 *
 * @param if_unknown  the answer for one of which the driver does not say: true, as it may still use memory; false, as
 *                    what waits behind it may be stuck.
 */
bool gravel_launches_are_running(struct gravel_launches *launches, bool if_unknown);

#endif
