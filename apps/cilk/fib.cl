/* SPDX-License-Identifier: MIT */
/*
 * Fibonacci numbers by the recursion, every call a task.
 *
 * Path: fib.c -> this
 * Source: Orr 2016, figures 4-6 to 4-9.
 */
#include "gravel.cl.h"
#include "records.h"

GRAVEL_RECORD(fib)
GRAVEL_RECORD(sum)

#ifdef BY_ITEM
/* Each work-item reserves what it makes, to compare with. */
static inline void fib_task(struct gravel_flow_group f, uint active, struct fib task)
{
    uint is_leaf = task.n < 2;
    gravel_return_uint_wg_if(f, active && is_leaf, task.to, task.n);
    if (active && !is_leaf) {
        gravel_ce after = gravel_sync_sum_wi(f, (struct sum){0, 0, task.to});
        gravel_spawn_fib_wi(f, (struct fib){task.n - 1, GRAVEL_SLOT(f, after, sum, x)});
        gravel_spawn_fib_wi(f, (struct fib){task.n - 2, GRAVEL_SLOT(f, after, sum, y)});
    }
    gravel_barrier_wg(f.group);
}
#else
static inline void fib_task(struct gravel_flow_group f, uint active, struct fib task)
{
    uint is_leaf = task.n < 2, goes_on = active && !is_leaf;
    gravel_return_uint_wg_if(f, active && is_leaf, task.to, task.n);
    struct gravel_fork fork =
        gravel_fork_wg_if(f, goes_on, GRAVEL_CHANNEL(sum), GRAVEL_CHANNEL(fib), 2);
    struct fib x = {task.n - 1, GRAVEL_SLOT(f, fork.after, sum, x)};
    struct fib y = {task.n - 2, GRAVEL_SLOT(f, fork.after, sum, y)};
    struct sum sum = {0, 0, task.to};
    gravel_write_sum_wg_if(f, goes_on, GRAVEL_CHANNEL(sum), fork.after, sum);
    gravel_write_fib_wg_if(f, goes_on, GRAVEL_CHANNEL(fib), fork.first, x);
    gravel_write_fib_wg_if(f, goes_on, GRAVEL_CHANNEL(fib), fork.first + 1, y);
}

#endif

static inline void sum_task(struct gravel_flow_group f, uint active, struct sum task)
{
    gravel_return_uint_wg_if(f, active, task.to, task.x + task.y);
}

kernel void fib_flow(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, fib)
            fib_task(f, f.active, gravel_read_fib_wi(f));
        GRAVEL_NODE (f, sum)
            sum_task(f, f.active, gravel_read_sum_wi(f));
    }
}
