/* SPDX-License-Identifier: MIT */
/*
 * A task that turns for a while and pushes its next turn.
 *
 * Path: test_flow_resident.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

struct turn {
    uint n, looks, seed;
};
struct out {
    uint n;
};
GRAVEL_RECORD(turn)
GRAVEL_RECORD(out)

void turn_task(struct gravel_flow_group f, uint active, struct turn it)
{
    uint number = it.seed;
    for (uint i = 0; active && i < it.looks; i++)
        number = number * 1664525u + 1013904223u;
    gravel_barrier_wg(f.group);
    gravel_push_turn_wg_if(f, active && it.n, (struct turn){it.n - 1, it.looks, number});
    gravel_push_out_wg_if(f, active && !it.n, (struct out){number});
}

kernel void turns(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, turn)
            turn_task(f, f.active, gravel_read_turn_wi(f));
    }
}
