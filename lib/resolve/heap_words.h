/* SPDX-License-Identifier: MIT */
/*
 * Words of the heap: how each type of the table in operation.h is loaded and stored. layout/next.h combines them.
 *
 * No locked instruction, because a word has one applying thread. The atomics keep words whole for threads that poll
 * them, and an acquire load sees what was applied before (R1). On x86 they are plain moves and cost nothing.
 *
 * Path:    apply.c, requests.c -> heap_words.h.
 */
#ifndef GRAVEL_RESOLVE_HEAP_WORDS_H
#define GRAVEL_RESOLVE_HEAP_WORDS_H

#include "layout/next.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEFINE_WORD(type, BITS)                                                             \
    typedef GRAVELP_WORD_##type word_##type;                                                \
    static inline word_##type load_##type(const unsigned char *address)                     \
    {                                                                                       \
        BITS bits = __atomic_load_n((const BITS *)(const void *)address, __ATOMIC_RELAXED); \
        word_##type value;                                                                  \
        memcpy(&value, &bits, sizeof value);                                                \
        return value;                                                                       \
    }                                                                                       \
    static inline word_##type value_##type(const unsigned char *values, size_t i)           \
    {                                                                                       \
        word_##type value;                                                                  \
        memcpy(&value, values + i * sizeof value, sizeof value);                            \
        return value;                                                                       \
    }                                                                                       \
    static inline void store_##type(unsigned char *address, word_##type value)              \
    {                                                                                       \
        BITS bits;                                                                          \
        memcpy(&bits, &value, sizeof bits);                                                 \
        __atomic_store_n((BITS *)(void *)address, bits, __ATOMIC_RELEASE); /* R1 */         \
    }

DEFINE_WORD(int, uint32_t)
DEFINE_WORD(uint, uint32_t)
DEFINE_WORD(long, uint64_t)
DEFINE_WORD(ulong, uint64_t)
DEFINE_WORD(float, uint32_t)
DEFINE_WORD(double, uint64_t)

#endif
