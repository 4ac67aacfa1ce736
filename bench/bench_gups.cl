/* SPDX-License-Identifier: MIT */
/*
 * The producers of bench-gups: every work-item increments one random word, somewhere by message, or in its own table.
 *
 * Path:    gups_gravel.c launches one -> gravel_inc_ulong_wg, or memory.
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

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define INCREMENT(word) (void)atom_inc(word)
#else /* halves; the carry may be late */
#define INCREMENT(word)                                    \
    if (atomic_inc((volatile global uint *)(word)) == ~0u) \
    (void)atomic_inc((volatile global uint *)(word) + 1)
#endif

/* The updates of a node that is alone, without messages: what its memory takes. As gups. */
kernel void gups_alone(GRAVEL_ARENA, ulong table, uint mask)
{
    GRAVEL_OPEN(g);
    volatile global ulong *words = gravel_local(g, table);
    ulong random = gups_random(0, get_global_id(0));
    INCREMENT(words + gups_index(random, mask));
}
