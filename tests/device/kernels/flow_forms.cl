/* SPDX-License-Identifier: MIT */
/*
 * Channels of every kind; what goes where is said in test_flow.c.
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

struct task {
    uint n;
    gravel_slot to, wide;
};

struct after {
    int sum;
    uint n;
    gravel_slot to, wide;
};

struct late {
    float real;
    int sum;
    ulong wide_sum;
    uint n;
    gravel_slot to, wide;
};

GRAVEL_RECORD(in)
GRAVEL_RECORD(loop)
GRAVEL_RECORD(out)
GRAVEL_RECORD(task)
GRAVEL_RECORD(after)
GRAVEL_RECORD(late)
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

void task_task(struct gravel_flow_group f, uint active, struct task it)
{
    uint splits = active && it.n > 1;
    gravel_return_add_int_wg_if(f, active && !splits, it.to, -1);
    gravel_ce a = gravel_sync_after_wg_if(f, splits, (struct after){0, it.n, it.to, it.wide});
    gravel_slot sum = GRAVEL_SLOT(f, a, after, sum);
    gravel_spawn_task_wg_if(f, splits, (struct task){it.n / 2, sum, it.wide});
    gravel_spawn_task_wg_if(f, splits, (struct task){it.n - it.n / 2, sum, it.wide});
}

void after_task(struct gravel_flow_group f, uint active, struct after it)
{
    struct late late = {0.5f, it.sum, 0, it.n, it.to, it.wide};
    gravel_ce l = gravel_sync_late_wg_if(f, active, late);
    gravel_return_ulong_wg_if(f, active, GRAVEL_SLOT(f, l, late, wide_sum),
                              (ulong)it.n << 33 | it.n);
    gravel_return_add_float_wg_if(f, active, GRAVEL_SLOT(f, l, late, real), 0.25f * it.n);
}

void late_task(struct gravel_flow_group f, uint active, struct late it)
{
    uint is_right = it.wide_sum == ((ulong)it.n << 33 | it.n) && it.real == 0.5f + 0.25f * it.n &&
                    it.sum == -(int)it.n;
    gravel_return_add_int_wg_if(f, active, it.to, is_right ? it.sum : 1000000);
    if (active && f.level == 0)
        gravel_return_long_wi(f, it.wide, (long)it.sum * 1000000000000);
    gravel_barrier_wg(f.group);
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
        GRAVEL_NODE (f, task)
            task_task(f, f.active, gravel_read_task_wi(f));
        GRAVEL_NODE (f, after)
            after_task(f, f.active, gravel_read_after_wi(f));
        GRAVEL_NODE (f, late)
            late_task(f, f.active, gravel_read_late_wi(f));
    }
}
