/* SPDX-License-Identifier: MIT */
/*
 * Enqueues kernels and remembers those under way, so that quiet can wait for them.
 *
 * Path:    gravel_launch -> launch.c -> the device; gravel_quiet -> gravel_launches_wait.
 * Threads: any.
 */
#ifndef GRAVEL_DEVICE_LAUNCH_H
#define GRAVEL_DEVICE_LAUNCH_H

#include <pthread.h>

#include "device.h"

struct gravel_launches {
    pthread_mutex_t lock;
    cl_event *events; /* [capacity] kernels that may still run, retained */
    uint32_t n, capacity;
};

void gravel_launches_init(struct gravel_launches *launches);
void gravel_launches_destroy(struct gravel_launches *launches);

/** Remember a kernel by its event, which is retained. @return 0; GRAVEL_ENOMEM. */
int gravel_launches_add(struct gravel_launches *launches, cl_event event);

/**
 * Wait until every remembered kernel has ended.
 *
 * @return  0; GRAVEL_ECL if one ended with an error.
 */
int gravel_launches_wait(struct gravel_launches *launches);

#endif
