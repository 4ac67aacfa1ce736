/* SPDX-License-Identifier: MIT */
/*
 * The flush of an accumulator: which blocks have words that wait, and these words as messages.
 *
 * lib/accumulate/create.c defines GRAVELP_ACCUMULATE_BITS, uint or ulong, by the size of words; what else depends on
 * the type and the operation is a number, so that a device compiles two programs for all of them. Bits are cleared
 * before words are read: docs/design/accumulators.md says why nothing is lost.
 *
 * Path:    lib/accumulate/flush.c -> collect -> its list -> flush_accumulator -> the queue of packages.
 * Memory:  A4 acquires what A3 has released.
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

#define BLOCK GRAVELP_ACCUMULATOR_BLOCK
#define BLOCK_BITS (BLOCK / 32)

typedef GRAVELP_ACCUMULATE_BITS word_bits;
#define EXCHANGE(type, word, value) GRAVELP_UPDATE_put(type, word, value)
#define LOOK(type, word) GRAVELP_LOOK(type, word)
#define LOWEST(bits) (31 - clz((bits) & -(bits)))

GRAVELP_INLINE global uint *at(global struct gravelp_accumulator *a, ulong offset)
{
    return (global uint *)((global uchar *)a + offset);
}

/* Global size n_items: all words as they begin, and none waits. */
kernel void clear(GRAVEL_ACCUMULATOR(a), ulong n_items)
{
    const ulong n_words = a->n_parts * a->part_words, n_bits = n_words / 32;
    global word_bits *words = (global word_bits *)at(a, a->words_at);
    for (ulong i = get_global_id(0); i < n_words; i += n_items)
        words[i] = (word_bits)a->neutral;
    for (ulong i = get_global_id(0); i < n_bits; i += n_items)
        at(a, a->bits_at)[i] = 0;
    for (ulong i = get_global_id(0); i < (n_bits / BLOCK_BITS + 31) / 32; i += n_items)
        at(a, a->blocks_at)[i] = 0;
}

/* Global size at least n, the words of a->blocks. Blocks that wait go to the list; n_seen: a->n_listed before. */
kernel void collect(GRAVEL_ACCUMULATOR(a), uint n, uint n_seen)
{
    const uint i = (uint)get_global_id(0);
    if (i >= n || gravelp_device_load_relaxed(&at(a, a->blocks_at)[i]) == 0)
        return; /* a bit that the load misses is one of a later flush */
    uint blocks =
        gravelp_device_exchange_acquire(&at(a, a->blocks_at)[i], 0); /* A4, pairs with A3 */
    for (; blocks; blocks &= blocks - 1) {
        uint place = gravelp_device_fetch_add_relaxed(&a->n_listed, 1) - n_seen; /* A6: a number */
        at(a, a->list_at)[place] = 32 * i + LOWEST(blocks);
    }
}

/* What waits in a word; sums begin again. */
GRAVELP_INLINE word_bits take(uint op, volatile global word_bits *word)
{
    if (op == GRAVEL_ADD || op == GRAVEL_XOR)
        return EXCHANGE(GRAVELP_ACCUMULATE_BITS, word, 0); /* A5 */
    return LOOK(GRAVELP_ACCUMULATE_BITS, word);            /* A5 */
}

/* A group for each block of the list. Messages: that many as words have changed. */
kernel void flush_accumulator(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a))
{
    GRAVEL_OPEN(g);
    local uint bits[BLOCK_BITS], ends[BLOCK_BITS];
    local ushort changed[BLOCK];
    const uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    const ulong block = at(a, a->list_at)[get_global_id(0) / n_lanes];
    const ulong part_blocks = a->part_words / BLOCK, node = block / part_blocks;
    const ulong first = (block - node * part_blocks) * BLOCK;
    volatile global word_bits *words =
        (volatile global word_bits *)at(a, a->words_at) + block * BLOCK;
    for (uint i = lane; i < BLOCK_BITS; i += n_lanes)
        bits[i] = gravelp_device_exchange_acquire(&at(a, a->bits_at)[block * BLOCK_BITS + i],
                                                  0); /* A4, pairs with A3 */
    gravel_barrier_wg(g);
    if (lane == 0)
        for (uint i = 0; i < BLOCK_BITS; i++)
            ends[i] = (i ? ends[i - 1] : 0) + popcount(bits[i]);
    gravel_barrier_wg(g);
    for (uint i = lane; i < BLOCK_BITS; i += n_lanes)
        for (uint left = bits[i], k = ends[i] - popcount(left); left; left &= left - 1)
            changed[k++] = (ushort)(32 * i + LOWEST(left));
    gravel_barrier_wg(g);
    const uint n = ends[BLOCK_BITS - 1];
    GRAVEL_FOR_WG (g, turn, active, lane < n ? (n - lane + n_lanes - 1) / n_lanes : 0) {
        uint i = active ? changed[lane + turn * n_lanes] : 0;
        word_bits value = active ? take(a->op, words + i) : (word_bits)a->neutral;
        ulong index = first + i;
        GRAVELP_SEND_WG_IF(g, active && value != (word_bits)a->neutral,
                           GRAVELP_COMMAND(a->op, a->word_type) | GRAVELP_FAR_BY(index), a->offset,
                           GRAVELP_NO_REPLY, index, GRAVELP_VALUES(0, value, 0, 0, 0), node);
    }
}
