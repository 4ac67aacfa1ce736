/* SPDX-License-Identifier: MIT */
/*
 * The events that hold up a launch, where the call itself waits for the launch: then only another thread can set a user
 * event of the list, or one that an event of the list waits for, and the wait for it has a bound. OpenCL does not tell
 * what an event waits for: the bound is for each that has not begun while no kernel of gravel_launch runs.
 *
 * Path:    launch.c -> wait_list.h -> opencl/wait.h.
 * Threads: any.
 */
#ifndef GRAVEL_NODE_WAIT_LIST_H
#define GRAVEL_NODE_WAIT_LIST_H

#include "node/node.h"

/**
 * Wait until all events have ended, and see what came before them.
 *
 * @param call  the public call, for errors.
 * @return      0; GRAVEL_ETIMEOUT: an event has not begun for GRAVEL_TIMEOUT; GRAVEL_EKERNEL: one that has begun has
 *              not ended within GRAVEL_KERNEL_LIMIT; GRAVEL_ECL: it ended with an error; what ended the node. The text
 *              names the event.
 */
int gravel_wait_list(struct gravel *gravel, const char *call, cl_uint n, const cl_event *events);

#endif
