/* SPDX-License-Identifier: MIT */
/*
 * Applies the runs of a checked frame to a heap that the host cannot address.
 *
 * Messages that combine commute, so each is a work-item with one atomic operation. Puts do not: the last one
 * to a word must win. A hash table finds it, from words to the last message for each: find_last enters every
 * message, store_last stores those that stand in the table. Two kernels, no barrier, no waiting, and no order
 * asked of work-items.
 *
 * apply_serially is a plain loop: for CPU devices, where it is the fastest (no locked instruction), for
 * 64-bit words on devices without 64-bit atomics, and for a few messages.
 *
 * lib/resolve/on_device/runs.c chooses, and defines GRAVEL_INT64_ATOMICS if the device has them.
 *
 * Path:    lib/resolve/on_device/runs.c enqueues these, run by run, in order.
 * Memory:  one kernel at a time changes heap words; other kernels may look on and see no torn word.
 * Source:  Orr 2016, section 5.2.
 */
#include "gravel.cl.h"

#include "double_sum.cl.h"
#include "next.cl.h"

#ifdef GRAVEL_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

/*
 * A run of wire.h. kind is its command but for GRAVELP_COMMAND_WIDE, which is is_wide; base: of index 0 in the
 * arena; indices_at, values_at: in the frame [bytes]. (A switch over a masked command is one over 12-bit
 * numbers to the compiler, and oclgrind takes the wrong case.)
 */
#define RUN                                                                                   \
    global uchar *arena, global const uchar *frame, uint kind, uint is_wide, uint n_messages, \
        ulong base, uint indices_at, uint values_at
#define RUN_WORD_AT(i) word_at(frame + indices_at, kind, is_wide, base, i)
#define WORD(type, i) ((volatile global type *)(arena + RUN_WORD_AT(i)))
#define VALUE(type, i) ((global const type *)(frame + values_at))[i]

/* Where in the arena the word of message i is [bytes]. */
GRAVELP_INLINE ulong word_at(global const uchar *indices, uint kind, uint is_wide, ulong base,
                             uint i)
{
    return is_wide ? base + ((global const ulong *)indices)[i]
                   : base + (ulong)((global const uint *)indices)[i] * GRAVELP_VALUE_BYTES(kind);
}

/* ---- one after the other --------------------------------------------------------------------- */

#define SERIALLY(OP, op, TYPE, type)                        \
    case GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE):       \
        for (uint i = 0; i < n_messages; i++) {             \
            volatile global type *word = WORD(type, i);     \
            *word = NEXT_##op(type, *word, VALUE(type, i)); \
        }                                                   \
        break;
#define SERIALLY_INC(TYPE, type) SERIALLY(INC, inc, TYPE, type)

/* Global and local size 1. Any command but an active message. */
kernel void apply_serially(RUN)
{
    switch (kind) {
        GRAVEL_VALUE_OPERATIONS(SERIALLY)
        GRAVEL_INC_TYPES(SERIALLY_INC)
#ifdef GRAVEL_HAS_DOUBLE
        GRAVEL_DOUBLE_OPERATIONS(SERIALLY)
#else
        SERIALLY(PUT, put, DOUBLE, ulong)
        SERIALLY(ADD, add_bits, DOUBLE, ulong)
#endif
    }
}

/* ---- messages that commute ------------------------------------------------------------------- */

/* OpenCL 1.x names: every later version has them too, and relaxed at device scope is all that is needed. */
#define DEFINE_ADD_REAL(type, BITS, COMPARE_EXCHANGE)                                          \
    GRAVELP_INLINE type add_##type(volatile global type *word, type value)                     \
    {                                                                                          \
        volatile global BITS *bits = (volatile global BITS *)word;                             \
        BITS old = *bits, seen;                                                                \
        while ((seen = COMPARE_EXCHANGE(bits, old, as_##BITS(as_##type(old) + value))) != old) \
            old = seen;                                                                        \
        return as_##type(old);                                                                 \
    }
#ifdef GRAVELP_HAS_ADD_REAL
#define add_float gravel_add_real_float
#else
DEFINE_ADD_REAL(float, uint, atomic_cmpxchg)
#endif
#define add_int atomic_add
#define add_uint atomic_add
#define ATOMIC_int(op) atomic_##op
#define ATOMIC_uint(op) atomic_##op

#define UPDATE_put(type, word, value) (void)0 /* store_last */
#define UPDATE_inc(type, word, value) add_##type(word, (type)1)
#define UPDATE_add(type, word, value) add_##type(word, value)
#define UPDATE_min(type, word, value) ATOMIC_##type(min)(word, value)
#define UPDATE_max(type, word, value) ATOMIC_##type(max)(word, value)
#define UPDATE_and(type, word, value) ATOMIC_##type (and)(word, value)
#define UPDATE_or(type, word, value) ATOMIC_##type(or)(word, value)
#define UPDATE_xor(type, word, value) ATOMIC_##type (xor)(word, value)

#define UPDATE(OP, op, TYPE, type)                        \
    case GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE):     \
        UPDATE_##op(type, WORD(type, i), VALUE(type, i)); \
        break;

#ifdef GRAVEL_INT64_ATOMICS
#define add_long atom_add
#define add_ulong atom_add
#define ATOMIC_long(op) atom_##op
#define ATOMIC_ulong(op) atom_##op
#if defined(GRAVEL_HAS_DOUBLE) && defined(GRAVELP_HAS_ADD_REAL)
#define add_double gravel_add_real_double
#elif defined(GRAVEL_HAS_DOUBLE)
DEFINE_ADD_REAL(double, ulong, atom_cmpxchg)
#else
GRAVELP_INLINE ulong add_bits_ulong(volatile global ulong *word, ulong value)
{
    ulong old = *word, seen;
    while ((seen = atom_cmpxchg(word, old, sum_doubles(old, value))) != old)
        old = seen;
    return old;
}
#define UPDATE_add_bits(type, word, value) add_bits_ulong(word, value)
#endif
#endif

/* Any local size, global size at least n_messages. Any command but put and active message; those on 64-bit
 * words need the device's 64-bit atomics. */
kernel void update_each(RUN)
{
    uint i = (uint)get_global_id(0);
    if (i >= n_messages)
        return;
    switch (kind) {
        GRAVEL_INTEGER_OPERATIONS(UPDATE, INT, int)
        GRAVEL_INTEGER_OPERATIONS(UPDATE, UINT, uint)
        UPDATE(ADD, add, FLOAT, float)
        UPDATE(INC, inc, INT, int)
        UPDATE(INC, inc, UINT, uint)
#ifdef GRAVEL_INT64_ATOMICS
        GRAVEL_INTEGER_OPERATIONS(UPDATE, LONG, long)
        GRAVEL_INTEGER_OPERATIONS(UPDATE, ULONG, ulong)
        UPDATE(INC, inc, LONG, long)
        UPDATE(INC, inc, ULONG, ulong)
#ifdef GRAVEL_HAS_DOUBLE
        UPDATE(ADD, add, DOUBLE, double)
#else
        UPDATE(ADD, add_bits, DOUBLE, ulong)
#endif
#endif
    }
}

/* ---- puts ------------------------------------------------------------------------------------ */

/* Slot where the search for a word begins: the upper bits of a product by 2^64 over the golden ratio. */
GRAVELP_INLINE uint first_slot(ulong word, uint mask)
{
    return (uint)(word * 0x9e3779b97f4a7c15ul >> 32) & mask;
}

/*
 * Any local size, global size at least n_messages; put only. last [mask + 1], a power of two of at least
 * 2 n_messages, zeros before. Afterwards every word of the run has one slot, which holds 1 + the number of its
 * last message. A slot changes from 0 to some message of a word, then only among messages of that word, so
 * that whoever reads it learns the word.
 */
kernel void find_last(RUN, global uint *last, uint mask)
{
    (void)arena, (void)values_at;
    uint i = (uint)get_global_id(0);
    if (i >= n_messages)
        return;
    ulong word = RUN_WORD_AT(i);
    for (uint slot = first_slot(word, mask);; slot = (slot + 1) & mask) {
        uint other =
            gravelp_load_relaxed(&last[slot]); /* spares most atomic operations; may be old */
        if (other == 0)
            other = atomic_cmpxchg(&last[slot], 0u, i + 1);
        if (other == 0)
            return;
        if (RUN_WORD_AT(other - 1) == word) {
            if (other < i + 1)
                atomic_max(&last[slot], i + 1);
            return;
        }
    }
}

/* The same sizes and table, after find_last: stores the last value of every word. */
kernel void store_last(RUN, global const uint *last, uint mask)
{
    uint i = (uint)get_global_id(0);
    if (i >= n_messages)
        return;
    ulong word = RUN_WORD_AT(i);
    uint slot = first_slot(word, mask);
    while (last[slot] != i + 1) {
        if (RUN_WORD_AT(last[slot] - 1) == word)
            return; /* a later message */
        slot = (slot + 1) & mask;
    }
    if (GRAVELP_VALUE_BYTES(kind) == 8)
        *WORD(ulong, i) = VALUE(ulong, i);
    else
        *WORD(uint, i) = VALUE(uint, i);
}
