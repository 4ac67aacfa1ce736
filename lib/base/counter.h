/* SPDX-License-Identifier: MIT */
/*
 * Counters that one thread adds to and any thread reads.
 *
 * Memory:  relaxed: a counter orders nothing, and is exact once something else has ordered its writer before the
 *          reader.
 */
#ifndef GRAVEL_BASE_COUNTER_H
#define GRAVEL_BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

/** Its one writer: add n. */
static inline void gravel_counter_add(_Atomic uint64_t *counter, uint64_t n)
{
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + n, memory_order_relaxed);
}

static inline uint64_t gravel_counter_load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
