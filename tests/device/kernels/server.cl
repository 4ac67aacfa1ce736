/* SPDX-License-Identifier: MIT */
/*
 * Handlers with a key, and kernels that send to them. constant 0: struct guarded_key [N_KEYS]; 1: ledger, uint
 * [MOST_ITEMS], a counter for each work-item.
 *
 * Path: test_server.c -> this -> cl/server.cl.h
 */
#include "witness.cl.h"

void witness(struct gravel_call call, ulong key, ulong number)
{
    global uint *ledger = gravel_call_local(call, call.constants[1]);
    hold(call, key, number, call.constants[0], 40, 1);
    ledger[number] = ledger[number] + 1;
}

void key_alone(struct gravel_call call, ulong key)
{
    global uint *ledger = gravel_call_local(call, call.constants[1]);
    ledger[key] = ledger[key] + 1;
}

void four(struct gravel_call call, ulong key, ulong a, ulong b, ulong c)
{
    global uint *ledger = gravel_call_local(call, call.constants[1]);
    if (a == key + 1 && b == 2 * key && c == call.source)
        ledger[key] = ledger[key] + 1;
}

kernel void send(GRAVEL_ARENA, uint n_keys, uint n_nodes)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(witness), item % n_keys, item,
                         item / n_keys % n_nodes);
    }
}

kernel void send_all(GRAVEL_ARENA, ulong counter)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active && item % 2, GRAVEL_HANDLER(key_alone), item, gravel_node(g));
        gravel_inc_uint_wg_if(g, active, counter, 0, gravel_n_nodes(g) - 1);
        gravel_am4_wg_if(g, active && item % 2 == 0, GRAVEL_HANDLER(four), item, item + 1, 2 * item,
                         gravel_node(g), gravel_node(g));
    }
}

kernel void many(GRAVEL_ARENA, uint n_calls)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        for (uint i = 0; i < n_calls; i++)
            gravel_am2_wg_if(g, active, GRAVEL_HANDLER(witness), 7, item, gravel_node(g));
    }
}

void slow(struct gravel_call call, ulong key, ulong n)
{
    volatile global uint *seen = (volatile global uint *)gravel_call_local(call, call.constants[1]);
    (void)key;
    for (ulong i = 0; i < n && !gravelp_device_load_relaxed(&call.arena->fault_claim); i++)
        seen[0] = (uint)i;
}

kernel void send_slowly(GRAVEL_ARENA, ulong n_steps, uint n_calls)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        for (uint i = 0; i < n_calls; i++)
            gravel_am2_wg_if(g, active, GRAVEL_HANDLER(slow), 7, n_steps, gravel_node(g));
    }
}

kernel void come_late(GRAVEL_ARENA, ulong n_steps, ulong ledger)
{
    GRAVEL_SERVER_OPEN(g);
    volatile global uint *words = (volatile global uint *)gravel_local(g, ledger);
    if (get_global_id(0) >= get_local_size(0) && get_local_id(0) == 0)
        for (ulong i = 0; i < n_steps && !gravelp_device_load_relaxed(&g.arena->fault_claim); i++)
            words[1] = (uint)i;
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(key_alone), item, gravel_node(g));
    }
}

kernel void no_loop(GRAVEL_ARENA)
{
    GRAVEL_SERVER_OPEN(g);
}
