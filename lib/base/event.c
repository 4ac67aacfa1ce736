/* SPDX-License-Identifier: MIT */
/*
 * The sleeping half of the eventcount: a futex on Linux, a condition variable elsewhere.
 *
 * Path:    event.h -> event.c -> the system.
 * Threads: any.
 */
#include "base/event.h"

#include "base/clock.h"

#include <limits.h>
#include <stddef.h>

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / GRAVEL_NS_PER_S),
                             .tv_nsec = (long)(ns % GRAVEL_NS_PER_S)};
}

/* Acquire E2 pairs with release E2 in gravel_event_wake. */
static bool was_signalled(struct gravel_event *event, uint32_t key)
{
    return atomic_load_explicit(&event->epoch, memory_order_acquire) != key;
}

/*
 * Two ways to sleep. sleep_on returns once the epoch is not `key`, after `ns`, or for no reason;
 * wake_all wakes every thread that went to sleep with an older epoch.
 */
#if defined(__linux__) && !defined(GRAVEL_EVENT_PORTABLE)

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(_Atomic uint32_t) == sizeof(uint32_t), "a futex is 4 bytes");

/* The futex's relative timeout runs on CLOCK_MONOTONIC. */
static void sleep_on(struct gravel_event *event, uint32_t key, uint64_t ns)
{
    struct timespec timeout = timespec_of(ns);
    syscall(SYS_futex, &event->epoch, FUTEX_WAIT_PRIVATE, key, &timeout, NULL, 0);
}

static void wake_all(struct gravel_event *event)
{
    syscall(SYS_futex, &event->epoch, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#else

#include <pthread.h>

/* One lock and condition for all events: this is the fallback, and keeps an event free of set-up.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

static void sleep_on(struct gravel_event *event, uint32_t key, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until); /* the clock of a default condition */
    struct timespec timeout = timespec_of((uint64_t)until.tv_nsec + ns);
    until.tv_sec += timeout.tv_sec;
    until.tv_nsec = timeout.tv_nsec;
    pthread_mutex_lock(&lock);
    if (!was_signalled(event, key))
        pthread_cond_timedwait(&woken, &lock, &until);
    pthread_mutex_unlock(&lock);
}

static void wake_all(struct gravel_event *event)
{
    (void)event;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&lock);
}

#endif

bool gravel_event_wait(struct gravel_event *event, uint32_t key, uint64_t timeout_ns)
{
    const uint64_t year_ns = UINT64_C(31536000) * GRAVEL_NS_PER_S; /* one sleep: no overflow */
    uint64_t start_ns = timeout_ns ? gravel_clock_ns() : 0;
    uint64_t waited_ns = 0;
    bool is_signalled;
    while (!(is_signalled = was_signalled(event, key)) && waited_ns < timeout_ns) {
        uint64_t left_ns = timeout_ns - waited_ns;
        sleep_on(event, key, left_ns < year_ns ? left_ns : year_ns);
        waited_ns = gravel_clock_ns() - start_ns;
    }
    gravel_event_cancel(event);
    return is_signalled;
}

void gravel_event_wake(struct gravel_event *event)
{
    atomic_fetch_add_explicit(&event->epoch, 1, memory_order_release); /* E2 */
    wake_all(event);
}
