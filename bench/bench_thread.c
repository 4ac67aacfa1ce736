/* SPDX-License-Identifier: MIT */
/*
 * Clock, cores and bounded waits for the threads of a benchmark.
 *
 * Path:    variants -> bench_thread.c -> the system.
 * Threads: any.
 */
#include "bench_thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The cores the process had before any thread was pinned. */
static cpu_set_t allowed;
static pthread_once_t allowed_once = PTHREAD_ONCE_INIT;

static void read_allowed(void)
{
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
}

/* Number of the n-th core that the process may use; -1 if there are fewer. */
static int find_core(uint32_t core)
{
    pthread_once(&allowed_once, read_allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && core-- == 0)
            return cpu;
    return -1;
}

/* Let the calling thread use one core alone, or all others. */
static void choose(uint32_t core, bool is_alone)
{
    int cpu = find_core(core);
    if (cpu < 0 || (!is_alone && CPU_COUNT(&allowed) < 2))
        return;
    cpu_set_t chosen = allowed;
    CPU_CLR(cpu, &chosen);
    if (is_alone)
        CPU_XOR(&chosen, &chosen, &allowed);
    (void)pthread_setaffinity_np(pthread_self(), sizeof chosen, &chosen);
}

void bench_pin(uint32_t core)
{
    choose(core, true);
}

void bench_avoid(uint32_t core)
{
    choose(core, false);
}

void bench_unpin(void)
{
    pthread_once(&allowed_once, read_allowed);
    (void)pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
}

void bench_wait_yield(struct bench_wait_state *wait, const char *what)
{
    double now = bench_now();
    if (wait->since == 0)
        wait->since = now;
    if (now - wait->since > BENCH_WAIT_SECONDS) {
        fprintf(stderr, "no progress for %d s while waiting for %s\n", BENCH_WAIT_SECONDS, what);
        exit(EXIT_FAILURE);
    }
    sched_yield();
}
