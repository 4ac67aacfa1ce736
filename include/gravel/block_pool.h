/* SPDX-License-Identifier: MIT */
/**
 * @file block_pool.h
 * Blocks of memory that kernels allocate and free, and that messages of any node reach.
 *
 * A *pool* is a part of the symmetric heap: each node's kernels allocate blocks of one size in their own node's part
 * by the calls of block_pool.cl.h; messages reach a block by its heap offset and node. Blocks stay allocated from
 * launch to launch.
 */
#ifndef GRAVEL_BLOCK_POOL_H
#define GRAVEL_BLOCK_POOL_H

#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A pool. Opaque; made by gravel_block_pool_create. */
struct gravel_block_pool;

/** Counters of this node's part, since the pool was made. */
struct gravel_block_pool_stats {
    uint64_t n_blocks;
    uint64_t n_used;   /**< allocated ones */
    uint64_t n_failed; /**< allocations that found no block; wraps at 2^32 */
};

/**
 * Makes a pool of free blocks, all 0. Collective, with barriers. The heap holds the blocks, a bit for each, and less
 * than 1 kB.
 *
 * @param block_bytes  a power of two from 8 to 2^30.
 * @param n_blocks     of each node's part, 1 to 2^31.
 * @return             as gravel_alloc.
 */
int gravel_block_pool_create(struct gravel_block_pool **out, struct gravel *gravel,
                             uint64_t block_bytes, uint64_t n_blocks);

/** Returns the pool as kernels take it: a `ulong`, the same at every node. */
uint64_t gravel_block_pool_offset(const struct gravel_block_pool *pool);

/**
 * Reads the statistics of this node's part, after gravel_quiet.
 *
 * @return  as gravel_quiet and gravel_map.
 */
int gravel_block_pool_stats_read(struct gravel_block_pool *pool,
                                 struct gravel_block_pool_stats *stats, size_t bytes);

/**
 * Frees a pool with all of its blocks. Collective, with a barrier.
 *
 * @return  as gravel_mirror_destroy.
 */
int gravel_block_pool_destroy(struct gravel_block_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
