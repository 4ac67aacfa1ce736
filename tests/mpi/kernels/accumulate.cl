/* SPDX-License-Identifier: MIT */
/*
 * 4096 work-items add 1 to each of n words of every node.
 *
 * Path: works.c -> this -> cl/accumulator.cl.h
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), uint n)
{
    GRAVEL_OPEN(g);
    for (uint i = (uint)get_global_id(0); i < n; i += 4096)
        for (uint to = 0; to < gravel_n_nodes(g); to++)
            gravel_accumulate_uint_wi(g, a, i, 1, to);
}
