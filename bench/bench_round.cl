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
/* In each round n work-items add one to a counter each at a node, and count. */
GRAVEL_ROUND_KERNEL void stay(GRAVEL_ARENA, GRAVEL_ROUND, ulong counters, uint node, uint n)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, find)
        {
            uint n_sent = 0;
            for (uint i = gravel_round_item(r); i < n; i += gravel_round_items(r), n_sent++)
                gravel_inc_uint_wi(r.group, counters, i, node);
            gravel_round_count_wg(r, n_sent);
        }
    }
}
#endif
