/* SPDX-License-Identifier: MIT */
/*
 * Any work-item, in any divergent code, adds to words of any node.
 *
 *     #include "gravel.cl.h"
 *     #include "accumulator.cl.h"
 *     kernel void push(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(ranks), global const uint *targets, uint block)
 *     {
 *         GRAVEL_OPEN(g);
 *         uint v = targets[get_global_id(0)];
 *         gravel_accumulate_float_wi(g, ranks, v % block, share(v), v / block);
 *     }
 *
 *     gravel_accumulate_TYPE_wi(g, a, index, value, node)     TYPE: int, uint, long, ulong, float, double
 *     gravel_accumulate_fixed_TYPE_wi(g, a, index, value, bits, node)     TYPE: float, double; `a` of GRAVEL_LONG
 *
 * The call applies the operation of `a`, with `value`, to element `index` of its range at `node`: one atomic operation
 * on own memory, and no message until the flush. `index` and `node` have 64 bits. A call of another type, or with an
 * index or node that does not exist, does nothing, and the next flush reports it. Calls of 64-bit types exist where
 * the device has 64-bit atomics, and double also where GRAVEL_HAS_DOUBLE is defined.
 *
 * A fixed call gives value * 2^bits, rounded to the nearest integer (half to even): sums are the same bit by bit in any
 * order and on any number of nodes. ldexp(sum, -bits) is the number, off by at most half of 2^-bits for each value;
 * `bits`, 0 to 62, is the same in all calls. A value of 2^(63 - bits) or more in magnitude, a NaN and other `bits` do
 * nothing, and the next flush reports GRAVEL_ERANGE. Sums wrap: keep n values below 2^(63 - bits) / n in magnitude.
 *
 * Path:    the user's kernel -> this -> the shadow; cl/kernels/accumulate.cl sends it.
 * Memory:  updates are relaxed (A5): they order nothing, and are seen once they are applied at their owner. A3
 *          releases them to the flush.
 */
#ifndef GRAVEL_ACCUMULATOR_CL_H
#define GRAVEL_ACCUMULATOR_CL_H

#include "gravel.cl.h"
#include "layout/accumulator.h"

/* A kernel argument that the host sets by gravel_kernel_set_accumulator. */
#define GRAVEL_ACCUMULATOR(a) global struct gravelp_accumulator *a

/* A word has changed, so it waits. If the bits of its 32 words were 0, the block is marked too. The bit comes after
 * the word: docs/design/sharing.md says why. */
GRAVELP_OUT_OF_LINE void gravelp_accumulator_mark(global struct gravelp_accumulator *a, ulong word)
{
    global uint *bits = (global uint *)((global uchar *)a + a->bits_at);
    global uint *blocks = (global uint *)((global uchar *)a + a->blocks_at);
    ulong block = word / GRAVELP_ACCUMULATOR_BLOCK;
    if (gravelp_device_fetch_or_release(&bits[word / 32], 1u << word % 32) ==
        0) /* A3, pairs with A4 */
        gravelp_device_fetch_or_release(&blocks[block / 32],
                                        1u << block % 32); /* A3, pairs with A4 */
}

/* The host reads the words behind the kernel's end. */
GRAVELP_OUT_OF_LINE void gravelp_accumulator_refuse(global struct gravelp_accumulator *a, uint type,
                                                    ulong index, ulong node)
{
    if (gravelp_device_fetch_add_relaxed(&a->n_refused, 1) != 0) /* A6: one of them writes */
        return;
    a->refused_type = type;
    a->refused_index = index;
    a->refused_node = node;
}

#if defined(__OPENCL_C_VERSION__)

/* Updates a word; is_new: whether it has to be marked. Sums begin at 0 after each flush, so 0 is marked; other
 * operations only ever move a word one way, so what a load does not see improve need not be tried. */
#define GRAVELP_ACCUMULATE_SUM(OP, op, type)                           \
    case GRAVEL_##OP:                                                  \
        is_new = GRAVELP_UPDATE_##op(type, word, value) == 0; /* A5 */ \
        break;
#define GRAVELP_ACCUMULATE_BEST(OP, op, type, improves)            \
    case GRAVEL_##OP: {                                            \
        type old = GRAVELP_PEEK(type, word); /* A5 */              \
        if (improves)                                              \
            old = GRAVELP_UPDATE_##op(type, word, value); /* A5 */ \
        is_new = (improves);                                       \
        break;                                                     \
    }
#define GRAVELP_ACCUMULATE_REAL(type) is_new = GRAVELP_UPDATE_add(type, word, value) == 0 /* A5 */
#define GRAVELP_ACCUMULATE_INTEGER(type)                              \
    switch (a->op) {                                                  \
        GRAVELP_ACCUMULATE_SUM(ADD, add, type)                        \
        GRAVELP_ACCUMULATE_SUM(XOR, xor, type)                        \
        GRAVELP_ACCUMULATE_BEST(MIN, min, type, value < old)          \
        GRAVELP_ACCUMULATE_BEST(MAX, max, type, value > old)          \
        GRAVELP_ACCUMULATE_BEST(AND, and, type, (old & value) != old) \
        GRAVELP_ACCUMULATE_BEST(OR, or, type, (old | value) != old)   \
    }
#define GRAVELP_DEFINE_ACCUMULATE(TYPE, type, KIND)                                        \
    GRAVELP_INLINE void gravel_accumulate_##type##_wi(                                     \
        struct gravel_group g, GRAVEL_ACCUMULATOR(a), ulong index, type value, ulong node) \
    {                                                                                      \
        if (a->word_type != GRAVEL_##TYPE || index >= a->n || node >= a->n_nodes) {        \
            gravelp_accumulator_refuse(a, GRAVEL_##TYPE, index, node);                     \
            return;                                                                        \
        }                                                                                  \
        const bool is_own = a->n_parts == 0;                                               \
        const ulong at = is_own ? index : node * a->part_words + index;                    \
        volatile global type *word =                                                       \
            (volatile global type *)(is_own ? gravelp_heap(g.arena, a->offset)             \
                                            : (global uchar *)a + a->words_at) +           \
            at;                                                                            \
        bool is_new = false;                                                               \
        GRAVELP_ACCUMULATE_##KIND(type);                                                   \
        if (is_new && !is_own)                                                             \
            gravelp_accumulator_mark(a, at);                                               \
    }
/* Defines the fixed call of a type. The product is exact, or infinite. */
#define GRAVELP_DEFINE_ACCUMULATE_FIXED(type)                                                   \
    GRAVELP_INLINE void gravel_accumulate_fixed_##type##_wi(struct gravel_group g,              \
                                                            GRAVEL_ACCUMULATOR(a), ulong index, \
                                                            type value, uint bits, ulong node)  \
    {                                                                                           \
        const type scaled = value * (type)(1ul << bits);                                        \
        if (bits < 63 && fabs(scaled) < (type)(1ul << 63))                                      \
            gravel_accumulate_long_wi(g, a, index, (long)rint(scaled), node);                   \
        else                                                                                    \
            gravelp_accumulator_refuse(a, GRAVELP_REFUSED_VALUE, index, node);                  \
    }

GRAVELP_DEFINE_ACCUMULATE(INT, int, INTEGER)
GRAVELP_DEFINE_ACCUMULATE(UINT, uint, INTEGER)
GRAVELP_DEFINE_ACCUMULATE(FLOAT, float, REAL)
#ifdef GRAVELP_HAS_LONG_UPDATES
GRAVELP_DEFINE_ACCUMULATE(LONG, long, INTEGER)
GRAVELP_DEFINE_ACCUMULATE(ULONG, ulong, INTEGER)
GRAVELP_DEFINE_ACCUMULATE_FIXED(float)
#ifdef GRAVEL_HAS_DOUBLE
GRAVELP_DEFINE_ACCUMULATE(DOUBLE, double, REAL)
GRAVELP_DEFINE_ACCUMULATE_FIXED(double)
#endif
#endif

#endif

#endif
