/* SPDX-License-Identifier: MIT */
/*
 * The door to the caller's command queue: every kernel that the library enqueues there passes it. What a launch is
 * checked for, and waits for, before any slice of it is enqueued, has one answer on all steps.
 *
 * Path:    launch.c, flow/host.c, steal/launch.c, mirror/share.c, accumulate/flush.c -> enqueue.h -> the device.
 * Threads: any.
 */
#ifndef GRAVEL_NODE_ENQUEUE_H
#define GRAVEL_NODE_ENQUEUE_H

#include "node/node.h"
#include "opencl/slice.h"

/* A kernel as a command. */
struct gravel_command {
    const char *call; /* the public call, for errors */
    cl_kernel kernel;
    cl_uint n_dimensions;
    const size_t *offset, *global, *local; /* [n_dimensions]; offset and local may be NULL */
    cl_uint n_wait;
    const cl_event *wait; /* [n_wait] */
    bool is_remembered;   /* quiet waits for it */
};

/**
 * Enqueue a kernel. One that may need more private memory than any before (opencl/objects.h) is enqueued when those
 * before it have ended.
 *
 * @param event  [out] NULL on failure.
 * @return       0; GRAVEL_ECL, naming the kernel; GRAVEL_ENOMEM; and what ended the wait: as gravel_launches_wait_for.
 */
int gravel_node_enqueue(struct gravel *gravel, const struct gravel_command *command,
                        cl_event *event);

/**
 * sizes.c: check the sizes of a launch, and take them, before a command is enqueued: a last group that the driver does
 * not take must not be found when all others have run.
 *
 * @param sizes   [out] of the whole launch; no groups if there is no work-item.
 * @param global  [n]
 * @param local   [n]; NULL: what the kernel requires, or else suits the device.
 * @return        0; GRAVEL_EINVAL, naming what is wrong and its value.
 */
int gravel_sizes_take(struct gravel_slicer *sizes, const struct gravel_device *device,
                      cl_kernel kernel, cl_uint n, const size_t *global, const size_t *local);

/**
 * launches.c: wait until all events have ended, and see what came before them. Only another thread can set a user
 * event of the list, or one that an event of the list waits for, and OpenCL does not say what an event waits for: the
 * wait has a bound for each that has not begun while no kernel of gravel_launch runs.
 *
 * @param call  the public call, for errors.
 * @return      0; GRAVEL_ETIMEOUT: an event has not begun for GRAVEL_TIMEOUT; GRAVEL_EKERNEL: one that has begun has
 *              not ended within GRAVEL_KERNEL_LIMIT; GRAVEL_ECL: it ended with an error; what ended the node. The text
 *              names the event.
 */
int gravel_wait_list(struct gravel *gravel, const char *call, cl_uint n, const cl_event *events);

/**
 * Waits until all commands on the caller's queue so far have ended or failed, gravel_launch's and others.
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

#define GRAVEL_PRIVATE_LEAST 1024u /* what a node asks for when it opens [bytes of a work-item] */

/**
 * Make the pool large enough for the programs built so far, so that their kernels may be enqueued behind any other,
 * also past the door. Waits for kernels under way if it is not. What fails is logged: each such kernel then waits at
 * the door.
 *
 * @param bytes  for a kernel [bytes of a work-item], or 0.
 */
void gravel_node_provide_private(struct gravel *gravel, uint64_t bytes);

#endif
