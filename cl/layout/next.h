/* SPDX-License-Identifier: MIT */
/*
 * What a word becomes: GRAVELP_NEXT_add(int, old, value), for every operation and type of operation.h.
 *
 * No other file says what an operation does. A request does what its operation does, and answers with `old`. `old`
 * and `value` are evaluated once, or not at all: a put does not need `old`, an increment has no value.
 *
 * Path:    lib/resolve/apply.c, cl/kernels/resolve.cl and the coprocessor model's apply.cl include this.
 */
#ifndef GRAVELP_NEXT_H
#define GRAVELP_NEXT_H

#include "base.h"

/* The types of operation.h. */
#define GRAVELP_WORD_int gravelp_i32
#define GRAVELP_WORD_uint gravelp_u32
#define GRAVELP_WORD_long gravelp_i64
#define GRAVELP_WORD_ulong gravelp_u64
#define GRAVELP_WORD_float float
#define GRAVELP_WORD_double double

/* Signed sums wrap. */
#define GRAVELP_SUM_int(a, b) ((gravelp_i32)((gravelp_u32)(a) + (gravelp_u32)(b)))
#define GRAVELP_SUM_uint(a, b) ((a) + (b))
#define GRAVELP_SUM_long(a, b) ((gravelp_i64)((gravelp_u64)(a) + (gravelp_u64)(b)))
#define GRAVELP_SUM_ulong(a, b) ((a) + (b))
#define GRAVELP_SUM_float(a, b) ((a) + (b))
#define GRAVELP_SUM_double(a, b) ((a) + (b))

#define GRAVELP_DEFINE_LESSER(type)                                                 \
    static inline GRAVELP_WORD_##type gravelp_lesser_##type(GRAVELP_WORD_##type a,  \
                                                            GRAVELP_WORD_##type b)  \
    {                                                                               \
        return b < a ? b : a;                                                       \
    }                                                                               \
    static inline GRAVELP_WORD_##type gravelp_greater_##type(GRAVELP_WORD_##type a, \
                                                             GRAVELP_WORD_##type b) \
    {                                                                               \
        return b > a ? b : a;                                                       \
    }
GRAVELP_DEFINE_LESSER(int)
GRAVELP_DEFINE_LESSER(uint)
GRAVELP_DEFINE_LESSER(long)
GRAVELP_DEFINE_LESSER(ulong)

#define GRAVELP_NEXT_put(type, old, value) (value)
#define GRAVELP_NEXT_inc(type, old, value) GRAVELP_SUM_##type(old, 1)
#define GRAVELP_NEXT_add(type, old, value) GRAVELP_SUM_##type(old, value)
#define GRAVELP_NEXT_min(type, old, value) gravelp_lesser_##type(old, value)
#define GRAVELP_NEXT_max(type, old, value) gravelp_greater_##type(old, value)
#define GRAVELP_NEXT_and(type, old, value) ((old) & (value))
#define GRAVELP_NEXT_or(type, old, value) ((old) | (value))
#define GRAVELP_NEXT_xor(type, old, value) ((old) ^ (value))

#endif
