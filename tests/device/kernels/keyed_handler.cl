/* SPDX-License-Identifier: MIT */
/*
 * Handlers with a key, and one without.
 *
 * Path: test_keyed_handler.c -> this
 */
#include "witness.cl.h"

void witness(struct gravel_call call, ulong key, ulong number, ulong table)
{
    hold(call, key, number, table, 300, 1);
}

void twice(struct gravel_call call, ulong key, ulong number, ulong table)
{
    hold(call, key, number, table, 300, 2);
}

void tally(struct gravel_call call, ulong key, ulong table)
{
    volatile global uint *counters = gravel_call_local(call, table);
    atomic_inc(&counters[key]);
}
