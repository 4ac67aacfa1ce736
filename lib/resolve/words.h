/* SPDX-License-Identifier: MIT */
/*
 * Words of the heap: how each type of the table in operation.h is loaded, stored and combined.
 *
 * No locked instruction, because a word has one applying thread. The atomics keep words whole for
 * everyone who looks on, and show whoever does so with an acquire load what was applied before
 * (R1). On x86 they are plain moves and cost nothing.
 *
 * Path:    apply.c, requests.c -> words.h.
 */
#ifndef GRAVEL_RESOLVE_WORDS_H
#define GRAVEL_RESOLVE_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEFINE_WORD(type, C, BITS)                                                          \
    typedef C word_##type;                                                                  \
    static inline C load_##type(const unsigned char *address)                               \
    {                                                                                       \
        BITS bits = __atomic_load_n((const BITS *)(const void *)address, __ATOMIC_RELAXED); \
        C value;                                                                            \
        memcpy(&value, &bits, sizeof value);                                                \
        return value;                                                                       \
    }                                                                                       \
    static inline C value_##type(const unsigned char *values, size_t i)                     \
    {                                                                                       \
        C value;                                                                            \
        memcpy(&value, values + i * sizeof value, sizeof value);                            \
        return value;                                                                       \
    }                                                                                       \
    static inline void store_##type(unsigned char *address, C value)                        \
    {                                                                                       \
        BITS bits;                                                                          \
        memcpy(&bits, &value, sizeof bits);                                                 \
        __atomic_store_n((BITS *)(void *)address, bits, __ATOMIC_RELEASE); /* R1 */         \
    }

#define DEFINE_FUNCTION(name, C, expression) \
    static inline C name(C a, C b)           \
    {                                        \
        return (C)(expression);              \
    }

/* Sums go through the unsigned type, so that signed ones wrap. */
#define DEFINE_INTEGER(type, C, BITS)                 \
    DEFINE_WORD(type, C, BITS)                        \
    DEFINE_FUNCTION(add_##type, C, (BITS)a + (BITS)b) \
    DEFINE_FUNCTION(min_##type, C, b < a ? b : a)     \
    DEFINE_FUNCTION(max_##type, C, b > a ? b : a)     \
    DEFINE_FUNCTION(and_##type, C, (a) & (b))         \
    DEFINE_FUNCTION(or_##type, C, (a) | (b))          \
    DEFINE_FUNCTION(xor_##type, C, (a) ^ (b))

#define DEFINE_REAL(type, C, BITS) \
    DEFINE_WORD(type, C, BITS)     \
    DEFINE_FUNCTION(add_##type, C, a + b)

DEFINE_INTEGER(int, int32_t, uint32_t)
DEFINE_INTEGER(uint, uint32_t, uint32_t)
DEFINE_INTEGER(long, int64_t, uint64_t)
DEFINE_INTEGER(ulong, uint64_t, uint64_t)
DEFINE_REAL(float, float, uint32_t)
DEFINE_REAL(double, double, uint64_t)

/* What the word at `address` becomes. */
#define NEXT_put(type, address, value) (value)
#define NEXT_inc(type, address, value) add_##type(load_##type(address), 1)
#define NEXT_add(type, address, value) add_##type(load_##type(address), value)
#define NEXT_min(type, address, value) min_##type(load_##type(address), value)
#define NEXT_max(type, address, value) max_##type(load_##type(address), value)
#define NEXT_and(type, address, value) and_##type(load_##type(address), value)
#define NEXT_or(type, address, value) or_##type(load_##type(address), value)
#define NEXT_xor(type, address, value) xor_##type(load_##type(address), value)

#endif
