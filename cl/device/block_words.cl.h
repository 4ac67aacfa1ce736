/* SPDX-License-Identifier: MIT */
/*
 * Bits of a pool of blocks: taken up to 32 at once, from a place on that the work-group remembers; given back; what is
 * freed wrongly is reported.
 *
 * Path:    block_pool.cl.h -> this -> the pool's words, in the node's own heap.
 * Memory:  B5 releases what was done to a block to who takes it next (B6). B7 orders nothing.
 */
#ifndef GRAVELP_BLOCK_WORDS_CL_H
#define GRAVELP_BLOCK_WORDS_CL_H

#include "layout/block_pool.h"
#include "workgroup.cl.h"

#define GRAVEL_NO_BLOCK 0xfffffffffffffffful
#define GRAVELP_NO_NUMBER 0xffffffffu /* of a block */

GRAVELP_INLINE global struct gravelp_block_pool *gravelp_pool_at(struct gravel_group g, ulong pool)
{
    return (global struct gravelp_block_pool *)gravelp_heap(g.arena, pool);
}

GRAVELP_INLINE global uint *gravelp_pool_words(global struct gravelp_block_pool *pool)
{
    return (global uint *)(pool + 1);
}

/* Returns the word in which the work-group keeps where it found a block last, and looks first. */
GRAVELP_INLINE global uint *gravelp_pool_place(global struct gravelp_block_pool *pool)
{
    return &pool->places[gravelp_group_number() % GRAVELP_POOL_PLACES];
}

/* Number of the lowest bit that is set. @param bits  not 0 */
GRAVELP_INLINE uint gravelp_lowest_bit(uint bits)
{
    uint number = 0;
    for (uint n = 16; n; n /= 2)
        if (!(bits << (32 - n))) {
            number += n;
            bits >>= n;
        }
    return number;
}

/* Take up to n blocks of a word. @return their bits. Who finds those taken that it wanted looks again, for others. */
GRAVELP_OUT_OF_LINE uint gravelp_pool_take(global uint *word, uint n)
{
    uint taken = gravelp_device_load_relaxed(word); /* B7 */
    for (uint tries = 0; tries < 32 && ~taken; tries++) {
        uint left = ~taken;
        for (uint i = 0; i < n && left; i++)
            left &= left - 1;
        const uint wanted = ~taken & ~left;
        const uint before = gravelp_device_fetch_or_acquire(word, wanted); /* B6, pairs with B5 */
        if (wanted & ~before)
            return wanted & ~before;
        taken = before;
    }
    return 0;
}

/* One block, from a word on. @return its number; GRAVELP_NO_NUMBER */
GRAVELP_OUT_OF_LINE uint gravelp_pool_search(global struct gravelp_block_pool *pool,
                                             global uint *place, uint lane)
{
    const uint n_words = pool->n_words, first = gravelp_device_load_relaxed(place); /* B7 */
    uint at = (first + lane % 32) % n_words;
    for (uint i = 0; i < n_words; i++, at = at + 1 < n_words ? at + 1 : 0) {
        const uint bit = gravelp_pool_take(gravelp_pool_words(pool) + at, 1);
        if (!bit)
            continue;
        if (i >= 32)
            gravelp_device_store_relaxed(place, at); /* B7 */
        return 32 * at + gravelp_lowest_bit(bit);
    }
    gravelp_device_fetch_add_relaxed(&pool->n_failed, 1); /* B7 */
    return GRAVELP_NO_NUMBER;
}

GRAVELP_INLINE ulong gravelp_pool_block(global struct gravelp_block_pool *at, ulong pool,
                                        uint number)
{
    return number == GRAVELP_NO_NUMBER ? GRAVEL_NO_BLOCK
                                       : pool + at->blocks_at + ((ulong)number << at->block_shift);
}

/*
 * Work-item k of the group: blocks for the 32 active ones from number 32 k on, into scratch->lanes; GRAVELP_NO_NUMBER
 * where its words have none.
 *
 * @param n  active work-items of the group
 */
GRAVELP_INLINE void gravelp_pool_take_words(global struct gravelp_block_pool *pool,
                                            local struct gravelp_scratch *scratch, uint n)
{
    const uint k = (uint)gravelp_lane_id(), n_takers = (n + 31) / 32, n_words = pool->n_words;
    global uint *place = gravelp_pool_place(pool);
    if (k >= n_takers)
        return;
    const uint first = gravelp_device_load_relaxed(place); /* B7 */
    const uint end = 32 * k + 32 < n ? 32 * k + 32 : n;
    uint at = (first + k) % n_words, found = at, next = 32 * k;
    for (uint i = k; i < n_words && next < end; i += n_takers) {
        uint bits = gravelp_pool_take(gravelp_pool_words(pool) + at, end - next);
        found = bits ? at : found;
        for (; bits; bits &= bits - 1)
            scratch->lanes[next++] = 32 * at + gravelp_lowest_bit(bits);
        at = (at + n_takers) % n_words;
    }
    for (; next < end; next++)
        scratch->lanes[next] = GRAVELP_NO_NUMBER;
    if (k == 0)
        gravelp_device_store_relaxed(place, found); /* B7 */
}

/* ---- free ------------------------------------------------------------------------------------- */

/* The number of a block. A heap offset that is none is reported, once. */
GRAVELP_INLINE uint gravelp_pool_number(struct gravel_group g, ulong pool, ulong block)
{
    global struct gravelp_block_pool *at = gravelp_pool_at(g, pool);
    const ulong offset = block - pool - at->blocks_at, number = offset >> at->block_shift;
    if (number < at->n_blocks && number << at->block_shift == offset)
        return (uint)number;
    gravelp_fault_at(g.arena, gravelp_origin_of_item(), GRAVELP_FAULT_POOL, 0, pool, 0, block);
    return GRAVELP_NO_NUMBER;
}

/* Blocks of a word are free again. @return those that were before. */
GRAVELP_INLINE uint gravelp_pool_give(global struct gravelp_block_pool *pool, uint word, uint bits)
{
    const uint before = gravelp_device_fetch_and_release(gravelp_pool_words(pool) + word,
                                                         ~bits); /* B5, pairs with B6 */
    return bits & ~before;
}

GRAVELP_INLINE void gravelp_pool_tell_free(struct gravel_group g, ulong pool, uint number)
{
    const ulong block = gravelp_pool_block(gravelp_pool_at(g, pool), pool, number);
    gravelp_fault_at(g.arena, gravelp_origin_of_item(), GRAVELP_FAULT_POOL, 0, pool, 1, block);
}

/*
 * The first of work-items side by side whose blocks lie in one word, of 32 work-items at most: give all of them back.
 *
 * @param lane  its number in the group
 */
GRAVELP_INLINE void gravelp_pool_give_run(struct gravel_group g, ulong pool, uint lane)
{
    local uint *lanes = g.scratch->lanes;
    const uint number = lanes[lane], word = number / 32;
    uint end = (lane / 32 + 1) * 32, bits = 0, twice = 0;
    if (number == GRAVELP_NO_NUMBER || (lane % 32 && lanes[lane - 1] / 32 == word))
        return;
    end = end < gravelp_n_lanes() ? end : gravelp_n_lanes();
    for (uint i = lane; i < end && lanes[i] / 32 == word; i++) {
        const uint bit = 1u << lanes[i] % 32;
        twice |= bits & bit;
        bits |= bit;
    }
    twice |= gravelp_pool_give(gravelp_pool_at(g, pool), word, bits);
    if (twice)
        gravelp_pool_tell_free(g, pool, 32 * word + gravelp_lowest_bit(twice));
}

#endif
