/* SPDX-License-Identifier: MIT */
/*
 * Pools (gravel/block_pool.h): kernels allocate blocks of their own node's heap, which messages of any node reach, and
 * free them.
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
 *     ulong gravel_block_alloc_wg(g, pool)                  every work-item of the work-group; a block each
 *     ulong gravel_block_alloc_wg_if(g, active, pool)       every work-item of the work-group
 *     ulong gravel_block_alloc_wi(g, pool)                  any work-item, in any divergent code
 *     gravel_block_free_wg(g, pool, block)                  as above
 *     gravel_block_free_wg_if(g, active, pool, block)
 *     gravel_block_free_wi(g, pool, block)
 *
 * `pool` is what gravel_block_pool_offset gives. A block is a heap offset [bytes], a multiple of 64, or of the pool's
 * block size if that is less. Its bytes are what they were. GRAVEL_NO_BLOCK: all blocks were found allocated, one after
 * the other, or the work-item is not active; the call never waits. Any work-item of the node may free a block, in any
 * launch. What others do to it has to be over: accesses of kernels before the call, by what orders them, and messages
 * by a signal or quiet.
 *
 * Freeing a heap offset that is no block of the pool, or a block that is free already, ends the node with
 * GRAVEL_EKERNEL, which names the work-item, the offset and the pool.
 *
 * A work-group takes up to 32 blocks by one atomic operation, and gives back those that lie side by side by one.
 *
 * Path:    the user's kernel -> this -> device/block_words.cl.h.
 * Memory:  who allocates a block sees all that the work-item, or work-group, that freed it had done before (B5, B6).
 */
#ifndef GRAVEL_BLOCK_POOL_CL_H
#define GRAVEL_BLOCK_POOL_CL_H

#include "gravel.cl.h"
#include "device/block_words.cl.h"

GRAVELP_INLINE ulong gravel_block_alloc_wg_if(struct gravel_group g, uint active, ulong pool)
{
    global struct gravelp_block_pool *at = gravelp_pool_at(g, pool);
    uint number = GRAVELP_NO_NUMBER;
    gravelp_compact(g.arena, g.scratch, active);
    gravelp_group_meet(g.arena); /* G1: positions are known */
    const uint position = g.scratch->lanes[gravelp_place()], n = g.scratch->n_active;
    gravelp_group_meet(g.arena); /* G1: all know their own */
    gravelp_pool_take_words(at, g.scratch, n);
    gravelp_group_meet(g.arena); /* G1: blocks are taken */
    if (active && n)
        number = g.scratch->lanes[position];
    gravelp_group_meet(g.arena); /* G1: lanes is free again */
    if (active && n && number == GRAVELP_NO_NUMBER)
        number = gravelp_pool_search(at, gravelp_pool_place(at), (uint)gravelp_lane_id());
    return gravelp_pool_block(at, pool, number);
}

GRAVELP_INLINE ulong gravel_block_alloc_wg(struct gravel_group g, ulong pool)
{
    return gravel_block_alloc_wg_if(g, 1, pool);
}

GRAVELP_INLINE ulong gravel_block_alloc_wi(struct gravel_group g, ulong pool)
{
    global struct gravelp_block_pool *at = gravelp_pool_at(g, pool);
    return gravelp_pool_block(
        at, pool, gravelp_pool_search(at, gravelp_pool_place(at), (uint)gravelp_lane_id()));
}

GRAVELP_INLINE void gravel_block_free_wi(struct gravel_group g, ulong pool, ulong block)
{
    const uint number = gravelp_pool_number(g, pool, block);
    if (number != GRAVELP_NO_NUMBER &&
        gravelp_pool_give(gravelp_pool_at(g, pool), number / 32, 1u << number % 32))
        gravelp_pool_tell_free(g, pool, number);
}

GRAVELP_INLINE void gravel_block_free_wg_if(struct gravel_group g, uint active, ulong pool,
                                            ulong block)
{
    const bool fits = gravelp_n_lanes() <= GRAVEL_MAX_GROUP;
    gravelp_place_set(g.scratch, active ? gravelp_pool_number(g, pool, block) : GRAVELP_NO_NUMBER);
    gravelp_group_meet_apart(g.arena); /* G1: numbers are set, and all have left their blocks */
    if (fits)
        gravelp_pool_give_run(g, pool, (uint)gravelp_lane_id());
    gravelp_group_meet(g.arena); /* G1: lanes is free again */
    if (!fits && gravelp_is_leader())
        gravelp_group_fits(g.arena);
}

GRAVELP_INLINE void gravel_block_free_wg(struct gravel_group g, ulong pool, ulong block)
{
    gravel_block_free_wg_if(g, 1, pool, block);
}

#endif
