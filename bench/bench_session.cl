/* SPDX-License-Identifier: MIT */
/*
 * A kernel that sends in bursts, to all nodes, and computes in between.
 *
 * Path:    bench_session.c -> this -> counters of all nodes.
 * Memory:  `wastes` holds what was computed, so that it is.
 */
#include "gravel.cl.h"

static uint mix(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/*
 * Global size: messages of a burst. counters, wastes: heap offsets of as many words. `rest` rounds of mix follow each
 * burst. Of the nodes' bursts of one number, one sends to a counter: each counter ends as `n_bursts`.
 */
kernel void bursts(GRAVEL_ARENA, ulong counters, ulong wastes, uint n_bursts, uint rest,
                   uint has_session)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    uint h = i;
    if (has_session)
        gravel_session_begin_wg(g);
    for (uint burst = 0; burst < n_bursts; burst++) {
        gravel_inc_uint_wg(g, counters, i, (i + burst + gravel_node(g)) % gravel_n_nodes(g));
        for (uint round = 0; round < rest; round++)
            h = mix(h);
    }
    if (has_session)
        gravel_session_end_wg(g);
    ((global uint *)gravel_local(g, wastes))[i] = h;
}
