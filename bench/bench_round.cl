/* SPDX-License-Identifier: MIT */
/*
 * Every work-item adds one to its own counter at a node.
 *
 * Path:    bench_round.c -> this -> counters of another node.
 * Memory:  none but messages.
 */
#include "gravel.cl.h"

kernel void count(GRAVEL_ARENA, ulong counters, uint node)
{
    GRAVEL_OPEN(g);
    gravel_inc_uint_wg(g, counters, (uint)get_global_id(0), node);
}

/* Every work-item adds one to one counter at a node. */
kernel void find(GRAVEL_ARENA, ulong counters, uint node)
{
    GRAVEL_OPEN(g);
    gravel_inc_uint_wg(g, counters, 0, node);
}

kernel void nothing(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    (void)g;
}
