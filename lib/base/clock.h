/* SPDX-License-Identifier: MIT */
/*
 * One clock counts for all waits and statistics of the host; another does not advance while its thread is not run.
 *
 * A limit by the system's clock is false on a busy machine: a thread that was kept from its core for longer than
 * the limit finds it over, before the thread that it waits for has run either. In a gravel_lived the time between
 * two ticks counts as one step at most, so a limit takes at least as many polls as it has steps.
 *
 * Path:    (the system) -> clock.h -> event.c, await.c, and all that has a time limit.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_CLOCK_H
#define GRAVEL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define GRAVEL_NS_PER_S UINT64_C(1000000000)
#define GRAVEL_NS_PER_MS UINT64_C(1000000)
#define GRAVEL_NS_PER_US UINT64_C(1000)

/** Returns a time in seconds, for texts. */
static inline double gravel_seconds(uint64_t ns)
{
    return (double)ns / (double)GRAVEL_NS_PER_S;
}

/** Returns the time since some fixed moment [ns]; never goes back. */
static inline uint64_t gravel_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * GRAVEL_NS_PER_S + (uint64_t)now.tv_nsec;
}

#define GRAVEL_LIVED_STEPS 8u /* that a limit should have, at least */

/* A clock of the thread that ticks; filled with zeros except for step_ns it begins at 0. */
struct gravel_lived {
    uint64_t step_ns; /* most that a tick counts; 0: the clock does not advance */
    uint64_t lived_ns;
    uint64_t ticked_ns; /* by the system's clock; 0: not yet */
};

/** Makes a clock for a limit. */
static inline struct gravel_lived gravel_lived_for(uint64_t limit_ns)
{
    return (struct gravel_lived){.step_ns = limit_ns / GRAVEL_LIVED_STEPS};
}

/** Advance the clock and return it [ns]; it never goes back. @param now_ns  by the system's clock, not long ago. */
static inline uint64_t gravel_lived_tick(struct gravel_lived *lived, uint64_t now_ns)
{
    if (now_ns > lived->ticked_ns) {
        uint64_t passed_ns = lived->ticked_ns ? now_ns - lived->ticked_ns : 0;
        lived->lived_ns += passed_ns < lived->step_ns ? passed_ns : lived->step_ns;
        lived->ticked_ns = now_ns;
    }
    return lived->lived_ns;
}

#endif
