/* SPDX-License-Identifier: MIT */
/*
 * Spin locks in device memory, as code without servers has them: for comparison.
 *
 * A work-item that fails to take a lock stays in a loop, in which another of its wavefront that has it lets it go;
 * one that waited inside would hang them both. LOOK_FIRST: it looks before it tries, which leaves the word's line where
 * it is.
 *
 * Path: hashtable.cl, atm.cl -> this.
 * Memory: acquire and release at the scope of the device.
 * Source: Wang, Fussell, Lin 2019, section 4 (baselines).
 */
#ifndef APPS_LOCK_CL_H
#define APPS_LOCK_CL_H

#if __OPENCL_C_VERSION__ >= 200
typedef volatile global atomic_uint lock_word;

bool lock_try(global uint *lock)
{
    uint expected = 0;
#ifdef LOOK_FIRST
    if (atomic_load_explicit((lock_word *)lock, memory_order_relaxed, memory_scope_device))
        return false;
#endif
    return atomic_compare_exchange_strong_explicit((lock_word *)lock, &expected, 1u,
                                                   memory_order_acquire, memory_order_relaxed,
                                                   memory_scope_device);
}
void lock_let_go(global uint *lock)
{
    atomic_store_explicit((lock_word *)lock, 0u, memory_order_release, memory_scope_device);
}
#else
bool lock_try(global uint *lock)
{
#ifdef LOOK_FIRST
    if (*(volatile global uint *)lock)
        return false;
#endif
    bool is_taken = atomic_cmpxchg((volatile global uint *)lock, 0u, 1u) == 0;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    return is_taken;
}
void lock_let_go(global uint *lock)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *(volatile global uint *)lock = 0;
}
#endif

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
