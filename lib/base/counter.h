/* SPDX-License-Identifier: MIT */
/*
 * Counters that one thread adds to and any thread reads; and 32-bit words that host and kernels share: integers in
 * layouts, which the host loads and stores as atomics.
 *
 * Memory:  a counter is relaxed: it orders nothing, and is exact once something else has ordered its writer before the
 *          reader. A word has the caller's order and label.
 */
#ifndef GRAVEL_BASE_COUNTER_H
#define GRAVEL_BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

/** Adds n; by its one writer. */
static inline void gravel_counter_add(_Atomic uint64_t *counter, uint64_t n)
{
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + n, memory_order_relaxed);
}

static inline uint64_t gravel_counter_load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static inline uint32_t gravel_word_load(const uint32_t *word, memory_order order)
{
    return atomic_load_explicit((const _Atomic uint32_t *)word, order);
}

static inline void gravel_word_store(uint32_t *word, uint32_t value, memory_order order)
{
    atomic_store_explicit((_Atomic uint32_t *)word, value, order);
}

#endif
