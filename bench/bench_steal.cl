/* SPDX-License-Identifier: MIT */
/*
 * Tasks for bench-steal: nodes of a random tree, and rows of a sparse matrix. A task's work is the whole group's.
 *
 * Path:    bench_steal.c -> this -> its check.
 * Source:  Orr et al. 2015, section 5.3 (a task is as many vertices as a group has work-items).
 */
#include "gravel.cl.h"
#include "steal.cl.h"

static uint mix(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

#ifdef HAS_PUSHES
/*
 * Global size: a deque a group. A task is a node's number; it has 4 children if mix of it is less than `chance`. Each
 * work-item does `rounds` rounds of mix. sums: [work-items], work-item 0 of a group adds up its nodes' numbers.
 */
kernel void tree(GRAVEL_STEAL, uint chance, uint rounds, global uint *sums)
{
    GRAVEL_STEAL_OPEN(s);
    uint lane = get_local_id(0), sum = 0, waste = 0;
    GRAVEL_STEAL_EACH (s, task) {
        uint node = (uint)task, h = node + lane;
        for (uint i = 0; i < rounds; i++)
            h = mix(h);
        waste += h;
        sum += node;
        uint child = mix(node * 4 + lane + 0x9e3779b9u);
        gravel_steal_push_wg_if(s, lane < 4 && mix(node) < chance, (ulong)child);
    }
    sums[get_global_id(0)] = lane == 0 ? sum : rounds ? waste | 1 : 0;
}
#endif

/*
 * Global size: a group for each deque. A task is a number of a stretch of as many rows as the group has
 * work-items. first: [n_rows + 1]. y: [n_rows] sums of x at the row's columns.
 */
kernel void rows(GRAVEL_STEAL, uint n_rows, global const uint *first, global const uint *columns,
                 global const uint *x, global uint *y)
{
    GRAVEL_STEAL_OPEN(s);
    GRAVEL_STEAL_EACH (s, task) {
        uint row = (uint)task * get_local_size(0) + get_local_id(0);
        if (row < n_rows) {
            uint sum = 0;
            for (uint e = first[row]; e < first[row + 1]; e++)
                sum += x[columns[e]];
            y[row] = sum;
        }
    }
}
