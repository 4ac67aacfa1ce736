/* SPDX-License-Identifier: MIT */
/*
 * Streams; what goes where is said in test_flow.c.
 *
 * Path: test_flow.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

struct in {
    uint n, form;
};

struct loop {
    uint n, form;
};

struct out {
    uint n, form;
};

struct whole {
    uint n, form;
};

GRAVEL_RECORD(in)
GRAVEL_RECORD(loop)
GRAVEL_RECORD(out)
GRAVEL_RECORD(whole)

void in_task(struct gravel_flow_group f, uint active, struct in it)
{
    uint n = active ? it.n % 4 : 0, alone = n && it.form == 1, by_item = n && it.form == 2;
    gravel_ce ce = gravel_talloc_wg(f, GRAVEL_CHANNEL(out), alone || by_item ? 0 : n);
    for (uint i = 0; i < n && !alone && !by_item; i++)
        gravel_write_out_wi(f, GRAVEL_CHANNEL(out), ce + i, (struct out){it.n * 10 + i, 0});
    gravel_enq_wg(f, GRAVEL_CHANNEL(out));
    for (uint i = 0; i < n && alone; i++)
        gravel_push_out_wi(f, (struct out){it.n * 10 + i, 1});
    gravel_barrier_wg(f.group);
    if (by_item) {
        ce = gravel_talloc_wi(f, GRAVEL_CHANNEL(out), n);
        for (uint i = 0; i < n; i++)
            gravel_write_out_wi(f, GRAVEL_CHANNEL(out), ce + i, (struct out){it.n * 10 + i, 2});
        gravel_enq_wi(f, GRAVEL_CHANNEL(out));
    }
    gravel_barrier_wg(f.group);
}

void loop_task(struct gravel_flow_group f, uint active, struct loop it)
{
    gravel_push_loop_wg_if(f, active && it.n, (struct loop){it.n - 1, it.form});
    gravel_push_out_wg_if(f, active && !it.n, (struct out){it.form, 3});
}

void whole_task(struct gravel_flow_group f, uint active, struct whole it, local uint *sums)
{
    uint lane = get_local_id(0), n_lanes = get_local_size(0), sum = 0;
    sums[lane] = active ? it.n + lane : 0;
    gravel_barrier_wg(f.group);
    for (uint i = 0; i < n_lanes; i++)
        sum += sums[i];
    gravel_barrier_wg(f.group);
    gravel_push_out_wg_if(f, active && lane + 1 == n_lanes, (struct out){sum, it.form});
}

kernel void forms(GRAVEL_ARENA, GRAVEL_FLOW)
{
    local uint sums[24];
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, in)
            in_task(f, f.active, gravel_read_in_wi(f));
        GRAVEL_NODE (f, loop)
            loop_task(f, f.active, gravel_read_loop_wi(f));
        GRAVEL_NODE (f, whole)
            whole_task(f, f.active, gravel_read_whole_wi(f), sums);
    }
}
