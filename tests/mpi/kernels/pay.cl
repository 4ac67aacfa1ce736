/* SPDX-License-Identifier: MIT */
/*
 * Transactions of keys of one node. Keys are few, so that most wait. constant 0: ulong [N_KEYS / nodes], each at first MONEY.
 *
 * Path: works.c -> this -> cl/server.cl.h
 */
#define GRAVEL_NODE_OF(key, n) ((key) % (n))
#include "gravel.cl.h"

global ulong *at(struct gravel_call call, ulong key)
{
    return (global ulong *)gravel_call_local(call, call.constants[0]) + key / call.n_nodes;
}

void money_load(struct gravel_call call, ulong key, ulong *words)
{
    *words = *at(call, key);
}

void money_store(struct gravel_call call, ulong key, const ulong *words)
{
    *at(call, key) = *words;
}

void pay(struct gravel_call call, ulong *from, ulong *to, ulong amount)
{
    if (*from < amount)
        return;
    *from -= amount;
    *to += amount;
}

kernel void send(GRAVEL_ARENA, ulong n_keys)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        const ulong from = item * 7 % n_keys;
        const ulong to = from % n + n * ((item * 5 + item / 11) % (n_keys / n));
        gravel_am3_wg_if(g, active, GRAVEL_HANDLER(pay), from, to, item % 97, GRAVEL_BY_KEY);
    }
}
