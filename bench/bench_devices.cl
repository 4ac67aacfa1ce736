/* SPDX-License-Identifier: MIT */
/*
 * Every work-item increments random words of its own node, by messages.
 *
 * Path:    bench_devices.c launches it -> gravel_inc_ulong_wg -> the table.
 */
#include "gravel.cl.h"

/* A bijection that scatters its argument (MurmurHash3's finalizer). */
uint scatter(uint x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* Global size: updates / each. table: heap offset of mask + 1 words. */
kernel void count(GRAVEL_ARENA, ulong table, uint mask, uint each)
{
    GRAVEL_OPEN(g);
    uint item = (uint)get_global_id(0);
    for (uint i = 0; i < each; i++)
        gravel_inc_ulong_wg(g, table, scatter(item * each + i) & mask, gravel_node(g));
}
