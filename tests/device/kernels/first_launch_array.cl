/* SPDX-License-Identifier: MIT */
/*
 * A kernel whose name tells how much private memory it takes: for pooled_driver.c. A program of its own, for there are
 * many sizes, and all else is compiled once. The host defines NAME and WORDS, of the array.
 *
 * Path: test_first_launch.c -> this
 */
kernel void NAME(global void *arena, global uint *out)
{
    uint words[WORDS], at = out[get_global_id(0)];
    for (uint i = 0; i < WORDS; i++)
        words[(i * 7 + at) % WORDS] = i;
    for (uint i = 0; i < 64; i++)
        at += words[(at + i) % WORDS];
    out[get_global_id(0)] = at | 1;
}
