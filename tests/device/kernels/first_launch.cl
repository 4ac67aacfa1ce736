/* SPDX-License-Identifier: MIT */
/*
 * A kernel that waits for room, and forms of kernels that run behind it. The host defines EACH, messages of a work-item.
 *
 * Path: test_first_launch.c -> this -> cl/gravel.cl.h
 */
#include "gravel.cl.h"

kernel void send_much(GRAVEL_ARENA, ulong table, uint n_nodes)
{
    GRAVEL_OPEN(g);
    uint x = (uint)get_global_id(0) * 2654435761u + 1;
    for (uint i = 0; i < EACH; i++) {
        x = x * 1664525u + 1013904223u;
        gravel_inc_uint_wg(g, table, x >> 8 & 1023, (gravel_node(g) + 1) % n_nodes);
    }
}

kernel void plain(GRAVEL_ARENA, global uint *out)
{
    out[get_global_id(0)] += 1;
}

kernel void opened(GRAVEL_ARENA, global uint *out)
{
    GRAVEL_OPEN(g);
    out[get_global_id(0)] += 1 + gravel_node(g);
}

kernel void with_local(GRAVEL_ARENA, global uint *out)
{
    local uint words[4096];
    words[get_local_id(0)] = out[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = words[get_local_id(0) ^ 1] + 1;
}
