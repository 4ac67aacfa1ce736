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

#ifdef GRAVEL_ROUND
/* In each round 256 work-items add one to one counter at a node, and count. */
kernel void stay(GRAVEL_ARENA, GRAVEL_ROUND, ulong counters, uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, find)
        {
            const uint is_one = gravel_round_item(r) < 256;
            gravel_inc_uint_wg_if(r.group, is_one, counters, 0, node);
            gravel_round_count_wg(r, is_one);
        }
    }
}
#endif
