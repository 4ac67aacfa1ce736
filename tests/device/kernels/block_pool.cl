/* SPDX-License-Identifier: MIT */
/* Allocates and frees blocks of a pool. Path: test_block_pool.c -> this */
#include "gravel.cl.h"
#include "block_pool.cl.h"

/* Work-item i takes a block, notes it in blocks[i], and leaves its number there. */
#define TAKE(name, alloc)                                         \
    kernel void name(GRAVEL_ARENA, ulong pool, ulong blocks)      \
    {                                                             \
        GRAVEL_OPEN(g);                                           \
        const ulong i = get_global_id(0);                         \
        ulong block = GRAVEL_NO_BLOCK;                            \
        alloc;                                                    \
        ((global ulong *)gravel_local(g, blocks))[i] = block;     \
        if (block != GRAVEL_NO_BLOCK)                             \
            *(global uint *)gravel_local(g, block) = (uint)i + 1; \
    }
TAKE(take_wg, block = gravel_block_alloc_wg(g, pool))
TAKE(take_wg_if, block = gravel_block_alloc_wg_if(g, i % 3 == 0, pool))
TAKE(take_wi, if (i % 3 == 0) block = gravel_block_alloc_wi(g, pool))

/* Work-item i frees blocks[i], if there is one and it has the number that was left there. */
#define GIVE(name, free)                                                        \
    kernel void name(GRAVEL_ARENA, ulong pool, ulong blocks)                    \
    {                                                                           \
        GRAVEL_OPEN(g);                                                         \
        const ulong i = get_global_id(0);                                       \
        const ulong block = ((global const ulong *)gravel_local(g, blocks))[i]; \
        uint has = block != GRAVEL_NO_BLOCK;                                    \
        if (has)                                                                \
            has = *(global const uint *)gravel_local(g, block) == (uint)i + 1;  \
        free;                                                                   \
    }
GIVE(give_wg_if, gravel_block_free_wg_if(g, has, pool, block))
GIVE(give_wi, if (has) gravel_block_free_wi(g, pool, block))

/* Work-item 5 frees an offset once more, or what is no block. */
kernel void spoil_wi(GRAVEL_ARENA, ulong pool, ulong offset)
{
    GRAVEL_OPEN(g);
    if (get_global_id(0) == 5)
        gravel_block_free_wi(g, pool, offset);
}
kernel void spoil_wg(GRAVEL_ARENA, ulong pool, ulong offset)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    gravel_block_free_wg_if(g, i == 5 || i == 6, pool, offset); /* at once */
}
