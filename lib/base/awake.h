/* SPDX-License-Identifier: MIT */
/*
 * Looks on for what may come soon, while cores are free:
 *
 *     struct gravel_awake awake = {0};
 *     while (!(it has come) && gravel_awake_yield(&awake, most_ns))
 *         ;
 *
 * Path:    event.c, lib/opencl, flow/host.c -> this, before they sleep.
 * Owner:   the thread that waits; zero-filled is ready to use.
 */
#ifndef GRAVEL_BASE_AWAKE_H
#define GRAVEL_BASE_AWAKE_H

#include "base/clock.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* A longer yield ran a thread that has work: cores are not free. Without a thread to run it takes under 1 us, and some
 * 30 us where the machine is a guest whose host is busy. */
#define GRAVEL_CROWDED_NS UINT64_C(100000)

struct gravel_awake {
    uint64_t begin_ns, now_ns; /* 0 before the first yield */
    bool is_crowded;           /* the last yield took GRAVEL_CROWDED_NS */
};

/** Give the core to any thread that wants it. @return false, and it was not given, if it is time to sleep. */
static inline bool gravel_awake_yield(struct gravel_awake *awake, uint64_t most_ns)
{
    if (most_ns && awake->begin_ns == 0)
        awake->begin_ns = awake->now_ns = gravel_clock_ns();
    if (awake->now_ns - awake->begin_ns >= most_ns || awake->is_crowded)
        return false;
    sched_yield();
    uint64_t before_ns = awake->now_ns;
    awake->now_ns = gravel_clock_ns();
    awake->is_crowded = awake->now_ns - before_ns > GRAVEL_CROWDED_NS;
    return true;
}

#endif
