/* SPDX-License-Identifier: MIT */
/*
 * Updates [first, n) of a node. The host defines N_ELEMENTS.
 *
 * Path: words_ledger.c -> this -> cl/accumulator.cl.h
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

ulong mix(ulong x)
{
    x += 0x9e3779b97f4a7c15ul;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}

kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), ulong first, ulong n)
{
    GRAVEL_OPEN(g);
    ulong i = first + get_global_id(0), drawn = mix((ulong)gravel_node(g) << 40 | i);
    uint index = (uint)(drawn >> 60 ? drawn : drawn % 5) % N_ELEMENTS;
    if (i < n)
        gravel_accumulate_uint_wi(g, a, index, (uint)i * 2654435761u + gravel_node(g),
                                  (drawn >> 40) % gravel_n_nodes(g));
}
