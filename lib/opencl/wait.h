/* SPDX-License-Identifier: MIT */
/*
 * Waits for copies and kernels of Gravel's own, with a limit.
 *
 * OpenCL's waits have none: a driver that has lost its device, or a kernel that never ends and keeps
 * the device, would hold the thread for ever. Here the thread asks its node again and again whether
 * to wait on. What a wait has given up may still end later, so the memory it reads or writes must
 * stay; a node that has given up once is beyond use and leaves all of it behind.
 *
 * Path:    pump/move.c, device_resolver.c, copier.c, memory.c -> wait.h -> the device.
 * Threads: any.
 */
#ifndef GRAVEL_OPENCL_WAIT_H
#define GRAVEL_OPENCL_WAIT_H

#include "base/lived.h"
#include "device/device.h"

#include <stdint.h>

/* How long a wait has lasted, for a thread that had its turns; zero-filled to begin with. */
struct gravel_patience_times {
    struct gravel_lived lived;
    uint64_t alone_ns; /* of it when nothing was left that excuses the device */
    uint64_t limit_ns; /* from then; whoever is asked decides at the first look */
};

/** Whether a wait may go on. @return 0; what go_on of the device's patience says, text set. */
int gravel_patience_ask(const struct gravel_device *device, const char *what,
                        struct gravel_patience_times *times);

/**
 * Wait for a command. What enqueued it must have been flushed.
 *
 * @param what  names it in the error, e.g. "copying packages from the device".
 * @return      0; GRAVEL_ECL if it ended with an error; otherwise the wait was given up.
 */
int gravel_patience_wait(const struct gravel_device *device, cl_event event, const char *what);

/** Enqueue, to an in-order queue, a command that ends when all before it have, beside whatever kernel waits. */
cl_int gravel_patience_mark(const struct gravel_device *device, cl_command_queue queue,
                            cl_event *all);

/** Wait for everything enqueued to an in-order queue so far, as for a command. */
int gravel_patience_finish(const struct gravel_device *device, cl_command_queue queue,
                           const char *what);

/**
 * The same for kernels of the self-test, which end by themselves: they get 20 s on top, so that a device that is only
 * slow is told as what it lacks. @return also GRAVEL_ETIMEOUT where there is no node to ask.
 */
int gravel_patience_finish_test(const struct gravel_device *device, cl_command_queue queue);

/** Whether one of the calls above gave up, so that commands may still be under way. */
static inline bool gravel_patience_gave_up(int code)
{
    return code != 0 && code != GRAVEL_ECL;
}

#endif
