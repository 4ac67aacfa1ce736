/* SPDX-License-Identifier: MIT */
/*
 * Handlers that send. constant 0: struct guarded_key [N_KEYS]; 1: ledger, uint [N_MESSAGES]; 2: marks of senders, the same.
 *
 * Path: test_sender.c -> this -> cl/server.cl.h
 */
#include "sender.h"
#include "witness.cl.h"

ulong key_of(ulong number, ulong n_keys)
{
    return (number * 7 + number / 3) % n_keys;
}

void grow(struct gravel_call call, ulong key, ulong number, ulong sender, ulong n_keys)
{
    global uint *ledger = gravel_call_local(call, call.constants[1]);
    global uint *marks = gravel_call_local(call, call.constants[2]);
    const ulong tree = number / TREE * TREE, own = number - tree;
    hold(call, key, number, call.constants[0], 40, 1);
    if (own == 0 || marks[sender] == sender + 1)
        ledger[number] = ledger[number] + 1;
    marks[number] = (uint)number + 1;
    if (2 * own + 2 >= TREE)
        return;
    const ulong first = tree + 2 * own + 1;
    gravel_serve_am4(call, GRAVEL_HANDLER(grow), key_of(first, n_keys), first, number, n_keys);
    gravel_serve_am4(call, GRAVEL_HANDLER(grow), key_of(first + 1, n_keys), first + 1, number,
                     n_keys);
}

void hop(struct gravel_call call, ulong key, ulong n_left)
{
    hold(call, key % N_KEYS, n_left, call.constants[0], 1, 1);
    if (n_left)
        gravel_serve_am2(call, GRAVEL_HANDLER(hop), key + 1, n_left - 1);
}

void flood(struct gravel_call call, ulong key, ulong n)
{
    for (ulong i = 0; i < n; i++)
        gravel_serve_am2(call, GRAVEL_HANDLER(flood), key, 0);
}

void quiet(struct gravel_call call, ulong key)
{
    gravel_serve_am1(call, GRAVEL_HANDLER(quiet), key);
}

kernel void plant(GRAVEL_ARENA, ulong n_keys)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am4_wg_if(g, active, GRAVEL_HANDLER(grow), key_of(item * TREE, n_keys), item * TREE,
                         0, n_keys, gravel_node(g));
    }
}

kernel void begin(GRAVEL_ARENA, ulong n_left)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(hop), item, n_left, gravel_node(g));
    }
}

kernel void open_flood(GRAVEL_ARENA, ulong n)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(flood), 3, n, gravel_node(g));
    }
}

kernel void send_quietly(GRAVEL_ARENA, ulong key)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(quiet), key, gravel_node(g));
    }
}
