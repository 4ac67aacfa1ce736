/* SPDX-License-Identifier: MIT */
/*
 * Atomic words that work-groups share, at device scope and at the scope that the policy has its owner use.
 *
 * Compiled as C11, tests/tsan/host_c11.h supplies these names.
 *
 * Path:    portable.cl.h -> this -> deque.cl.h.
 * Memory:  orders are in the names; every use says which edge of docs/design/memory-order.md it is.
 */
#ifndef GRAVELP_STEAL_WORDS_CL_H
#define GRAVELP_STEAL_WORDS_CL_H

#include "layout/steal.h"
#include "portable.cl.h"

#ifndef GRAVELP_STEAL_POLICY
#define GRAVELP_STEAL_POLICY GRAVELP_STEAL_PROMOTED /* lib/opencl/program.c says which */
#endif

#define GRAVELP_STEAL_IS_PROMOTED (GRAVELP_STEAL_POLICY == GRAVELP_STEAL_PROMOTED)
#define GRAVELP_STEAL_IS_ABP                             \
    (GRAVELP_STEAL_POLICY == GRAVELP_STEAL_STEAL_ONLY || \
     GRAVELP_STEAL_POLICY == GRAVELP_STEAL_SCOPE_ONLY || \
     GRAVELP_STEAL_POLICY == GRAVELP_STEAL_BASELINE)
#define GRAVELP_STEAL_IS_LIST (GRAVELP_STEAL_POLICY == GRAVELP_STEAL_COUNTER)

#if defined(GRAVELP_ATOMICS_C11)

/* Whether the word was `expected`, and is `value` now. Acquire and relaxed: if it was; else relaxed. */
GRAVELP_INLINE bool gravelp_device_swap_acquire(global uint *word, uint expected, uint value)
{
    return atomic_compare_exchange_strong_explicit((gravelp_word *)word, &expected, value,
                                                   memory_order_acquire, memory_order_relaxed,
                                                   memory_scope_device);
}
GRAVELP_INLINE bool gravelp_device_swap_relaxed(global uint *word, uint expected, uint value)
{
    return atomic_compare_exchange_strong_explicit((gravelp_word *)word, &expected, value,
                                                   memory_order_relaxed, memory_order_relaxed,
                                                   memory_scope_device);
}

/* Near: where the owner of a deque that follows Arora et al. is alone with its group, or is not. */
#if GRAVELP_STEAL_POLICY == GRAVELP_STEAL_SCOPE_ONLY
#define GRAVELP_NEAR memory_scope_work_group
#else
#define GRAVELP_NEAR memory_scope_device
#endif
GRAVELP_INLINE uint gravelp_near_load_acquire(global uint *word)
{
    return atomic_load_explicit((gravelp_word *)word, memory_order_acquire, GRAVELP_NEAR);
}
GRAVELP_INLINE uint gravelp_near_load_relaxed(global uint *word)
{
    return atomic_load_explicit((gravelp_word *)word, memory_order_relaxed, GRAVELP_NEAR);
}
GRAVELP_INLINE void gravelp_near_store_relaxed(global uint *word, uint value)
{
    atomic_store_explicit((gravelp_word *)word, value, memory_order_relaxed, GRAVELP_NEAR);
}
GRAVELP_INLINE void gravelp_near_store_release(global uint *word, uint value)
{
    atomic_store_explicit((gravelp_word *)word, value, memory_order_release, GRAVELP_NEAR);
}
/* Acquire and release if the word was as expected, else acquire. */
GRAVELP_INLINE bool gravelp_near_swap_acq_rel(global uint *word, uint expected, uint value)
{
    return atomic_compare_exchange_strong_explicit((gravelp_word *)word, &expected, value,
                                                   memory_order_acq_rel, memory_order_acquire,
                                                   GRAVELP_NEAR);
}
#if GRAVELP_STEAL_IS_ABP /* not every device has the order */
GRAVELP_INLINE void gravelp_near_fence_seq_cst(void)
{
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, GRAVELP_NEAR);
}
#endif

#elif defined(__OPENCL_C_VERSION__) && (GRAVELP_STEAL_IS_PROMOTED || GRAVELP_STEAL_IS_ABP)
#error \
    "this device has no acquire and release at device scope: GRAVEL_STEAL_POLICY=private or counter"
#endif

#endif
