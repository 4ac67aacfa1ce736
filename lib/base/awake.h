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
    uint64_t begin_ns; /* 0 before the first yield */
    uint64_t yield_ns; /* how long the last yield took */
};

/** Give the core to any thread that wants it. */
static inline void gravel_awake_give(struct gravel_awake *awake)
{
    const uint64_t before_ns = gravel_clock_ns();
    sched_yield();
    awake->yield_ns = gravel_clock_ns() - before_ns;
}

/** Give the core as gravel_awake_give does. @return false, and the core was not given, if it is time to sleep. */
static inline bool gravel_awake_yield(struct gravel_awake *awake, uint64_t most_ns)
{
    const uint64_t now_ns = most_ns ? gravel_clock_ns() : 0;
    if (awake->begin_ns == 0)
        awake->begin_ns = now_ns;
    if (now_ns - awake->begin_ns >= most_ns || awake->yield_ns > GRAVEL_CROWDED_NS)
        return false;
    gravel_awake_give(awake);
    return true;
}

#endif
