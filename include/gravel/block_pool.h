/* SPDX-License-Identifier: MIT */
/**
 * @file block_pool.h
 * Blocks of memory that kernels allocate and free, and that messages of any node reach.
 *
 * A *pool* is a part of the symmetric heap: each node's kernels allocate blocks of one size in their own node's part,
 * and give the heap offset of a block to whom they like; a message to that offset and node reaches it.
 *
 *     gravel_block_pool_create(&pool, gravel, 256, 1 << 16);
 *     uint64_t offset = gravel_block_pool_offset(pool);
 *     clSetKernelArg(kernel, 1, sizeof offset, &offset);
 *     gravel_launch(gravel, kernel, ...);
 *
 * Kernels take the pool as a `ulong`, and make the calls of block_pool.cl.h. Blocks stay allocated from launch to
 * launch.
 *
 * One thread at a time may make calls for one pool. Destroy pools before their node is closed.
 */
#ifndef GRAVEL_BLOCK_POOL_H
#define GRAVEL_BLOCK_POOL_H

#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A pool. Opaque; made by gravel_block_pool_create. */
struct gravel_block_pool;

/** Of this node's part, since the pool was made. Later versions add members at the end. */
struct gravel_block_pool_stats {
    uint64_t n_blocks; /**< that there are */
    uint64_t n_used;   /**< of them, those that are allocated */
    uint64_t n_failed; /**< allocations that found no block; wraps at 2^32 */
};

/**
 * Make a pool, all of whose blocks are free and 0. Collective, with barriers.
 *
 * Needed of the symmetric heap: the blocks, a bit for each, and less than 1 kB.
 *
 * @param out          [out] NULL on failure.
 * @param gravel       the node, which must stay open.
 * @param block_bytes  of each block [bytes]: a power of two from 8 to 2^30; the same at every node.
 * @param n_blocks     of each node's part, 1 to 2^31; the same at every node.
 * @return             0; GRAVEL_EINVAL; GRAVEL_ENOMEM; at all nodes what one of them met; GRAVEL_EMISMATCH if arguments
 *                     differ; else as gravel_alloc. If one node fails, all do, and nothing is allocated.
 */
int gravel_block_pool_create(struct gravel_block_pool **out, struct gravel *gravel,
                             uint64_t block_bytes, uint64_t n_blocks);

/** The pool as kernels take it: a heap offset [bytes], the same at every node. 0 if pool is NULL. */
uint64_t gravel_block_pool_offset(const struct gravel_block_pool *pool);

/**
 * Read the statistics of this node's part, behind gravel_quiet.
 *
 * @param stats  [out]
 * @param bytes  sizeof(struct gravel_block_pool_stats)
 * @return       0; GRAVEL_EINVAL; else as gravel_quiet and gravel_map.
 */
int gravel_block_pool_stats_read(struct gravel_block_pool *pool,
                                 struct gravel_block_pool_stats *stats, size_t bytes);

/**
 * Free a pool with all of its blocks. NULL is allowed. Collective, with a barrier.
 *
 * @return  as gravel_free. After an error it stays, unless the node has failed: all is freed then but the heap's part.
 */
int gravel_block_pool_destroy(struct gravel_block_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
