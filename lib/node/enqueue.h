/* SPDX-License-Identifier: MIT */
/*
 * The door to the caller's command queue: every kernel that the library enqueues there passes it.
 *
 * Path:    launch.c, flow/host.c, steal/launch.c, mirror/share.c, accumulate/flush.c -> enqueue.h -> the device.
 * Threads: any.
 */
#ifndef GRAVEL_NODE_ENQUEUE_H
#define GRAVEL_NODE_ENQUEUE_H

#include "node/node.h"

/* A kernel as a command. */
struct gravel_command {
    const char *call; /* the public call, for errors */
    cl_kernel kernel;
    cl_uint n_dimensions;
    const size_t *offset, *global, *local; /* [n_dimensions]; offset and local may be NULL */
};

/**
 * Enqueue a kernel. One that may need more private memory than any before (opencl/private.h) is enqueued when those
 * before it have ended.
 *
 * @param event  [out] NULL on failure.
 * @return       0; GRAVEL_ECL, naming the kernel; and what ended the wait: as gravel_launches_wait_for.
 */
int gravel_node_enqueue(struct gravel *gravel, const struct gravel_command *command, cl_uint n_wait,
                        const cl_event *wait, cl_event *event);

/** Enqueue as gravel_node_enqueue a kernel for which quiet waits. @return also GRAVEL_ENOMEM: it was not enqueued. */
int gravel_node_enqueue_remembered(struct gravel *gravel, const struct gravel_command *command,
                                   cl_uint n_wait, const cl_event *wait, cl_event *event);

/**
 * Enqueue a kernel of the library's that waits for nothing, so that it is one command on every step.
 *
 * @param n_items       work-items, rounded up to whole groups; 0 is nothing to do.
 * @param changes_heap  quiet is to wait for it.
 * @return              as gravel_node_enqueue; GRAVEL_ENOMEM.
 */
int gravel_node_enqueue_own(struct gravel *gravel, const char *call, cl_kernel kernel,
                            uint64_t n_items, size_t group, bool changes_heap);

/**
 * Wait until all commands on the caller's queue so far have ended, well or not, gravel_launch's and others.
 *
 * @param what  it is for, for the error: "before one that needs more private memory".
 * @return      0; GRAVEL_ECL; what ended the wait: as gravel_launches_wait_for.
 */
int gravel_node_wait_until_idle(struct gravel *gravel, const char *what);

/**
 * Before device memory is made: a driver with a pool of private memory also waits for an idle device to make a buffer,
 * and keeps all other threads out. Wait until the kernels on the caller's queue have ended, and let none begin.
 * Elsewhere, do nothing.
 *
 * @param what  it is for, for the error: "before a flow's memory".
 * @return      0, and gravel_node_let_launches is due; as gravel_node_wait_until_idle.
 */
int gravel_node_hold_launches(struct gravel *gravel, const char *what);
void gravel_node_let_launches(struct gravel *gravel);

/** Learn what the driver says of private memory, and ask for some. The node opens: nothing else runs. */
void gravel_node_open_private(struct gravel *gravel);

/**
 * Make the pool large enough for the programs built so far, so that their kernels may be enqueued behind any other,
 * also past the door. Waits for kernels under way if it is not. What fails is logged: each such kernel then waits at
 * the door.
 *
 * @param bytes  for a kernel [bytes of a work-item], or 0.
 */
void gravel_node_provide_private(struct gravel *gravel, uint64_t bytes);

#endif
