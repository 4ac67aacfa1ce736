/* SPDX-License-Identifier: MIT */
/*
 * Each node's servers take messages of all other nodes. constant 0: ulong [keys].
 *
 * Path: works.c -> this -> cl/server.cl.h
 */
#include "gravel.cl.h"

void tally(struct gravel_call call, ulong key)
{
    ((global ulong *)gravel_call_local(call, call.constants[0]))[key]++;
}

kernel void send(GRAVEL_ARENA, ulong n_keys)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(tally), item % n_keys,
                         (gravel_node(g) + 1 + item % (n - 1)) % n);
    }
}
