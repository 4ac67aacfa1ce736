/* SPDX-License-Identifier: MIT */
/*
 * GUPS: every work-item walks a piece of HPCC's random stream and updates the word each number names.
 *
 * Path:    gups.c launches it -> gravel_inc_ulong_wg, gravel_add_float_wg, gravel_put_ulong_wg.
 * Source:  Luszczek et al., HPC Challenge RandomAccess: number k of the stream is x^k, an element of
 *          GF(2)[x] / (x^64 + x^2 + x + 1), whose coefficients are the bits of a ulong.
 */
#include "gravel.cl.h"
#ifdef ACCUMULATES
#include "accumulator.cl.h"
#endif

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

/* x * s: one step along the stream. */
INLINE ulong stream_next(ulong s)
{
    return s << 1 ^ (s >> 63) * 7;
}

/* Bit i of a half goes to bit 2i. */
INLINE ulong spread_bits(ulong half_word)
{
    ulong s = half_word;
    s = (s | s << 16) & 0x0000ffff0000fffful;
    s = (s | s << 8) & 0x00ff00ff00ff00fful;
    s = (s | s << 4) & 0x0f0f0f0f0f0f0f0ful;
    s = (s | s << 2) & 0x3333333333333333ul;
    return (s | s << 1) & 0x5555555555555555ul;
}

/* s * s. Squaring spreads the bits; the upper half then folds by x^64 = x^2 + x + 1, and its bit 62 twice. */
INLINE ulong stream_square(ulong s)
{
    ulong low = spread_bits(s & 0xffffffff), high = spread_bits(s >> 32);
    return low ^ high ^ high << 1 ^ high << 2 ^ (high >> 62) * 7;
}

/* Number k < 2^n_bits of the stream, by a squaring for every bit (HPCC_starts). */
INLINE ulong stream_at(ulong k, uint n_bits)
{
    ulong s = 1;
    for (uint bit = n_bits; bit-- > 0;) {
        s = stream_square(s);
        s = k >> bit & 1 ? stream_next(s) : s;
    }
    return s;
}

/* Upper half: node. Lower bits: word of its table. */
INLINE uint node_of(ulong ran, uint n_nodes)
{
    return (uint)((ran >> 32) * n_nodes >> 32);
}

/*
 * A number whose words are skewed by Zipf's law: of n_levels levels, all as often, of which level e has 2^e ranks, the upper
 * half chooses one, and the lower bits a rank of it. A product spreads ranks over nodes and words.
 */
#ifdef SKEWED
INLINE ulong skew(ulong ran, uint n_levels)
{
    const uint level = (uint)((ran >> 32) * n_levels >> 32);
    ulong rank = 1ul << level | (ran & ((1ul << level) - 1));
    return rank * 0x9e3779b97f4a7c15ul;
}
#define WORD_OF(ran) skew(ran, n_levels)
#else
#define WORD_OF(ran) (ran)
#endif

/*
 * Kernels gups_NAME: work-item i makes updates per_item * i to per_item * (i + 1) - 1 of this node.
 *
 * Global size: work-items from number `first`; local size: any that divides it.
 * first_update, n_bits: number of the node's first update in the stream, and bits of the largest of all nodes.
 * table: heap offset of mask + 1 words. When it ends, all updates are sent. UPDATE(word, ran, node) sends one.
 * n_levels: of skew(), where the program is built with SKEWED; else words are those of the stream.
 */
#define DEFINE_GUPS(name, UPDATE)                                                            \
    kernel void gups_##name(GRAVEL_ARENA, ulong first, ulong first_update, uint n_bits,      \
                            uint per_item, ulong table, uint mask, uint n_levels MORE)       \
    {                                                                                        \
        GRAVEL_OPEN(g);                                                                      \
        ulong ran = stream_at(first_update + (first + get_global_id(0)) * per_item, n_bits); \
        for (uint k = 0; k < per_item; k++) {                                                \
            ran = stream_next(ran);                                                          \
            ulong at = WORD_OF(ran);                                                         \
            UPDATE((uint)at &mask, ran, node_of(at, gravel_n_nodes(g)));                     \
        }                                                                                    \
    }
#ifdef ACCUMULATES
#define MORE , GRAVEL_ACCUMULATOR(a)
#define INC(word, ran, node) gravel_accumulate_ulong_wi(g, a, word, 1, node)
#else
#define MORE
#define INC(word, ran, node) gravel_inc_ulong_wg(g, table, word, node)
#define ADD(word, ran, node) \
    gravel_add_float_wg(g, table, word, (float)(1 + ((ran) >> 32 & 7)), node)
#define PUT(word, ran, node) gravel_put_ulong_wg(g, table, word, ran, node)
DEFINE_GUPS(add_float, ADD)
DEFINE_GUPS(put, PUT)
#endif
DEFINE_GUPS(inc, INC)
