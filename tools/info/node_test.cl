/* SPDX-License-Identifier: MIT */
/*
 * Work-item i, of N_ITEMS in groups of 64, counts in word i / 2 % N_COUNTERS behind the values, and puts 3 i + 1 to values[i]
 * if i is a multiple of 3, at node i % n.
 *
 * Path: probe.c builds and launches this, and knows the same rules.
 */
#include "gravel.cl.h"

kernel void send_by_number(GRAVEL_ARENA, ulong values)
{
    GRAVEL_OPEN(g);
    uint item = (uint)get_global_id(0), node = item % gravel_n_nodes(g);
    gravel_inc_uint_wg(g, values, N_ITEMS + item / 2 % N_COUNTERS, node);
    gravel_put_uint_wg_if(g, item % 3 == 0, values, item, 3 * item + 1, node);
}
