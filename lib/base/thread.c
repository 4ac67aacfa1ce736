/* SPDX-License-Identifier: MIT */
/*
 * Begins a thread. See thread.h.
 */
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#define LATE_NS 1000ul /* a sleep may last so much longer */

void gravel_thread_begin(const char *name)
{
    pthread_setname_np(pthread_self(), name);
    prctl(PR_SET_TIMERSLACK, LATE_NS, 0ul, 0ul, 0ul); /* cannot fail with these arguments */
}

void gravel_thread_block_write_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); /* cannot fail with these arguments */
}
