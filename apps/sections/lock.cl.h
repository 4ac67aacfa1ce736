/* SPDX-License-Identifier: MIT */
/*
 * Spin locks in device memory, as code without servers has them: for comparison.
 *
 * A work-item that fails to take a lock stays in a loop, in which another of its wavefront that has it lets it go;
 * one that waited inside would hang them both. READ_FIRST: a lock is read before it is tried, which leaves its line
 * where it is.
 *
 * Path:   hashtable.cl and its like -> this.
 * Memory: fences at the scope of the device: what a work-item with a lock stores, the next one with it sees.
 * Source: Wang, Fussell, Lin 2019, section 4 (baselines).
 */
#ifndef APPS_LOCK_CL_H
#define APPS_LOCK_CL_H

#if __OPENCL_C_VERSION__ >= 200
#define DEVICE_FENCE() \
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#else
#define DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

bool lock_try(volatile global uint *lock)
{
#ifdef READ_FIRST
    if (*lock)
        return false;
#endif
    if (atomic_cmpxchg(lock, 0u, 1u))
        return false;
    DEVICE_FENCE();
    return true;
}
void lock_let_go(volatile global uint *lock)
{
    DEVICE_FENCE();
    *lock = 0;
}

/* The statement that follows, once, while the lock is held. */
#define WITH_LOCK(lock)             \
    for (uint had_it = 0; !had_it;) \
        if (lock_try(lock))         \
            for (had_it = 1; had_it == 1; lock_let_go(lock), had_it = 2)

/* Two locks, always in one order: who cannot have the second gives the first back. */
#define WITH_BOTH_LOCKS(first, second)                                             \
    for (uint had_both = 0; !had_both;)                                            \
        if (lock_try(first))                                                       \
            for (uint has_first = 1; has_first; lock_let_go(first), has_first = 0) \
                if (lock_try(second))                                              \
                    for (had_both = 1; had_both == 1; lock_let_go(second), had_both = 2)

#endif
