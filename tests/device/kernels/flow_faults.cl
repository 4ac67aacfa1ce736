/* SPDX-License-Identifier: MIT */
/*
 * A task with a fault: 0 three elements of an edge of two, 1 one of no edge, 2 a task too deep, 3 a return to no slot, 4 a
 * return to a task's slot, 99 none. keeps: it does not hand over what it has taken.
 *
 * Path: flow_faults.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

struct task {
    uint fault;
    gravel_slot to;
};
struct after {
    uint sum;
};
struct out {
    uint n;
};
struct other {
    uint n;
};
GRAVEL_RECORD(task)
GRAVEL_RECORD(after)
GRAVEL_RECORD(out)
GRAVEL_RECORD(other)

void task_task(struct gravel_flow_group f, uint active, struct task it, uint keeps)
{
    uint fault = active ? it.fault : 99;
    gravel_ce a = gravel_sync_after_wg_if(f, fault == 4, (struct after){0});
    gravel_spawn_task_wg_if(f, fault == 2, it);
    uint n = active ? fault == 0 ? 3 : 1 : 0;
    gravel_ce ce = gravel_talloc_wg(f, GRAVEL_CHANNEL(out), n);
    for (uint i = 0; i < n; i++)
        gravel_write_out_wi(f, GRAVEL_CHANNEL(out), ce + i, (struct out){n});
    if (!keeps)
        gravel_enq_wg(f, GRAVEL_CHANNEL(out));
    gravel_push_other_wg_if(f, fault == 1, (struct other){7});
    gravel_slot slot = GRAVEL_SLOT(f, a, after, sum);
    gravel_return_uint_wg_if(f, fault == 3, 0xfffffff0u, 1);
    gravel_return_uint_wg_if(f, fault == 4, slot + 64, 1);
}

kernel void faults(GRAVEL_ARENA, GRAVEL_FLOW, uint keeps)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, task)
            task_task(f, f.active, gravel_read_task_wi(f), keeps);
    }
}
