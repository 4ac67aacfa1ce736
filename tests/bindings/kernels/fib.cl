/* SPDX-License-Identifier: MIT */
/*
 * A flow of Fibonacci numbers: a task makes two, and a sum that waits for both.
 *
 * Path: test_tasks.py, tests/cxx/test_cxx.cpp -> this
 */
#include "gravel.cl.h"
struct fib {
    uint n;
    gravel_slot to;
};
struct sum {
    uint x, y;
    gravel_slot to;
};
GRAVEL_RECORD(fib)
GRAVEL_RECORD(sum)
kernel void fibonacci(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, fib) {
            struct fib task = gravel_read_fib_wi(f);
            uint leaf = task.n < 2, goes_on = f.active && !leaf;
            gravel_return_uint_wg_if(f, f.active && leaf, task.to, task.n);
            gravel_ce s = gravel_sync_sum_wg_if(f, goes_on, (struct sum){0, 0, task.to});
            gravel_spawn_fib_wg_if(f, goes_on, (struct fib){task.n - 1, GRAVEL_SLOT(f, s, sum, x)});
            gravel_spawn_fib_wg_if(f, goes_on, (struct fib){task.n - 2, GRAVEL_SLOT(f, s, sum, y)});
        }
        GRAVEL_NODE (f, sum) {
            struct sum task = gravel_read_sum_wi(f);
            gravel_return_uint_wg_if(f, f.active, task.to, task.x + task.y);
        }
    }
}
