/* SPDX-License-Identifier: MIT */
/*
 * What an update does to a word that other work-items change too: GRAVELP_UPDATE_add(float, word, value), for every
 * operation and type of operation.h; the word's old value. One atomic operation, or for real numbers several where the
 * device has none for their sums.
 *
 * And GRAVELP_PEEK(type, word): the word as it is, to say whether an update is worth while.
 *
 * GRAVELP_HAS_LONG_UPDATES is defined where words may have 64 bits.
 *
 * Path:    slots.cl.h, cl/kernels/resolve.cl -> this.
 * Memory:  relaxed, at device scope: updates by OpenCL 1.x names, which every later version has too; polls by C11
 *          atomics, or by a volatile load where the device has none, as nothing else loads a word there.
 */
#ifndef GRAVELP_UPDATE_CL_H
#define GRAVELP_UPDATE_CL_H

#include "portable.cl.h"

#if defined(__OPENCL_C_VERSION__)

#if defined(GRAVELP_INT64_ATOMICS) || \
    (defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics))
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define GRAVELP_HAS_LONG_UPDATES
#endif

#define GRAVELP_PEEK(type, word) GRAVELP_PEEK_##type(type, word)
#define GRAVELP_PLAIN_PEEK(type, word) (*(word))
#ifdef GRAVELP_ATOMICS_C11
#define GRAVELP_PEEK_uint(type, word)                                                   \
    atomic_load_explicit((volatile global atomic_##type *)(word), memory_order_relaxed, \
                         memory_scope_device)
#else
#define GRAVELP_PEEK_uint GRAVELP_PLAIN_PEEK
#endif
#define GRAVELP_PEEK_int GRAVELP_PEEK_uint
#ifdef GRAVEL_HAS_LONG_WAITS /* C11 atomics of 64 bits */
#define GRAVELP_PEEK_ulong GRAVELP_PEEK_uint
#else
#define GRAVELP_PEEK_ulong GRAVELP_PLAIN_PEEK
#endif
#define GRAVELP_PEEK_long GRAVELP_PEEK_ulong

#define GRAVELP_DEFINE_ADD_BITS(type, BITS, COMPARE_EXCHANGE)                                  \
    GRAVELP_INLINE type gravelp_add_##type(volatile global type *word, type value)             \
    {                                                                                          \
        volatile global BITS *bits = (volatile global BITS *)word;                             \
        BITS old = GRAVELP_PEEK(BITS, bits), seen;                                             \
        while ((seen = COMPARE_EXCHANGE(bits, old, as_##BITS(as_##type(old) + value))) != old) \
            old = seen;                                                                        \
        return as_##type(old);                                                                 \
    }
#ifdef GRAVELP_HAS_ADD_REAL
#define gravelp_add_float gravelp_add_real_float
#else
GRAVELP_DEFINE_ADD_BITS(float, uint, atomic_cmpxchg)
#endif
#define gravelp_add_int atomic_add
#define gravelp_add_uint atomic_add
#define GRAVELP_ATOMIC_int(op) atomic_##op
#define GRAVELP_ATOMIC_uint(op) atomic_##op

#define GRAVELP_UPDATE_put(type, word, value) GRAVELP_ATOMIC_##type(xchg)(word, value)
#define GRAVELP_UPDATE_inc(type, word, value) gravelp_add_##type(word, (type)1)
#define GRAVELP_UPDATE_add(type, word, value) gravelp_add_##type(word, value)
#define GRAVELP_UPDATE_min(type, word, value) GRAVELP_ATOMIC_##type(min)(word, value)
#define GRAVELP_UPDATE_max(type, word, value) GRAVELP_ATOMIC_##type(max)(word, value)
#define GRAVELP_UPDATE_and(type, word, value) GRAVELP_ATOMIC_##type (and)(word, value)
#define GRAVELP_UPDATE_or(type, word, value) GRAVELP_ATOMIC_##type(or)(word, value)
#define GRAVELP_UPDATE_xor(type, word, value) GRAVELP_ATOMIC_##type (xor)(word, value)

#ifdef GRAVELP_HAS_LONG_UPDATES
#define gravelp_add_long atom_add
#define gravelp_add_ulong atom_add
#define GRAVELP_ATOMIC_long(op) atom_##op
#define GRAVELP_ATOMIC_ulong(op) atom_##op
#if defined(GRAVEL_HAS_DOUBLE) && defined(GRAVELP_HAS_ADD_REAL)
#define gravelp_add_double gravelp_add_real_double
#elif defined(GRAVEL_HAS_DOUBLE)
GRAVELP_DEFINE_ADD_BITS(double, ulong, atom_cmpxchg)
#endif
#endif

#endif

#endif
