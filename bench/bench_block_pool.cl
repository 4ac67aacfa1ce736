/* SPDX-License-Identifier: MIT */
/*
 * Work-items that take a block a round, write to it, and free it a round later: blocks of a pool, by groups and alone;
 * of the host, by questions; and of a buffer, behind a counter, where none is freed.
 * Global size: any number of whole groups.
 *
 * Path:    bench_block_pool.c -> block_pool.cl.h -> got: rounds after which a work-item's block was as it had left it.
 */
#include "gravel.cl.h"
#include "block_pool.cl.h"

/* Returns what no other work-item leaves in a block, nor this one in another round. */
GRAVELP_INLINE uint mark(uint round)
{
    return (uint)get_global_id(0) * 32 + round;
}
GRAVELP_INLINE void leave(global void *block, uint round)
{
    *(volatile global uint *)block = mark(round);
}
GRAVELP_INLINE uint is_left(global void *block, uint round)
{
    return *(volatile global uint *)block == mark(round);
}

#define TURNS(name, take, give)                                               \
    kernel void name(GRAVEL_ARENA, ulong pool, global uint *got, uint rounds) \
    {                                                                         \
        GRAVEL_OPEN(g);                                                       \
        ulong block, last = GRAVEL_NO_BLOCK;                                  \
        uint n = 0;                                                           \
        for (uint round = 0; round <= rounds; round++, last = block) {        \
            block = GRAVEL_NO_BLOCK;                                          \
            if (round < rounds)                                               \
                block = take(g, pool);                                        \
            if (block != GRAVEL_NO_BLOCK)                                     \
                leave(gravel_local(g, block), round);                         \
            if (last != GRAVEL_NO_BLOCK)                                      \
                n += is_left(gravel_local(g, last), round - 1);               \
            give;                                                             \
        }                                                                     \
        got[get_global_id(0)] = n;                                            \
    }
TURNS(groups, gravel_block_alloc_wg,
      gravel_block_free_wg_if(g, last != GRAVEL_NO_BLOCK, pool, last))
TURNS(items, gravel_block_alloc_wi,
      if (last != GRAVEL_NO_BLOCK) gravel_block_free_wi(g, pool, last))

/* @param memory  [global size * rounds] blocks of 64 bytes */
kernel void counter(global uint *next, global uint *memory, global uint *got, uint rounds)
{
    global uint *last = 0;
    uint n = 0;
    for (uint round = 0; round < rounds; round++) {
        global uint *block = memory + 16 * (ulong)atomic_inc(next);
        leave(block, round);
        if (last)
            n += is_left(last, round - 1);
        last = block;
    }
    got[get_global_id(0)] = n + is_left(last, rounds - 1);
}

/* A group waits for its blocks. @param answers  ulong [global size]. @param signals  uint [groups] */
kernel void ask(GRAVEL_ARENA, ulong answers, ulong signals, global uint *got, uint rounds)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0), lane = (uint)get_local_id(0);
    const ulong group = (ulong)(i - lane) / get_local_size(0);
    const struct gravel_reply reply = {answers + 8 * (ulong)(i - lane), signals + 4 * group};
    ulong block, last = GRAVEL_NO_BLOCK;
    uint n = 0, n_asked = 0;
    got[i] = 0;
    for (uint round = 0; round <= rounds; round++, last = block) {
        block = GRAVEL_NO_BLOCK;
        if (round < rounds) {
            n_asked += gravel_ask0_wg(g, GRAVEL_HANDLER(take), reply, lane, 0);
            if (!gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_EQ, n_asked))
                return;
            block = ((global const ulong *)gravel_local(g, answers))[i];
            leave(gravel_local(g, block), round);
        }
        if (last != GRAVEL_NO_BLOCK)
            n += is_left(gravel_local(g, last), round - 1);
        gravel_am1_wg_if(g, last != GRAVEL_NO_BLOCK, GRAVEL_HANDLER(give), last, 0);
    }
    got[i] = n;
}

/* Before and after: all blocks are taken, and some of them are freed again. */
kernel void fill(GRAVEL_ARENA, ulong pool, global ulong *blocks)
{
    GRAVEL_OPEN(g);
    blocks[get_global_id(0)] = gravel_block_alloc_wg(g, pool);
}
kernel void thin(GRAVEL_ARENA, ulong pool, global const ulong *blocks, uint percent)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    gravel_block_free_wg_if(g, (i * 2654435761u >> 8) % 100 >= percent, pool, blocks[i]);
}
