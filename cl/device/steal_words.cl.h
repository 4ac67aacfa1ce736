/* SPDX-License-Identifier: MIT */
/*
 * The policy of a program, and swaps of words that work-groups share, at device scope.
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

#elif defined(__OPENCL_C_VERSION__) && GRAVELP_STEAL_IS_PROMOTED
#error \
    "this device has no acquire and release at device scope: GRAVEL_STEAL_POLICY=private or counter"
#endif

#endif
