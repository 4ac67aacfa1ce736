/* SPDX-License-Identifier: MIT */
/*
 * Handlers with two keys. constant 0: struct account [N_KEYS]. both: the keys again; number: of the message. BY_KEY: keys have
 * nodes, to which they are sent; what is wrong then: APART, two keys have two nodes; NODE, a node; SENDS, a transaction does.
 *
 * Path: test_transaction.c -> this -> cl/server.cl.h
 */
#if defined(BY_KEY)
#define GRAVEL_NODE_OF(key, n) ((key) % (n))
#if !defined(NODE)
#define NODE GRAVEL_BY_KEY
#endif
#else
#define NODE (uint)(item % n_nodes)
#endif
#include "gravel.cl.h"

struct account {
    ulong money, n_run;
    uint holder, n_clashes, work, n_swaps;
};

global struct account *at(struct gravel_call call, ulong key)
{
    return (global struct account *)gravel_call_local(call, call.constants[0]) + key;
}

void account_load(struct gravel_call call, ulong key, ulong *words)
{
    words[0] = at(call, key)->money;
    words[1] = at(call, key)->n_run;
}

void account_store(struct gravel_call call, ulong key, const ulong *words)
{
    at(call, key)->money = words[0];
    at(call, key)->n_run = words[1];
}

void hold(volatile global struct account *account, uint number)
{
    account->holder = number;
    for (uint i = 0; i < 40; i++)
        account->work = account->work * 5 + 1;
}

void transfer(struct gravel_call call, ulong *from, ulong *to, ulong number, ulong both)
{
    global struct account *a = at(call, both >> 32), *b = at(call, both & 0xffffffffu);
    hold(a, (uint)number);
    hold(b, (uint)number);
    a->n_clashes += a->holder != (uint)number;
    b->n_clashes += b->holder != (uint)number;
#if defined(SENDS)
    gravel_serve_am4(call, GRAVEL_HANDLER(deposit), 1, 3, 0, 0);
#endif
    from[0] -= number % 7;
    to[0] += number % 7;
    from[1]++;
    to[1]++;
}

void long_load(struct gravel_call call, ulong key, ulong *words)
{
    for (uint i = 0; i < 16; i++)
        words[i] = i == 3 ? at(call, key)->n_swaps : i;
}

void long_store(struct gravel_call call, ulong key, const ulong *words)
{
    at(call, key)->n_swaps = (uint)words[3];
    for (uint i = 4; i < 16; i++)
        at(call, key)->n_clashes += words[i] != i;
}

void swap(struct gravel_call call, ulong *one, ulong *other, ulong number, ulong both)
{
    one[3]++;
    other[3]++;
}

void deposit(struct gravel_call call, ulong key, ulong amount, ulong number, ulong both)
{
    at(call, key)->money += amount;
}

kernel void send(GRAVEL_ARENA, ulong n_keys, uint n_nodes)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        ulong from = item * 7 % n_keys, to = item * 5 + item / 11;
#if defined(APART)
        to = from + 1;
#elif defined(BY_KEY)
        to = from % gravel_n_nodes(g) + gravel_n_nodes(g) * (to % (n_keys / gravel_n_nodes(g)));
#else
        to %= n_keys;
#endif
        for (uint kind = 0; kind < 3; kind++)
            gravel_am4_wg_if(g, active && item % (kind ? 2 * kind : 1) == 0, kind,
                             kind < 2 ? from : to, kind < 2 ? to : 3, item, from << 32 | to, NODE);
    }
}
