/* SPDX-License-Identifier: MIT */
/*
 * The caller's results of this node from words of slots.
 *
 * Path:    results.c
 */

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
