/* SPDX-License-Identifier: MIT */
/*
 * Counts forks, and marks threads that run handlers. See caller.h.
 *
 * Note:    comparing process ids would cost each message of the host a system call.
 * Threads: a child has one when it counts, so the number needs no lock.
 */
#include "base/caller.h"

#include "base/error.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t n_forks;
_Thread_local const void *gravel_in_handler_of;
_Thread_local bool gravel_in_handler_is_concurrent;

static void count_fork(void)
{
    n_forks++;
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, count_fork); /* out of memory: a child hangs, as it did */
}

uint32_t gravel_fork_count(void)
{
    pthread_once(&once, watch);
    return n_forks;
}

int gravel_caller_refuse(uint32_t forks_then, const char *call, enum gravel_caller caller)
{
    if (forks_then != n_forks)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s after fork: the node stays with the process that opened it", call);
    if (caller == GRAVEL_WAITS && gravel_in_handler_of)
        return gravel_fail(GRAVEL_EINVAL, "%s waits and cannot be called by a handler", call);
    return 0;
}
