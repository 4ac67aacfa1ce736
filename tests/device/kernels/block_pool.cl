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

/* As often as n says: takes two blocks, by either call, writes to them, and frees them by the other. What is not there any
 * more when it looks, is counted in bad[i]. */
kernel void churn(GRAVEL_ARENA, ulong pool, ulong bad, uint n)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    for (uint turn = 0; turn < n; turn++) {
        const ulong first = gravel_block_alloc_wg_if(g, (i + turn) % 4 != 0, pool);
        const ulong second = i % 8 == turn % 8 ? gravel_block_alloc_wi(g, pool) : GRAVEL_NO_BLOCK;
        global uint *one = 0, *other = 0;
        if (first != GRAVEL_NO_BLOCK)
            one = (global uint *)gravel_local(g, first);
        if (second != GRAVEL_NO_BLOCK)
            other = (global uint *)gravel_local(g, second);
        for (uint word = 0; word < 4; word++) {
            if (one)
                one[word] = 2 * i;
            if (other)
                other[word] = 2 * i + 1;
        }
        barrier(CLK_GLOBAL_MEM_FENCE); /* others' groups may have come by */
        uint n_bad = 0;
        for (uint word = 0; word < 4; word++)
            n_bad += (one && one[word] != 2 * i) + (other && other[word] != 2 * i + 1);
        ((global uint *)gravel_local(g, bad))[i] += n_bad;
        if (first != GRAVEL_NO_BLOCK && i % 2)
            gravel_block_free_wi(g, pool, first);
        gravel_block_free_wg_if(g, first != GRAVEL_NO_BLOCK && i % 2 == 0, pool, first);
        gravel_block_free_wg_if(g, second != GRAVEL_NO_BLOCK, pool, second);
    }
}

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
