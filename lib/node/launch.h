/* SPDX-License-Identifier: MIT */
/*
 * What a launch is checked for, and waits for, before any slice of it is enqueued, with one answer on all steps.
 *
 * Path:    launch.c -> launch.h -> sizes.c; wait_list.c -> opencl/wait.h.
 * Threads: any.
 */
#ifndef GRAVEL_NODE_LAUNCH_H
#define GRAVEL_NODE_LAUNCH_H

#include "node/node.h"

/* What a caller asks of a launch. */
struct gravel_sizes {
    cl_uint n_dimensions;
    const size_t *global, *local; /* [n_dimensions]; local NULL: not chosen */
    size_t kernels[3];            /* what the kernel's reqd_work_group_size says; 0: nothing */
    bool is_empty;                /* there is no work-item */
};

/**
 * sizes.c: check a launch, whose sizes are set. What the kernel requires becomes its local size.
 *
 * @return  0; GRAVEL_EINVAL, naming what is wrong and its value.
 */
int gravel_sizes_check(struct gravel_sizes *sizes, const struct gravel_device *device,
                       cl_kernel kernel);

/**
 * wait_list.c: wait until all events have ended, and see what came before them. Only another thread can set a user
 * event of the list, or one that an event of the list waits for, and OpenCL does not tell what an event waits for: the
 * wait has a bound for each that has not begun while no kernel of gravel_launch runs.
 *
 * @param call  the public call, for errors.
 * @return      0; GRAVEL_ETIMEOUT: an event has not begun for GRAVEL_TIMEOUT; GRAVEL_EKERNEL: one that has begun has
 *              not ended within GRAVEL_KERNEL_LIMIT; GRAVEL_ECL: it ended with an error; what ended the node. The text
 *              names the event.
 */
int gravel_wait_list(struct gravel *gravel, const char *call, cl_uint n, const cl_event *events);

#endif
