/* SPDX-License-Identifier: MIT */
/*
 * The producer of bench-gups: every work-item increments one random word somewhere.
 *
 * Path:    gups_gravel.c launches it -> gravel_inc_ulong_wg.
 * Source:  Orr 2016, section 5.4.2 (GUPS).
 */
#include "gravel.cl.h"
#include "gups_stream.h"

/* Global size: updates of this node. Local size: any. table: heap offset of mask + 1 words. */
kernel void gups(GRAVEL_ARENA, ulong table, uint mask)
{
    GRAVEL_OPEN(g);
    ulong random = gups_random(gravel_node(g), get_global_id(0));
    gravel_inc_ulong_wg(g, table, gups_index(random, mask),
                        gups_destination(random, gravel_n_nodes(g)));
}
