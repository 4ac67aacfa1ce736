/* SPDX-License-Identifier: MIT */
/*
 * Cilk's merge sort as a flow: quarters are sorted, merged to halves, and these to the whole; a merge is divided until
 * a work-group can do its part.
 *
 * In Cilk:
 *     void sort(int *keys, int *spare, int n)
 *     {
 *         if (n <= BASE)
 *             return sort_block(keys, n);
 *         spawn sort(each quarter);
 *         sync;
 *         spawn merge(first two quarters, to spare), spawn merge(last two, to spare);
 *         sync;
 *         spawn merge(both halves, to keys);
 *     }
 *
 * Path: sort.c -> this -> blocks.cl.h
 * Source: Orr 2016, table 4-3 (Sort of MIT Cilk).
 */
#include "gravel.cl.h"
#include "sort.h"
#include "blocks.cl.h"

GRAVEL_RECORD(split)
GRAVEL_RECORD(leaf)
GRAVEL_RECORD(halves)
GRAVEL_RECORD(whole)
GRAVEL_RECORD(merge)
GRAVEL_RECORD(join)

/* Returns where quarter i of a part begins. */
static inline uint quarter(uint from, uint n, uint i)
{
    return from + (uint)((ulong)n * i / 4);
}

/* Four tasks of a channel, split or leaf, and what comes after them. */
static inline void make_quarters(struct gravel_flow_group f, uint active, struct split task,
                                 uint into)
{
    struct gravel_fork fork = gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(halves), into, 4);
    struct halves halves = {task.from, task.n};
    gravel_write_halves_wg_if(f, active, GRAVEL_CHANNEL(halves), fork.after, halves);
    for (uint i = 0; i < 4; i++) {
        uint begin = quarter(task.from, task.n, i), end = quarter(task.from, task.n, i + 1);
        struct split part = {begin, end - begin};
        gravel_write_split_wg_if(f, active, into, fork.first + i, part);
    }
}

static inline void split_task(struct gravel_flow_group f, uint active, struct split task)
{
    uint is_last = (task.n + 3) / 4 <= BASE;
    make_quarters(f, active && !is_last, task, GRAVEL_CHANNEL(split));
    make_quarters(f, active && is_last, task, GRAVEL_CHANNEL(leaf));
}

static inline void spawn_merge(struct gravel_flow_group f, uint active, struct merge task)
{
    uint is_last = task.n_a + task.n_b <= BLOCK;
    struct join join = {task.a, task.n_a, task.b, task.n_b, task.to, task.is_back};
    gravel_spawn_merge_wg_if(f, active && !is_last, task);
    gravel_spawn_join_wg_if(f, active && is_last, join);
}

static inline void halves_task(struct gravel_flow_group f, uint active, struct halves task)
{
    uint at[5];
    for (uint i = 0; i < 5; i++)
        at[i] = quarter(task.from, task.n, i);
    struct merge first = {at[0], at[1] - at[0], at[1], at[2] - at[1], at[0], 0};
    struct merge second = {at[2], at[3] - at[2], at[3], at[4] - at[3], at[2], 0};
    gravel_sync_whole_wg_if(f, active, (struct whole){task.from, task.n});
    spawn_merge(f, active, first);
    spawn_merge(f, active, second);
}

static inline void whole_task(struct gravel_flow_group f, uint active, struct whole task)
{
    uint middle = quarter(task.from, task.n, 2), n_first = middle - task.from;
    struct merge merge = {task.from, n_first, middle, task.n - n_first, task.from, 1};
    spawn_merge(f, active, merge);
}

static inline void merge_task(struct gravel_flow_group f, uint active, struct merge task,
                              const global uint *from)
{
    uint n = (task.n_a + task.n_b) / 2, i = 0;
    if (active)
        i = path(from + task.a, task.n_a, from + task.b, task.n_b, n);
    gravel_barrier_wg(f.group);
    struct merge first = {task.a, i, task.b, n - i, task.to, task.is_back};
    struct merge second = {task.a + i,       task.n_a - i, task.b + n - i,
                           task.n_b + i - n, task.to + n,  task.is_back};
    spawn_merge(f, active, first);
    spawn_merge(f, active, second);
}

kernel void sort_flow(GRAVEL_ARENA, GRAVEL_FLOW, const global uint *input, global uint *keys,
                      global uint *spare)
{
    local uint in[BLOCK], out[BLOCK];
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, split)
            split_task(f, f.active, gravel_read_split_wi(f));
        GRAVEL_NODE (f, leaf) {
            struct leaf task = gravel_read_leaf_wi(f);
            sort_block(input + task.from, f.active ? task.n : 0, keys + task.from, in);
        }
        GRAVEL_NODE (f, halves)
            halves_task(f, f.active, gravel_read_halves_wi(f));
        GRAVEL_NODE (f, whole)
            whole_task(f, f.active, gravel_read_whole_wi(f));
        GRAVEL_NODE (f, merge) {
            struct merge task = gravel_read_merge_wi(f);
            merge_task(f, f.active, task, task.is_back ? spare : keys);
        }
        GRAVEL_NODE (f, join) {
            struct join task = gravel_read_join_wi(f);
            const global uint *from = task.is_back ? spare : keys;
            merge_block(from + task.a, f.active ? task.n_a : 0, from + task.b,
                        f.active ? task.n_b : 0, (task.is_back ? keys : spare) + task.to, in, out);
        }
    }
}
