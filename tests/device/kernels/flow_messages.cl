/* SPDX-License-Identifier: MIT */
/*
 * A flow whose nodes send messages, and kernels that are no nodes and add elements. counters: heap offset of uint [N_WORDS].
 *
 * Path: test_flow_messages.c -> this -> cl/gravel.cl.h
 */
#include "gravel.cl.h"

struct walk {
    uint n, key;
};

struct task {
    uint key;
};

GRAVEL_RECORD(walk)
GRAVEL_RECORD(task)

void walk_task(struct gravel_flow_group f, uint active, struct walk it, ulong counters)
{
    uint next = it.key + 1;
    gravel_inc_uint_wg_if(f.group, active, counters, it.key / 2, it.key % 2);
    gravel_am2_wg_if(f.group, active && it.n, GRAVEL_HANDLER(go_on), it.n - 1, next, next % 2);
}

kernel void run(GRAVEL_ARENA, GRAVEL_FLOW, ulong counters)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, walk)
            walk_task(f, f.active, gravel_read_walk_wi(f), counters);
        GRAVEL_NODE (f, task) {
            uint key = gravel_read_task_wi(f).key;
            gravel_inc_uint_wg_if(f.group, f.active, counters, key + 100 * f.level, 0);
        }
    }
}

kernel void fill(GRAVEL_ARENA, GRAVEL_FLOW, uint every)
{
    GRAVEL_FLOW_PRODUCE(f);
    uint i = get_global_id(0);
    gravel_push_walk_wg_if(f, i % every == 0, (struct walk){0, i});
    gravel_spawn_task_wg_if(f, i % every == 1, (struct task){i});
}

kernel void ask(GRAVEL_ARENA, GRAVEL_FLOW, uint n)
{
    GRAVEL_FLOW_PRODUCE(f);
    gravel_talloc_wg_if(f, n % 2, GRAVEL_CHANNEL(walk), n);
    gravel_enq_wg(f, GRAVEL_CHANNEL(walk));
    gravel_fork_wg_if(f, n % 2 == 0, GRAVEL_CHANNEL(task), GRAVEL_CHANNEL(walk), n);
}
