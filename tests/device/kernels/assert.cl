/* SPDX-License-Identifier: MIT */
/*
 * Kernels that assert. Tests name the lines.
 *
 * Path: test_assert.c -> this -> cl/print.cl.h
 */
#include "gravel.cl.h"
#include "print.cl.h"

kernel void grid(GRAVEL_ARENA, uint x, uint y, uint z)
{
    GRAVEL_OPEN(g);
    for (uint turn = 0; turn < 3; turn++)
        if (get_global_id(0) == x) {
            bool is_wrong = get_global_id(1) == y && get_global_id(2) == z && turn == 2;
            gravel_assert(g, !is_wrong); /* line 16 */
        }
}

/* More failures than one, among group calls; what each returns. */
kernel void runs_on(GRAVEL_ARENA, ulong word, global uint *held)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0), n = 0;
    gravel_inc_uint_wg(g, word, 0, 0);
    held[i] = 2 + gravel_assert(g, n++ < i % 2); /* line 26 */
    gravel_inc_uint_wg_if(g, n == 1, word, 0, 0);
    held[i] += 10 * n;
}

kernel void trap(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    if (get_global_id(0) == 70)
        gravel_trap(g, "100 % of seventy"); /* line 35 */
}

#define T16 "0123456789abcdef"
#define T64 T16 T16 T16 T16

kernel void longest_text(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    if (get_global_id(0) == 0)
        gravel_trap(g, T64 T16 T16 T16 "0123456789abcde"); /* line 45 */
}

kernel void cut_text(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    if (get_global_id(0) == 0)
        gravel_trap(g, T64 T64 "x"); /* line 52 */
}
