/* SPDX-License-Identifier: MIT */
/*
 * Queens with a plain kernel: a work-item for each board that the host has begun.
 *
 * Path: queens.c -> this -> board.cl.h
 */
#include "board.cl.h"

/* Rows of columns, left and right [3][n]; how many solutions each has [n]. */
kernel void solve(const global uint *boards, global uint *found, uint n, uint full)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        found[i] = solutions(boards[i], boards[n + i], boards[2 * n + i], full);
}
