/* SPDX-License-Identifier: MIT */
/*
 * The barrier of a work-group whose work-items are threads.
 *
 * Who leaves acquires what was released before the last of the group arrived, and nothing later. A POSIX barrier also
 * orders a thread that leaves late behind those that have arrived at the next one: ThreadSanitizer then misses races,
 * on a busy machine most of them.
 *
 * Path:   lanes.c, host_c11.h -> this.
 * Memory: G1 to G9, in both directions: each arrival releases, the last one acquires and releases for all.
 */
#ifndef GRAVEL_GROUP_BARRIER_H
#define GRAVEL_GROUP_BARRIER_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef __linux__
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void group_barrier_sleep(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static inline void group_barrier_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
#else
static inline void group_barrier_sleep(_Atomic uint32_t *word, uint32_t value)
{
    (void)word, (void)value;
    sched_yield();
}

static inline void group_barrier_wake(_Atomic uint32_t *word)
{
    (void)word;
}
#endif

typedef struct {
    _Atomic uint32_t n_arrived, n_met; /* at the barrier under way; barriers that are over */
    uint32_t n;
} group_barrier;

static inline void group_barrier_init(group_barrier *barrier, uint32_t n)
{
    *barrier = (group_barrier){.n = n};
}

static inline void group_barrier_wait(group_barrier *barrier)
{
    const uint32_t n_met = atomic_load_explicit(&barrier->n_met, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&barrier->n_arrived, 1, memory_order_acq_rel) + 1 == barrier->n) {
        atomic_store_explicit(&barrier->n_arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->n_met, n_met + 1, memory_order_release);
        group_barrier_wake(&barrier->n_met);
        return;
    }
    while (atomic_load_explicit(&barrier->n_met, memory_order_acquire) == n_met)
        group_barrier_sleep(&barrier->n_met, n_met);
}

#endif
