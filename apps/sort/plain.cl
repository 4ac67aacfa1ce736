/* SPDX-License-Identifier: MIT */
/*
 * Merge sort with plain kernels: one sorts blocks, one merges all pairs of runs, pass after pass.
 *
 * Path: sort.c -> this -> blocks.cl.h
 */

#include "blocks.cl.h"

/* A group each: blocks of BASE keys. */
kernel void sort_blocks(const global uint *input, global uint *keys, uint n)
{
    local uint own[BASE];
    uint from = (uint)get_group_id(0) * BASE;
    sort_block(input + from, min(n - from, (uint)BASE), keys + from, own);
}

/* A group each: blocks of at most BLOCK keys of a pair of runs of `run` keys, whose last are shorter. */
kernel void merge_runs(const global uint *from, global uint *to, uint n, uint run)
{
    local uint in[BLOCK], out[BLOCK];
    ulong both = 2 * (ulong)run;
    uint blocks = (uint)((both + BLOCK - 1) / BLOCK);
    ulong pair = get_group_id(0) / blocks * both;
    uint first = (uint)(get_group_id(0) % blocks) * BLOCK;
    uint n_both = pair < n ? (uint)min((ulong)n - pair, both) : 0, n_a = min(n_both, run);
    const global uint *a = from + pair, *b = a + n_a;
    uint begin = min(first, n_both), end = min(begin + BLOCK, n_both);
    uint i = path(a, n_a, b, n_both - n_a, begin), i_end = path(a, n_a, b, n_both - n_a, end);
    merge_block(a + i, i_end - i, b + (begin - i), end - i_end - (begin - i), to + pair + begin, in,
                out);
}
