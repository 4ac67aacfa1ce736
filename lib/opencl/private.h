/* SPDX-License-Identifier: MIT */
/*
 * Private memory of work-items, where the driver keeps it in one pool that grows with the kernel that needs most.
 *
 * A driver may wait for an idle device before its pool grows, and keep all other threads out while it waits (NVIDIA's
 * does): behind a kernel that waits for the host that wait has no end. So a kernel that may make the pool grow is
 * enqueued when no other runs; and as the pool never shrinks, a kernel of ours makes it large enough for a program as
 * soon as that is built.
 *
 * Path:    program.c, which notes what programs need -> private.h -> node/enqueue.c, the door to the caller's queue.
 * Owner:   the node; it retains the programs of kernels that it remembers.
 * Threads: any, one at a time through `lock`; `wanted` alone is read and written without it.
 */
#ifndef GRAVEL_OPENCL_PRIVATE_H
#define GRAVEL_OPENCL_PRIVATE_H

#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>

#define GRAVEL_PRIVATE_LEAST 1024u /* what a node asks for when it opens [bytes of a work-item] */
#define GRAVEL_PRIVATE_BLIND 4096u /* instead, where the driver does not say what kernels need */

struct gravel_private_kernel;

struct gravel_private {
    pthread_mutex_t lock;    /* from the question whether a kernel fits until it is enqueued */
    bool is_pooled;          /* there may be a pool, and kernels wait for the host */
    bool is_told;            /* CL_KERNEL_PRIVATE_MEM_SIZE counts arrays */
    uint64_t bytes;          /* of a work-item, that the pool has */
    _Atomic uint64_t wanted; /* of programs built so far; relaxed: a hint */
    struct gravel_private_kernel *kernels; /* that have run, where the driver does not tell sizes */
};

void gravel_private_init(struct gravel_private *pool);
void gravel_private_destroy(struct gravel_private *pool);

/** Return what the driver says that a kernel needs [bytes of a work-item]; 0 if it does not say. */
uint64_t gravel_private_bytes(const struct gravel_device *device, cl_kernel kernel);

/** Note what a program's kernels need. @param pool  NULL is allowed. */
void gravel_private_note(struct gravel_private *pool, const struct gravel_device *device,
                         cl_program program);

/** Whether a kernel runs without more memory than the pool has. The lock is held. */
bool gravel_private_fits(const struct gravel_private *pool, const struct gravel_device *device,
                         cl_kernel kernel);

/** The pool has what a kernel needs, now that it has been enqueued. The lock is held. */
void gravel_private_grow(struct gravel_private *pool, const struct gravel_device *device,
                         cl_kernel kernel);

/**
 * Make a kernel that needs so much private memory and does nothing; its arguments are set.
 *
 * @param bytes  [bytes of a work-item] rounded up to a multiple of 256.
 * @return       0; GRAVEL_EBUILD, GRAVEL_ECL: it is more than the device has.
 */
int gravel_private_make(const struct gravel_device *device, uint64_t bytes, cl_kernel *kernel);

#endif
