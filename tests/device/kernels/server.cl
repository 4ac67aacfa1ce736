/* SPDX-License-Identifier: MIT */
/*
 * Handlers with a key, and kernels that send to them; with SENDS, handlers that send. constant 0: struct guarded_key
 * [N_KEYS]; 1: ledger, a counter for each message; 2: marks of senders, the same.
 *
 * Path: test_server.c -> this -> cl/server.cl.h
 */
#include "gravel.cl.h"

#define TREE 63u /* as in test_server.c */

/* All kernels have the same; what a and b are, each says. */
#define ARGUMENTS GRAVEL_ARENA, ulong a, ulong b, ulong marks

void count(struct gravel_call call, ulong number)
{
    global uint *ledger = gravel_call_local(call, call.constants[1]);
    ledger[number] = ledger[number] + 1;
}

/* Stores a message's number at its key, works, and looks whether the number is still there; counts without atomics. Two
 * at once for one key clash, or lose a count. */
void hold(struct gravel_call call, ulong key, ulong number, uint steps)
{
    volatile global uint *words = gravel_call_local(call, call.constants[0] + 16 * key);
    words[0] = (uint)number;
    for (uint i = 0; i < steps; i++)
        words[3] = words[3] * 5 + 1;
    if (words[0] != (uint)number)
        words[2] = words[2] + 1;
    words[1] = words[1] + 1;
}

#if !defined(SENDS)
void witness(struct gravel_call call, ulong key, ulong number)
{
    hold(call, key, number, 40);
    count(call, number);
}

void key_alone(struct gravel_call call, ulong key)
{
    count(call, key);
}

void four(struct gravel_call call, ulong key, ulong a, ulong b, ulong c)
{
    if (a == key + 1 && b == 2 * key && c == call.source)
        count(call, key);
}

void slow(struct gravel_call call, ulong key, ulong n)
{
    volatile global uint *seen = (volatile global uint *)gravel_call_local(call, call.constants[2]);
    (void)key;
    for (ulong i = 0; i < n && !gravelp_device_load_relaxed(&call.arena->fault_claim); i++)
        seen[0] = (uint)i;
}

/* Of a keys, to b nodes. */
kernel void send(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(witness), item % a, item, item / a % b);
    }
}

kernel void send_all(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active && item % 2, GRAVEL_HANDLER(key_alone), item, gravel_node(g));
        gravel_inc_uint_wg_if(g, active, marks, 0, gravel_n_nodes(g) - 1);
        gravel_am4_wg_if(g, active && item % 2 == 0, GRAVEL_HANDLER(four), item, item + 1, 2 * item,
                         gravel_node(g), gravel_node(g));
    }
}

/* Each client a messages. */
kernel void many(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        for (ulong i = 0; i < a; i++)
            gravel_am2_wg_if(g, active, GRAVEL_HANDLER(witness), 7, item, gravel_node(g));
    }
}

/* Each client b messages, of a steps each. */
kernel void send_slowly(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        for (ulong i = 0; i < b; i++)
            gravel_am2_wg_if(g, active, GRAVEL_HANDLER(slow), 7, a, gravel_node(g));
    }
}

/* After a steps, but the first group. */
kernel void come_late(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    volatile global uint *words = (volatile global uint *)gravel_local(g, marks);
    if (get_global_id(0) >= get_local_size(0) && get_local_id(0) == 0)
        for (ulong i = 0; i < a && !gravelp_device_load_relaxed(&g.arena->fault_claim); i++)
            words[1] = (uint)i;
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(key_alone), item, gravel_node(g));
    }
}

kernel void no_loop(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
}

#else
ulong key_of(ulong number, ulong n_keys)
{
    return (number * 7 + number / 3) % n_keys;
}

/* A node of a binary tree of TREE messages, if it finds its sender's mark; then its children. */
void grow(struct gravel_call call, ulong key, ulong number, ulong sender, ulong n_keys)
{
    global uint *marks = gravel_call_local(call, call.constants[2]);
    const ulong tree = number / TREE * TREE, own = number - tree;
    hold(call, key, number, 40);
    if (own == 0 || marks[sender] == sender + 1)
        count(call, number);
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
    hold(call, key % 1000, n_left, 1);
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

/* Trees of a keys. */
kernel void plant(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am4_wg_if(g, active, GRAVEL_HANDLER(grow), key_of(item * TREE, a), item * TREE, 0, a,
                         gravel_node(g));
    }
}

/* Chains of a hops behind the first. */
kernel void begin(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(hop), item, a, gravel_node(g));
    }
}

/* Two handlers that send what they cannot: a messages, or any. */
kernel void send_wrongly(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active && a, GRAVEL_HANDLER(flood), 3, a, gravel_node(g));
        gravel_am1_wg_if(g, active && !a, GRAVEL_HANDLER(quiet), 5, gravel_node(g));
    }
}
#endif
