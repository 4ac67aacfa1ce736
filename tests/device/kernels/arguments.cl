/* SPDX-License-Identifier: MIT */
/*
 * Handlers with arguments of 4 bytes and of 8; and a client of those that serve.
 *
 * Path: test_arguments.c -> this -> cl/gravel.cl.h
 */
#include "gravel.cl.h"

void tally(struct gravel_call call, uint table, uint key)
{
    atomic_inc((volatile global uint *)gravel_call_local(call, table) + key);
}

void wide(struct gravel_call call, ulong table, ulong key)
{
    atomic_inc((volatile global uint *)gravel_call_local(call, table) + key);
}

void add(struct gravel_call call, uint key, uint table, uint value, uint zero)
{
    ((global uint *)gravel_call_local(call, table))[key] += value + zero;
}

uint draw(struct gravel_call call, uint key, uint table)
{
    return ((global uint *)gravel_call_local(call, table))[key]++ | key << 16 | call.node << 24;
}

kernel void serve(GRAVEL_ARENA, uint table, ulong answers)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        const struct gravel_reply reply = {answers, GRAVEL_NO_SIGNAL};
        const uint key = item % 31;
        gravel_am4_wg_if(g, active, GRAVEL_HANDLER(add), key, table, item, 0, item % 2);
        gravel_ask2_wg_if(g, active, GRAVEL_HANDLER(draw), key, table + 4 * 31, reply, (uint)item,
                          item % 2);
    }
}
