/* SPDX-License-Identifier: MIT */
/*
 * Enqueues kernels and remembers those under way, so that quiet can wait for them.
 *
 * Path:    gravel_launch -> launches.c -> the device; gravel_quiet -> gravel_launches_wait.
 * Threads: any.
 */
#ifndef GRAVEL_OPENCL_LAUNCHES_H
#define GRAVEL_OPENCL_LAUNCHES_H

#include "device/device.h"

#include <pthread.h>

/* A kernel that may still run. */
struct gravel_running {
    cl_event event; /* retained */
    char name[128]; /* of its function */
};

struct gravel_launches {
    pthread_mutex_t lock;
    struct gravel_running *kernels; /* [capacity] oldest first */
    uint32_t n, capacity;
    uint64_t abort_seen_ns; /* when a wait first saw that the node has failed; 0: none has */
};

/* How long to wait for one kernel. */
struct gravel_launches_limit {
    const _Atomic bool *aborted; /* the node has failed: kernels see that too, and should end */
    uint32_t timeout_ms;         /* longest wait after that */
    uint32_t kernel_limit_ms;    /* longest wait otherwise; 0 waits as long as the kernel runs */
    void (*watch)(
        void *context); /* looks after what kernels wait for, and may fail the node; or NULL */
    void *context;
};

void gravel_launches_init(struct gravel_launches *launches);
/** Forget all kernels, ended or not. */
void gravel_launches_destroy(struct gravel_launches *launches);

/** Remember a kernel by its event, which is retained. @return 0; GRAVEL_ENOMEM. */
int gravel_launches_add(struct gravel_launches *launches, cl_kernel kernel, cl_event event);

/**
 * Wait until every remembered kernel has ended, one after the other.
 *
 * @return  0; GRAVEL_ECL if one ended with an error; GRAVEL_EKERNEL if one did not end within the
 *          limit: it is named, and stays remembered, as do those after it.
 */
int gravel_launches_wait(struct gravel_launches *launches,
                         const struct gravel_launches_limit *limit);

/**
 * Wait for one event of a kernel, e.g. of a part of a launch, which need not be remembered.
 *
 * @return  0; GRAVEL_ECL if it ended with an error; GRAVEL_EKERNEL if it did not end within the
 *          limit.
 */
int gravel_launches_wait_for(struct gravel_launches *launches,
                             const struct gravel_launches_limit *limit, cl_kernel kernel,
                             cl_event event);

/** Whether a remembered kernel has not ended. */
bool gravel_launches_are_running(struct gravel_launches *launches);

#endif
