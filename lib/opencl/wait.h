/* SPDX-License-Identifier: MIT */
/*
 * Waits for the device, with a limit.
 *
 * OpenCL's own waits have none: a driver that has lost its device, or a kernel that never ends and keeps the device,
 * would hang the thread. These are waits of base/await.h, whose limit the device has.
 *
 * A command that a wait has given up may still end later, so the memory it reads or writes must stay; a node that has
 * given up once has failed, and leaves all of it behind.
 *
 * Path:    region.c, node/launches.c, lib/pump, lib/resolve/on_device -> wait.h -> node/limits.c, which has the limits.
 * Owner:   the thread that waits.
 * Threads: any.
 */
#ifndef GRAVEL_OPENCL_WAIT_H
#define GRAVEL_OPENCL_WAIT_H

#include "device/device.h"

/** Makes a wait for a command of Gravel. */
static inline struct gravel_wait gravel_wait_on(const struct gravel_device *device,
                                                const char *what)
{
    return (struct gravel_wait){.limit = device->limit, .what = what};
}

/** Wait for a flushed command. @return 0; GRAVEL_ECL, GRAVEL_ENOMEM if it ended with an error; or given up. */
int gravel_wait_event(const struct gravel_device *device, cl_event event, const char *what);

/**
 * Wait for a command just enqueued: flush it, and release its event.
 *
 * @param error  what enqueuing it returned.
 * @param event  NULL is allowed if that failed.
 * @return       as gravel_wait_event.
 */
int gravel_wait_command(const struct gravel_device *device, cl_command_queue queue, cl_int error,
                        cl_event event, const char *what);

/** Enqueues, to an in-order queue, a command that ends when all before it have, whatever kernel waits. */
cl_int gravel_wait_mark(const struct gravel_device *device, cl_command_queue queue, cl_event *all);

/** Wait for everything enqueued to an in-order queue so far. @return as gravel_wait_event. */
int gravel_wait_queue(const struct gravel_device *device, cl_command_queue queue, const char *what);

/** Wait as gravel_wait_queue, for kernels of the self-test. @return also GRAVEL_ETIMEOUT: there is no node to ask. */
int gravel_wait_test(const struct gravel_device *device, cl_command_queue queue);

/** Returns whether a wait gave up, so that commands may still be under way. */
static inline bool gravel_wait_gave_up(int code)
{
    return code != 0 && code != GRAVEL_ECL && code != GRAVEL_ENOMEM;
}

/** Returns whether the device is done with an in-order queue's commands after a wait: for clean-ups, so the calling
 * thread's error text stays. Where the driver does not say, it is not: what they use stays. NULL is allowed. */
bool gravel_wait_is_done(const struct gravel_device *device, cl_command_queue queue,
                         const char *what);

#endif
