/* SPDX-License-Identifier: MIT */
/*
 * Handlers of keys that nodes share out. constant 0: struct account [N_KEYS / N_NODES].
 *
 * Path: test_by_key.c -> this -> cl/server.cl.h
 */
#define GRAVEL_NODE_OF(key, n) ((key) % (n))
#include "gravel.cl.h"

struct account {
    ulong money, n_run;
};

global struct account *at(struct gravel_call call, ulong key)
{
    return (global struct account *)gravel_call_local(call, call.constants[0]) + key / call.n_nodes;
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

void transfer(struct gravel_call call, ulong *from, ulong *to, ulong amount, ulong more)
{
    from[0] -= amount + more;
    to[0] += amount + more;
    from[1]++;
    to[1]++;
}

void deposit(struct gravel_call call, ulong key, ulong amount)
{
    at(call, key)->money += amount;
}

kernel void send(GRAVEL_ARENA, ulong n_keys)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        ulong from = item * 7 % n_keys, to = from % n + n * ((item * 5 + item / 11) % (n_keys / n));
        gravel_am4_wg_if(g, active, GRAVEL_HANDLER(transfer), from, to, item % 7, 1, GRAVEL_BY_KEY);
        gravel_am2_wg_if(g, active && item % 4 == 0, GRAVEL_HANDLER(deposit), to, 3, GRAVEL_BY_KEY);
    }
}
