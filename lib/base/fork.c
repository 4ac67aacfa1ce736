/* SPDX-License-Identifier: MIT */
/*
 * Counts forks. See fork.h.
 *
 * Note:    comparing process ids would cost each message of the host a system call.
 * Threads: a child has one when it counts, so the number needs no lock.
 */
#include "base/fork.h"

#include "base/error.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t n_forks;

static void count_fork(void)
{
    n_forks++;
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, count_fork); /* out of memory: a child hangs, as it did */
}

void gravel_fork_watch(void)
{
    pthread_once(&once, watch);
}

uint32_t gravel_fork_count(void)
{
    return n_forks;
}

int gravel_fork_refuse(uint32_t forks_then, const char *call)
{
    return forks_then == n_forks
               ? 0
               : gravel_fail(GRAVEL_EINVAL,
                             "%s after fork: the node stays with the process that opened it", call);
}
