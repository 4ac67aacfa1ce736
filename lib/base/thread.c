/* SPDX-License-Identifier: MIT */
/*
 * Starts and ends threads. See thread.h.
 */
#include "base/thread.h"

#include "base/error.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#define LATE_NS 1000ul /* a sleep may last so much longer */

int gravel_thread_start(struct gravel_thread *thread, const char *what, void *(*run)(void *),
                        void *argument)
{
    const int error = pthread_create(&thread->id, NULL, run, argument);
    if (error)
        return gravel_fail(GRAVEL_ESYSTEM, "%s: %s", what, strerror(error));
    gravel_thread_advance(thread, GRAVEL_THREAD_RUNS);
    return 0;
}

bool gravel_thread_stop(struct gravel_thread *thread, struct gravel_event *event)
{
    const uint32_t state = gravel_thread_state(thread);
    if (state == GRAVEL_THREAD_NONE || state == GRAVEL_THREAD_GONE)
        return false;
    gravel_thread_advance(thread, GRAVEL_THREAD_STOPS);
    gravel_event_signal(event);
    return true;
}

void gravel_thread_end(struct gravel_thread *thread, bool has_ended)
{
    if (has_ended)
        pthread_join(thread->id, NULL);
    else
        pthread_detach(thread->id);
    gravel_thread_advance(thread, GRAVEL_THREAD_GONE);
}

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
