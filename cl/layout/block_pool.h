/* SPDX-License-Identifier: MIT */
/*
 * A pool of blocks in the symmetric heap (gravel/block_pool.h).
 *
 *     pool = struct gravelp_block_pool | a bit for each block, 1: allocated or none | blocks, from a multiple of 64 on
 *
 * Path:    lib/node/block_pool.c -> the heap -> cl/block_pool.cl.h.
 */
#ifndef GRAVELP_BLOCK_POOL_H
#define GRAVELP_BLOCK_POOL_H

#include "base.h"

#define GRAVELP_POOL_LEAST_SHIFT 3u
#define GRAVELP_POOL_MOST_SHIFT 30u
#define GRAVELP_POOL_MOST_BLOCKS 0x80000000u
#define GRAVELP_POOL_HINTS 64u

struct gravelp_block_pool {
    /* Written by the host before any kernel runs, constant afterwards. */
    gravelp_u32 n_blocks;
    gravelp_u32 n_words;     /* of bits */
    gravelp_u32 block_shift; /* a block has 1 << block_shift bytes */
    gravelp_u32 padding;
    gravelp_u64 blocks_at; /* [bytes] from the pool to block 0 */
    gravelp_u32 constant_padding[10];
    /* Written by the device while kernels run; atomic. */
    gravelp_u32 hints[GRAVELP_POOL_HINTS]; /* words that groups search next: advice */
    gravelp_u32 n_failed;                  /* allocations that found no block */
    gravelp_u32 count_padding[15];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_block_pool) == 6 * GRAVELP_CACHELINE,
                      "lines of their own");

#endif
