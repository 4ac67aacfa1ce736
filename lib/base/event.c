/* SPDX-License-Identifier: MIT */
/*
 * The sleeping half of the eventcount: a futex of Linux.
 *
 * Path:    event.h -> event.c -> the system.
 * Threads: any.
 */
#include "base/event.h"

#include "base/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* SYS_futex takes a timespec of two longs, and struct timespec has two unless time_t is wider: on a system of 32 bits
 * with times of 64. Newer systems of 32 bits have SYS_futex_time64 alone. */
#ifndef SYS_futex
#define SYS_futex SYS_futex_time64
#endif
#ifndef SYS_futex_time64
#define SYS_futex_time64 SYS_futex
#endif
#define FUTEX (sizeof(time_t) > sizeof(long) ? SYS_futex_time64 : SYS_futex)

_Static_assert(sizeof(_Atomic uint32_t) == sizeof(uint32_t), "a futex is 4 bytes");

bool gravel_event_wait(struct gravel_event *event, uint32_t key, uint64_t timeout_ns)
{
    const uint64_t year_ns = UINT64_C(31536000) * GRAVEL_NS_PER_S; /* one sleep: no overflow */
    uint64_t start_ns = timeout_ns ? gravel_clock_ns() : 0;
    uint64_t waited_ns = 0;
    bool is_signalled;
    /* Acquire E2 pairs with release E2 in gravel_event_wake. */
    while (!(is_signalled =
                 atomic_load_explicit(&event->epoch, memory_order_acquire) != key) && /* E2 */
           waited_ns < timeout_ns) {
        uint64_t left_ns = timeout_ns - waited_ns, ns = left_ns < year_ns ? left_ns : year_ns;
        struct timespec timeout = {.tv_sec = (time_t)(ns / GRAVEL_NS_PER_S),
                                   .tv_nsec = (long)(ns % GRAVEL_NS_PER_S)};
        /* until the epoch is not `key`, for ns of CLOCK_MONOTONIC, or for no reason */
        syscall(FUTEX, &event->epoch, FUTEX_WAIT_PRIVATE, key, &timeout, NULL, 0);
        waited_ns = gravel_clock_ns() - start_ns;
    }
    gravel_event_cancel(event);
    return is_signalled;
}

void gravel_event_wake(struct gravel_event *event)
{
    atomic_fetch_add_explicit(&event->epoch, 1, memory_order_release); /* E2 */
    syscall(FUTEX, &event->epoch, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
