/* SPDX-License-Identifier: MIT */
/*
 * Handlers that answer. draw: the numbers of a key one after the other, by a plain load and store; of NUMBER.
 *
 * Path: test_ask.c -> this -> cl/server.cl.h
 */
#define GRAVEL_NODE_OF(key, n) ((key) % (n))
#include "gravel.cl.h"

NUMBER draw(struct gravel_call call, NUMBER key, NUMBER table)
{
    volatile global uint *number = (volatile global uint *)gravel_call_local(call, table) + key;
    const uint drawn = *number;
    uint n_same = 0;
    for (uint i = 0; i < 300; i++) /* for others to come between */
        n_same += *number == drawn;
    *number = drawn + 1;
    return (NUMBER)((n_same == 300 ? drawn : 0xffff) | call.node << 16 | (uint)key << 24);
}

void mute(struct gravel_call call, ulong a)
{
    (void)call, (void)a;
}

kernel void ask(GRAVEL_ARENA, ulong table, ulong answers, ulong signals, ulong n_keys)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        const ulong first = item - get_local_id(0), key = item % n_keys;
        const struct gravel_reply reply = {answers, signals + 4 * (first / get_local_size(0))};
        gravel_ask2_wg_if(g, active, GRAVEL_HANDLER(draw), key, table, reply, (uint)item,
                          GRAVEL_BY_KEY);
        gravel_am2_wg_if(g, active && key % 3 == 0, GRAVEL_HANDLER(draw), key, table,
                         gravel_node(g));
    }
}
