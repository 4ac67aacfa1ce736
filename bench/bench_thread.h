/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a benchmark need: a clock, a core of their own, and waits that end.
 *
 * Path:    variants wait and pin themselves with it.
 * Threads: any.
 */
#ifndef GRAVEL_BENCH_THREAD_H
#define GRAVEL_BENCH_THREAD_H

#include <stdint.h>

/** Monotonic time [seconds]. */
double bench_now(void);

/** Tie the calling thread to the n-th core that the process may use; nothing if there are fewer. */
void bench_pin(uint32_t core);

/** Keep the calling thread, and threads it creates, off the n-th core; nothing if it is the only
 * one. */
void bench_avoid(uint32_t core);

/** Let the calling thread use all cores of the process again, and so threads that it creates. */
void bench_unpin(void);

/** A wait in progress; zero-fill before each one. */
struct bench_wait_state {
    uint32_t n_tries;
    double since; /* [seconds] bench_now() of the first yield */
};

#define BENCH_SPINS 1024u     /* tries before the core is given away: about 15 microseconds */
#define BENCH_WAIT_SECONDS 20 /* without progress, before the benchmark gives up */

/** The slow half of bench_wait: yields; ends the program with a message after BENCH_WAIT_SECONDS.
 */
void bench_wait_yield(struct bench_wait_state *wait, const char *what);

/** One unsuccessful try: spin a little, then yield. `what` names what is waited for. */
static inline void bench_wait(struct bench_wait_state *wait, const char *what)
{
    if (wait->n_tries < BENCH_SPINS) {
        wait->n_tries++;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
        return;
    }
    bench_wait_yield(wait, what);
}

#endif
