/* SPDX-License-Identifier: MIT */
/*
 * A 32-bit word that host and kernels share: an integer in layouts, which the host loads and stores as an atomic.
 *
 * Path:    memory/package.h, pump, self_test -> word.h -> memory that kernels see.
 * Memory:  the caller's order and label.
 */
#ifndef GRAVEL_BASE_WORD_H
#define GRAVEL_BASE_WORD_H

#include <stdatomic.h>
#include <stdint.h>

static inline uint32_t gravel_word_load(const uint32_t *word, memory_order order)
{
    return atomic_load_explicit((const _Atomic uint32_t *)word, order);
}

static inline void gravel_word_store(uint32_t *word, uint32_t value, memory_order order)
{
    atomic_store_explicit((_Atomic uint32_t *)word, value, order);
}

#endif
