/* SPDX-License-Identifier: MIT */
/*
 * Tasks that groups steal from each other: a task makes two of half its number while that is more than `least`.
 *
 * Path: test_tasks.py, tests/cxx/test_cxx.cpp -> this
 */
#include "gravel.cl.h"
#include "steal.cl.h"

kernel void halve(GRAVEL_STEAL, global volatile uint *n_tasks, uint least)
{
    GRAVEL_STEAL_OPEN(s);
    uint n = 0;
    GRAVEL_STEAL_EACH (s, task) {
        uint lane = (uint)get_local_id(0);
        gravel_steal_push_wg_if(s, lane < 2 && task > least, task / 2);
        n += lane == 0;
    }
    atomic_add(n_tasks, n);
}
kernel void plain(global uint *out)
{
    out[0] = 1;
}
