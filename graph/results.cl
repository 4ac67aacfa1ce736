/* SPDX-License-Identifier: MIT */
/*
 * The caller's results of this node from words of slots. With several nodes the host defines SEVERAL_NODES: nodes show each
 * other the words of their slots by a mirror, which are words of 4 bytes, or two of them, a piece of each node's at a time.
 *
 * Path:    results.c -> show, a mirror, see -> pick4, pick8.
 */
#ifdef SEVERAL_NODES
#include "gravel.cl.h"

/* Show words `first` to first + n of this node's, `own`, which begin at `begin` in the whole. Global size: at least n.
 * shown: heap offset. */
kernel void show(uint first, uint n, global const uint *restrict own, ulong begin,
                 global uint *restrict whole, ulong shown, GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    const uint i = get_global_id(0);
    if (i < n)
        ((global uint *)gravel_local(g, shown))[i] = whole[begin + first + i] = own[first + i];
}

/* See what the other nodes show. Global size: at least `piece` for each. n: words of each, up to a piece; copies: heap
 * offset of pieces; block: words of a node. */
kernel void see(uint first, uint n, uint piece, uint n_copies, uint node, ulong block,
                global uint *restrict whole, ulong copies, GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    const uint i = get_global_id(0), other = i / piece, at = i % piece;
    if (i < n_copies && at < n)
        whole[(other + (other >= node)) * block + first + at] =
            ((global const uint *)gravel_local(g, copies))[i];
}
#endif

/* n: results. slot_of: [n] words: by slot. */
kernel void pick4(uint n, global const uint *restrict slot_of, global const uint *restrict words,
                  global uint *restrict out)
{
    const uint i = get_global_id(0);
    if (i < n)
        out[i] = words[slot_of[i]];
}

kernel void pick8(uint n, global const uint *restrict slot_of, global const ulong *restrict words,
                  global ulong *restrict out)
{
    const uint i = get_global_id(0);
    if (i < n)
        out[i] = words[slot_of[i]];
}
