/* SPDX-License-Identifier: MIT */
/*
 * The flush of an accumulator: which blocks have words that wait, and these words as messages, packed by destination.
 *
 * lib/accumulate/create.c defines GRAVELP_ACCUMULATE_BITS, uint or ulong, by the size of words; what else depends on
 * the type and the operation is a number, so that a device compiles two programs for all of them. Bits are cleared
 * before words are read: docs/design/sharing.md says why nothing is lost.
 *
 * Path:    lib/accumulate/flush.c -> collect -> lists -> pack -> `few`, or packed parts -> flush.c -> node buffers.
 * Memory:  A4 acquires what A3 has released. Numbers of positions (A6) order nothing: the kernel's end does.
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

#define BLOCK GRAVELP_ACCUMULATOR_BLOCK
#define BLOCK_BITS (BLOCK / 32)

typedef GRAVELP_ACCUMULATE_BITS word_bits;
#define TALLY(a, part) ((global struct gravelp_accumulator_tally *)((a) + 1))[part]
#define EXCHANGE(type, word, value) GRAVELP_UPDATE_put(type, word, value)
#define PEEK(type, word) GRAVELP_PEEK(type, word)
#define LOWEST(bits) (31 - clz((bits) & -(bits)))

GRAVELP_INLINE global uint *at(global struct gravelp_accumulator *a, ulong offset)
{
    return (global uint *)((global uchar *)a + offset);
}

/* Global size n_items, n_parts at least. Sets words to what changes none: all, and none waits then; or, with
 * keeps_waiting, those that do not wait. */
kernel void clear(GRAVEL_ACCUMULATOR(a), ulong n_items, uint keeps_waiting)
{
    const ulong n_words = a->n_parts * a->part_words, n_bits = n_words / 32;
    global word_bits *words = (global word_bits *)at(a, a->words_at);
    for (ulong i = get_global_id(0); i < n_words; i += n_items)
        if (!keeps_waiting || !(at(a, a->bits_at)[i / 32] >> i % 32 & 1))
            words[i] = (word_bits)a->neutral;
    if (keeps_waiting)
        return;
    for (ulong i = get_global_id(0); i < n_bits; i += n_items)
        at(a, a->bits_at)[i] = 0;
    for (ulong i = get_global_id(0); i < (n_bits / BLOCK_BITS + 31) / 32; i += n_items)
        at(a, a->blocks_at)[i] = 0;
    if (get_global_id(0) < a->n_parts)
        TALLY(a, get_global_id(0)) = (struct gravelp_accumulator_tally){{0, 0}, {0, 0}};
    if (get_global_id(0) == 0)
        a->n_few[0] = a->n_few[1] = 0;
}

/* Global size at least n, the words of a->blocks, and n_parts. Blocks that wait go to lists, counted in `parity`. */
kernel void collect(GRAVEL_ACCUMULATOR(a), uint n, uint parity)
{
    const uint i = (uint)get_global_id(0), part_blocks = (uint)(a->part_words / BLOCK);
    if (i < a->n_parts)
        TALLY(a, i).n_listed[!parity] = 0;
    if (i >= n || gravelp_device_load_relaxed(&at(a, a->blocks_at)[i]) == 0)
        return; /* a bit that the load misses is one of a later flush */
    uint blocks =
        gravelp_device_exchange_acquire(&at(a, a->blocks_at)[i], 0); /* A4, pairs with A3 */
    for (; blocks; blocks &= blocks - 1) {
        uint block = 32 * i + LOWEST(blocks), part = block / part_blocks;
        uint position =
            gravelp_device_fetch_add_relaxed(&TALLY(a, part).n_listed[parity], 1); /* A6 */
        at(a, a->list_at)[part * part_blocks + position] = block - part * part_blocks;
    }
}

/* A group's block, and its words that are sent, in any order. */
struct block {
    uint part, first; /* the part that has it, and that part's first position */
    uint number;      /* in the part */
    uint bits[BLOCK_BITS];
    uint n; /* words taken */
    ushort indices[BLOCK];
    word_bits values[BLOCK];
};

/* Moves on to a position, which there is. For the group's first work-item. */
GRAVELP_INLINE void go_to(global struct gravelp_accumulator *a, local struct block *now,
                          uint position, uint parity)
{
    for (; position - now->first >= TALLY(a, now->part).n_listed[parity]; now->part++)
        now->first += TALLY(a, now->part).n_listed[parity];
    now->number = at(a, a->list_at)[now->part * (a->part_words / BLOCK) + position - now->first];
    now->n = 0;
}

/* Takes the words of a block whose bits are set. */
GRAVELP_INLINE void take_block(global struct gravelp_accumulator *a, local struct block *now)
{
    const uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    const ulong block = now->part * (a->part_words / BLOCK) + now->number;
    volatile global word_bits *words =
        (volatile global word_bits *)at(a, a->words_at) + block * BLOCK;
    for (uint i = lane; i < BLOCK_BITS; i += n_lanes)
        now->bits[i] = gravelp_device_exchange_acquire(&at(a, a->bits_at)[block * BLOCK_BITS + i],
                                                       0); /* A4, pairs with A3 */
    gravelp_barrier_group();
    for (uint i = lane; i < BLOCK; i += n_lanes) {
        if (!(now->bits[i / 32] >> i % 32 & 1))
            continue;
        word_bits value = a->op == GRAVEL_ADD || a->op == GRAVEL_XOR
                              ? EXCHANGE(GRAVELP_ACCUMULATE_BITS, words + i, 0) /* A5: a new sum */
                              : PEEK(GRAVELP_ACCUMULATE_BITS, words + i);       /* A5 */
        if (value == (word_bits)a->neutral)
            continue;
        uint k = atomic_inc(&now->n);
        now->indices[k] = (ushort)i;
        now->values[k] = value;
    }
    gravelp_barrier_group();
}

/* Stores message `i` of two rows. */
GRAVELP_INLINE void store(global uchar *indices, global uchar *values, uint index_bytes, uint i,
                          ulong index, word_bits value)
{
    if (index_bytes == 8)
        ((global ulong *)indices)[i] = index;
    else
        ((global uint *)indices)[i] = (uint)index;
    ((global word_bits *)values)[i] = value;
}

/* Packs the words of n_positions positions from first_position on, or of those that there are: each group a stretch.
 * packed (layout/accumulator.h) has room for n_positions blocks. parity: of the last collect; pack_parity: not that of
 * the last pack. */
kernel void pack(GRAVEL_ACCUMULATOR(a), global uchar *packed, uint first_position, uint n_positions,
                 uint parity, uint pack_parity)
{
    local uint n, at_part, at_few;
    local struct block now;
    const uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    global uchar *few = (global uchar *)(at(a, a->few_at) + GRAVELP_ACCUMULATOR_FEW);
    if (lane == 0) {
        uint n_listed = 0;
        for (uint part = 0; part < a->n_parts; part++) {
            n_listed += TALLY(a, part).n_listed[parity];
            if (get_group_id(0) == 0)
                TALLY(a, part).n_packed[!pack_parity] = 0; /* the next pack counts there */
        }
        if (get_group_id(0) == 0)
            a->n_few[!pack_parity] = 0;
        n = min(n_positions, n_listed - first_position);
        now.part = now.first = 0;
    }
    gravelp_barrier_group();
    const uint each = (n + (uint)get_num_groups(0) - 1) / (uint)get_num_groups(0),
               begin = min(each * (uint)get_group_id(0), n), end = min(begin + each, n);
    for (uint position = first_position + begin; position < first_position + end; position++) {
        if (lane == 0)
            go_to(a, &now, position, parity);
        gravelp_barrier_group();
        take_block(a, &now);
        if (lane == 0) {
            at_part = (max(now.first, first_position) - first_position) * BLOCK +
                      gravelp_device_fetch_add_relaxed(&TALLY(a, now.part).n_packed[pack_parity],
                                                       now.n);                        /* A6 */
            at_few = gravelp_device_fetch_add_relaxed(&a->n_few[pack_parity], now.n); /* A6 */
        }
        gravelp_barrier_group();
        for (uint k = lane; k < now.n; k += n_lanes) {
            const ulong index = now.number * (ulong)BLOCK + now.indices[k];
            store(packed, packed + a->packed_values_at, a->index_bytes, at_part + k, index,
                  now.values[k]);
            if (at_few + k < GRAVELP_ACCUMULATOR_FEW) {
                at(a, a->few_at)[at_few + k] = now.part;
                store(few, few + a->index_bytes * GRAVELP_ACCUMULATOR_FEW, a->index_bytes,
                      at_few + k, index, now.values[k]);
            }
        }
        gravelp_barrier_group(); /* the next block is taken where this one was */
    }
}
