/* SPDX-License-Identifier: MIT */
/*
 * A thread of the library: its state, and how it begins if other threads wait for the end of its sleeps. Locks need no
 * such calls: a zero-filled pthread_mutex_t is what PTHREAD_MUTEX_INITIALIZER makes, and holds nothing that is to be
 * freed (the unit test "event").
 *
 * Path:    aggregators, network thread, pump, watch, writer -> thread.c.
 * Threads: start, stop and end by the one that opens or closes the node; begin by the thread itself; else any.
 * Memory:  U5: who sees a state sees what was done before it: a thread that is to end may free what others read before.
 */
#ifndef GRAVEL_BASE_THREAD_H
#define GRAVEL_BASE_THREAD_H

#include "base/event.h"

#include <pthread.h>

/* In order; not every thread takes each. */
enum gravel_thread_state {
    GRAVEL_THREAD_NONE,
    GRAVEL_THREAD_RUNS,
    GRAVEL_THREAD_OPENED,     /* the network's: its transport is open, or cannot be */
    GRAVEL_THREAD_LEAVES_MPI, /* the network's, where the program finalises MPI */
    GRAVEL_THREAD_HAS_LEFT_MPI,
    GRAVEL_THREAD_STOPS,    /* it is to end */
    GRAVEL_THREAD_GIVES_UP, /* at once: what is left to do is lost */
    GRAVEL_THREAD_LOST,     /* it is in a call that does not return, and does nothing more */
    GRAVEL_THREAD_ENDED,    /* its last store, where the wait for it has a limit */
    GRAVEL_THREAD_GONE      /* joined, or left behind */
};

struct gravel_thread {
    pthread_t id;
    _Atomic uint32_t state; /* U5: enum gravel_thread_state */
};

static inline uint32_t gravel_thread_state(const struct gravel_thread *thread)
{
    return atomic_load_explicit(&thread->state, memory_order_acquire); /* U5 */
}

static inline bool gravel_thread_is_stopping(const struct gravel_thread *thread)
{
    return gravel_thread_state(thread) >= GRAVEL_THREAD_STOPS;
}

/** Returns whether it is the calling thread. */
static inline bool gravel_thread_is_own(const struct gravel_thread *thread)
{
    const uint32_t state = gravel_thread_state(thread);
    return state != GRAVEL_THREAD_NONE && state != GRAVEL_THREAD_GONE &&
           pthread_equal(pthread_self(), thread->id);
}

/** Change the state, unless it is further. */
static inline void gravel_thread_advance(struct gravel_thread *thread, uint32_t state)
{
    uint32_t now = gravel_thread_state(thread);
    while (now < state && !atomic_compare_exchange_weak_explicit(&thread->state, &now, state,
                                                                 memory_order_release, /* U5 */
                                                                 memory_order_relaxed))
        ;
}

/** Change the state, if it is `from`. @return whether it was. */
static inline bool gravel_thread_move(struct gravel_thread *thread, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(&thread->state, &from, to,
                                                   memory_order_release, /* U5 */
                                                   memory_order_relaxed);
}

/** Start it. @param what  "pump thread", for the error. @return 0; GRAVEL_ESYSTEM. */
int gravel_thread_start(struct gravel_thread *thread, const char *what, void *(*run)(void *),
                        void *argument);

/** Ask it to stop. @param event  that it may wait for. @return false if it has not been started, or is gone. */
bool gravel_thread_stop(struct gravel_thread *thread, struct gravel_event *event);

/** Join it; if it does not end, leave it behind. */
void gravel_thread_end(struct gravel_thread *thread, bool has_ended);

/**
 * Name the calling thread, and ask the system to end its sleeps on time.
 *
 * Linux lets a sleep last 50 us longer than asked, to end several at once. The shortest of ours are 20 us (await.c), so
 * they would take 70, and a barrier is a chain of them: on 16 cores with eight ranks 0.25 ms instead of 0.8.
 *
 * @param name  at most 15 bytes.
 */
void gravel_thread_begin(const char *name);

/**
 * Make writes of the calling thread, and of threads that it makes, fail with EPIPE if the reader has closed, and with
 * EFBIG beyond RLIMIT_FSIZE: else they would end the process without a word, as MPI's to the socket of a dead node do.
 */
void gravel_thread_block_write_signals(void);

#endif
