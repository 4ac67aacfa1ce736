/* SPDX-License-Identifier: MIT */
/*
 * The one clock of all host-side waiting and accounting.
 *
 * Path:    (the system) -> clock.h -> event.c, await.c, lived.h, and all that has a time limit.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_CLOCK_H
#define GRAVEL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define GRAVEL_NS_PER_S UINT64_C(1000000000)
#define GRAVEL_NS_PER_MS UINT64_C(1000000)

/** Time since some fixed moment [ns]; never goes back. */
static inline uint64_t gravel_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * GRAVEL_NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
