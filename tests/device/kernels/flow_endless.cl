/* SPDX-License-Identifier: MIT */
/*
 * A task that ends when the host opens its gate.
 *
 * Path: test_flow_calls.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

struct task {
    uint n;
};

GRAVEL_RECORD(task)

kernel void endless(GRAVEL_ARENA, GRAVEL_FLOW, ulong gate)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, task) {
            struct task it = gravel_read_task_wi(f);
            gravel_spawn_task_wg_if(f, f.active && it.n, (struct task){it.n - 1});
            global uint *word = (global uint *)gravelp_heap(f.group.arena, gate);
            while (f.active && it.n == 0 && gravelp_load_acquire(word) == 0)
                gravelp_pause(0, false);
            gravel_barrier_wg(f.group);
        }
    }
}
