/* SPDX-License-Identifier: MIT */
/*
 * Kernels allocate and free blocks of their own node's heap (gravel/block_pool.h).
 *
 *     #include "gravel.cl.h"
 *     #include "block_pool.cl.h"
 *
 *     kernel void insert(GRAVEL_ARENA, ulong pool, ulong inbox)
 *     {
 *         GRAVEL_OPEN(g);
 *         ulong block = gravel_block_alloc_wg(g, pool);
 *         if (block != GRAVEL_NO_BLOCK)
 *             *(global uint *)gravel_local(g, block) = (uint)get_global_id(0);
 *         gravel_put_ulong_wg_if(g, block != GRAVEL_NO_BLOCK, inbox, get_global_id(0), block, 0);
 *     }
 *
 * S is wg, wg_if or wi, as in gravel.cl.h; a group takes up to 32 blocks by one atomic operation:
 *
 *     ulong gravel_block_alloc_S(g, [active,] pool)
 *     gravel_block_free_S(g, [active,] pool, block)
 *
 * `pool` is gravel_block_pool_offset. A block is a heap offset, a multiple of 64, or of a smaller block's size, and
 * not initialised; GRAVEL_NO_BLOCK if all blocks were found allocated in turn, or the work-item is not active. The
 * call never waits. Any work-item of the node may free a block, in any launch, after all accesses to it: those of
 * kernels in order before the call, messages covered by a signal or quiet.
 *
 * Freeing an offset that is not a block of the pool, or is free, ends the node with GRAVEL_EKERNEL: work-item, offset
 * and pool.
 *
 * Path:    the user's kernel -> this -> the pool's words, in the node's own heap (layout/block_pool.h).
 * Memory:  the work-item that allocates a block sees all that the one, or the work-group, that freed it had done
 *          before (B5, B6). B7 orders nothing.
 */
#ifndef GRAVEL_BLOCK_POOL_CL_H
#define GRAVEL_BLOCK_POOL_CL_H

#include "gravel.cl.h"
#include "layout/block_pool.h"

#define GRAVEL_NO_BLOCK 0xfffffffffffffffful

/* ---- words of bits ----------------------------------------------------------------------------- */

#define GRAVELP_NO_NUMBER 0xffffffffu /* of a block */

GRAVELP_INLINE global struct gravelp_block_pool *gravelp_pool_at(struct gravel_group g, ulong pool)
{
    return (global struct gravelp_block_pool *)gravelp_heap(g.arena, pool);
}

GRAVELP_INLINE global uint *gravelp_pool_words(global struct gravelp_block_pool *pool)
{
    return (global uint *)(pool + 1);
}

/* Returns where the work-group searches without a hint: many groups at once each at another word, or they would take
 * turns at one; on a CPU all at one, which its cache has. */
GRAVELP_INLINE uint gravelp_pool_start(global struct gravelp_block_pool *pool)
{
#ifdef GRAVELP_SERIAL_GROUP
    (void)pool;
    return 0;
#else
    return (uint)gravelp_group_number() * 2654435761u % pool->n_words;
#endif
}

/* Returns the word that says how far from its start a group found a block last: it searches there first. */
GRAVELP_INLINE global uint *gravelp_pool_hint(global struct gravelp_block_pool *pool)
{
    return &pool->hints[gravelp_group_number() % GRAVELP_POOL_HINTS];
}

/* Number of the lowest bit that is set. @param bits  not 0 */
GRAVELP_INLINE uint gravelp_lowest_bit(uint bits)
{
    return 31 - clz(bits & (0u - bits));
}

/* Takes up to n blocks of a word. @return their bits. If other work-items are faster, it tries other bits. */
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

/* Take one block, from a word on. @return its number; GRAVELP_NO_NUMBER */
GRAVELP_OUT_OF_LINE uint gravelp_pool_search(global struct gravelp_block_pool *pool, uint start,
                                             global uint *hint, uint lane)
{
    const uint n_words = pool->n_words, from = gravelp_device_load_relaxed(hint); /* B7 */
    uint at = (start + from + lane % 32) % n_words;
    for (uint i = 0; i < n_words; i++, at = at + 1 < n_words ? at + 1 : 0) {
        const uint bit = gravelp_pool_take(gravelp_pool_words(pool) + at, 1);
        if (!bit)
            continue;
        if (i >= 32)
            gravelp_device_store_relaxed(hint, (at + n_words - start) % n_words); /* B7 */
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
    global uint *hint = gravelp_pool_hint(pool);
    if (k >= n_takers)
        return;
    const uint start = gravelp_pool_start(pool), from = gravelp_device_load_relaxed(hint); /* B7 */
    const uint end = 32 * k + 32 < n ? 32 * k + 32 : n;
    uint at = (start + from + k) % n_words, found = at, next = 32 * k;
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
        gravelp_device_store_relaxed(hint, (found + n_words - start) % n_words); /* B7 */
}

/* Returns the number of a block. A heap offset that is none is reported, once. */
GRAVELP_INLINE uint gravelp_pool_number(struct gravel_group g, ulong pool, ulong block)
{
    global struct gravelp_block_pool *at = gravelp_pool_at(g, pool);
    const ulong offset = block - pool - at->blocks_at, number = offset >> at->block_shift;
    if (number < at->n_blocks && number << at->block_shift == offset)
        return (uint)number;
    gravelp_fault_at(g.arena, gravelp_origin_of_item(), GRAVELP_FAULT_POOL, 0, pool, 0, block);
    return GRAVELP_NO_NUMBER;
}

/* Blocks of a word are free again; one that was before, or is in `twice`, is reported. */
GRAVELP_INLINE void gravelp_pool_free(struct gravel_group g, ulong pool, uint word, uint bits,
                                      uint twice)
{
    global struct gravelp_block_pool *at = gravelp_pool_at(g, pool);
    const uint before = gravelp_device_fetch_and_release(gravelp_pool_words(at) + word,
                                                         ~bits); /* B5, pairs with B6 */
    twice |= bits & ~before;
    if (twice)
        gravelp_fault_at(g.arena, gravelp_origin_of_item(), GRAVELP_FAULT_POOL, 0, pool, 1,
                         gravelp_pool_block(at, pool, 32 * word + gravelp_lowest_bit(twice)));
}

/*
 * Frees the blocks of neighbouring work-items that are in one word, at most 32: the first of the work-items does.
 *
 * @param lane  its number in the group
 */
GRAVELP_INLINE void gravelp_pool_free_run(struct gravel_group g, ulong pool, uint lane)
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
    gravelp_pool_free(g, pool, word, bits, twice);
}

/* ---- calls ------------------------------------------------------------------------------------- */

GRAVELP_INLINE ulong gravel_block_alloc_wi(struct gravel_group g, ulong pool)
{
    global struct gravelp_block_pool *at = gravelp_pool_at(g, pool);
    return gravelp_pool_block(at, pool,
                              gravelp_pool_search(at, gravelp_pool_start(at), gravelp_pool_hint(at),
                                                  (uint)gravelp_lane_id()));
}

GRAVELP_INLINE ulong gravel_block_alloc_wg_if(struct gravel_group g, uint active, ulong pool)
{
    global struct gravelp_block_pool *at = gravelp_pool_at(g, pool);
    uint number = GRAVELP_NO_NUMBER;
    gravelp_compact(g, active);
    gravelp_group_meet(g.arena); /* G1: positions are known */
    const uint position = g.scratch->lanes[gravelp_lane_index()], n = g.scratch->n_active;
    gravelp_group_meet(g.arena); /* G1: all know their own */
    gravelp_pool_take_words(at, g.scratch, n);
    gravelp_group_meet(g.arena); /* G1: blocks are taken */
    if (active && n)
        number = g.scratch->lanes[position];
    gravelp_group_meet(g.arena); /* G1: lanes is free again */
    if (active && n && number == GRAVELP_NO_NUMBER)
        return gravel_block_alloc_wi(g, pool);
    return gravelp_pool_block(at, pool, number);
}
#define gravel_block_alloc_wg(g, pool) gravel_block_alloc_wg_if(g, 1, pool)

GRAVELP_INLINE void gravel_block_free_wi(struct gravel_group g, ulong pool, ulong block)
{
    const uint number = gravelp_pool_number(g, pool, block);
    if (number != GRAVELP_NO_NUMBER)
        gravelp_pool_free(g, pool, number / 32, 1u << number % 32, 0);
}

GRAVELP_INLINE void gravel_block_free_wg_if(struct gravel_group g, uint active, ulong pool,
                                            ulong block)
{
    const bool fits = gravelp_n_lanes() <= GRAVEL_MAX_GROUP;
    gravelp_lane_set(g.scratch, active ? gravelp_pool_number(g, pool, block) : GRAVELP_NO_NUMBER);
    gravelp_group_meet_apart(g.arena); /* G1: numbers are set, and all have left their blocks */
    if (fits)
        gravelp_pool_free_run(g, pool, (uint)gravelp_lane_id());
    gravelp_group_meet(g.arena); /* G1: lanes is free again */
    if (!fits && gravelp_is_leader())
        gravelp_group_fits(g.arena);
}
#define gravel_block_free_wg(g, pool, block) gravel_block_free_wg_if(g, 1, pool, block)

#endif
