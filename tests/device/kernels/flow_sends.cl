/* SPDX-License-Identifier: MIT */
/*
 * Tasks of a stack of one level, each of which sends: it increments the word of its number at each node.
 *
 * Path: test_flow_calls.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

struct task {
    uint n, times;
};

struct out {
    uint n;
};

GRAVEL_RECORD(task)
GRAVEL_RECORD(out)

kernel void sends(GRAVEL_ARENA, GRAVEL_FLOW, ulong words)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, task) {
            struct task it = gravel_read_task_wi(f);
#ifdef SENDS
            gravel_inc_uint_wg_if(f.group, f.active, words, it.n, 0);
            gravel_inc_uint_wg_if(f.group, f.active, words, it.n, 1);
#endif

            gravel_push_out_wg_if(f, f.active, (struct out){it.n * it.times});
        }
    }
}
