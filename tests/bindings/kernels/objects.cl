/* SPDX-License-Identifier: MIT */
/*
 * What kernels do with accumulators, mirrors and pools of blocks.
 *
 * Path: tests/bindings/test_sharing.py, tests/cxx/test_cxx.cpp -> this
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"
#include "block_pool.cl.h"

kernel void read(GRAVEL_ARENA, ulong copies, ulong seen)
{
    GRAVEL_OPEN(g);
    global const uint *copy = gravel_local(g, copies);
    uint i = (uint)get_global_id(0);
    gravel_put_uint_wg(g, seen, i, copy[i], gravel_node(g));
}
kernel void offer(GRAVEL_ARENA, ulong slots, uint n, uint value)
{
    GRAVEL_OPEN(g);
    gravel_slot_add_uint_wi(g, slots, get_global_id(0) % n, value);
}
kernel void count(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(counts), uint n, uint value)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0);
    gravel_accumulate_uint_wi(g, counts, i % n, value, i / n % gravel_n_nodes(g));
}
kernel void weigh(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(sums), float value, uint bits)
{
    GRAVEL_OPEN(g);
    ulong node = get_global_id(0) % gravel_n_nodes(g);
    gravel_accumulate_fixed_float_wi(g, sums, 0, value, bits, node);
}
kernel void publish(GRAVEL_ARENA, ulong pool, ulong blocks)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0);
    ulong block = gravel_block_alloc_wg(g, pool);
    if (block != GRAVEL_NO_BLOCK)
        *(global uint *)gravel_local(g, block) = i;
    gravel_put_ulong_wg(g, blocks, i, block, gravel_node(g));
}
