/* SPDX-License-Identifier: MIT */
/*
 * Every work-item counts in one word and stores in another, at the node its number says.
 *
 * Path: node_test.c builds and launches this, and knows the same rules.
 */
#include "gravel.cl.h"

/*
 * Global size N_ITEMS, local size 64. counters [N_COUNTERS] uint and values [N_ITEMS] ulong at every node.
 * When its messages are applied, counters holds how many items named the word, and values[i] of node i % n
 * holds 3 i + 1 if i is a multiple of 3.
 */
kernel void send_by_number(GRAVEL_ARENA, ulong counters, ulong values)
{
    GRAVEL_OPEN(g);
    uint item = (uint)get_global_id(0);
    uint node = item % gravel_n_nodes(g);
    gravel_inc_uint_wg(g, counters, item / 2 % N_COUNTERS, node);
    gravel_put_ulong_wg_if(g, item % 3 == 0, values, item, 3ul * item + 1, node);
}
