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
 * Path: sort.c -> this
 * Source: Orr 2016, table 4-3 (Sort of MIT Cilk); the rank sort of Muller and Preparata, 1975; Green, McColl, Bader, GPU
 * Merge Path, ICS 2012.
 */
#include "gravel.cl.h"
#include "records.h"

/* ---- sort a few keys, merge two short runs ----------------------------------------------------- */

/* Every work-item of the group: sort n keys. Each key's place is the number of keys before it. @param own  [n] */
static inline void sort_block(const global uint *from, uint n, global uint *to, local uint *own)
{
    uint lane = get_local_id(0), n_lanes = get_local_size(0);
    for (uint i = lane; i < n; i += n_lanes)
        own[i] = from[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lane; i < n; i += n_lanes) {
        uint key = own[i], place = 0;
        for (uint j = 0; j < i; j++)
            place += own[j] <= key;
        for (uint j = i + 1; j < n; j++)
            place += own[j] < key;
        to[place] = key;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* How many keys of run a are among the first `n` of both runs; of equal keys a's are first. */
#define DEFINE_PATH(name, space)                                                                  \
    static inline uint name(const space uint *a, uint n_a, const space uint *b, uint n_b, uint n) \
    {                                                                                             \
        uint low = n > n_b ? n - n_b : 0, high = min(n, n_a);                                     \
        while (low < high) {                                                                      \
            uint i = (low + high) / 2;                                                            \
            bool is_before = a[i] <= b[n - i - 1];                                                \
            low = is_before ? i + 1 : low;                                                        \
            high = is_before ? high : i;                                                          \
        }                                                                                         \
        return low;                                                                               \
    }
DEFINE_PATH(path, global)
DEFINE_PATH(path_inside, local)

/* A work-item: keys from number `first` on of two runs, PER_ITEM of them. */
static inline void merge_lane(const local uint *a, uint n_a, const local uint *b, uint n_b,
                              uint first, local uint *out)
{
    uint last = min(first + PER_ITEM, n_a + n_b);
    uint i = first < last ? path_inside(a, n_a, b, n_b, first) : 0, j = first - i;
    for (uint k = first; k < last; k++) {
        bool is_a = j >= n_b || (i < n_a && a[i] <= b[j]);
        out[k] = is_a ? a[i] : b[j];
        i += is_a;
        j += !is_a;
    }
}

/*
 * Every work-item of the group: merge two runs of n_a + n_b keys, BLOCK at most.
 *
 * @param in, out  [BLOCK]
 */
static inline void merge_block(const global uint *a, uint n_a, const global uint *b, uint n_b,
                               global uint *to, local uint *in, local uint *out)
{
    uint lane = get_local_id(0), n_lanes = get_local_size(0), n = n_a + n_b;
    for (uint i = lane; i < n; i += n_lanes)
        in[i] = i < n_a ? a[i] : b[i - n_a];
    barrier(CLK_LOCAL_MEM_FENCE);
    merge_lane(in, n_a, in + n_a, n_b, lane * PER_ITEM, out);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lane; i < n; i += n_lanes)
        to[i] = out[i];
}

/* ---- the flow --------------------------------------------------------------------------------- */

GRAVEL_RECORD(split)
GRAVEL_RECORD(block)
GRAVEL_RECORD(halves)
GRAVEL_RECORD(whole)
GRAVEL_RECORD(merge)
GRAVEL_RECORD(join)

/* Returns where quarter i of a part begins. */
static inline uint quarter(uint from, uint n, uint i)
{
    return from + (uint)((ulong)n * i / 4);
}

/* Four tasks of a channel, split or block, and what comes after them. */
static inline void make_quarters(struct gravel_flow_group f, uint active, struct split task,
                                 uint into)
{
    struct gravel_fork fork = gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(halves), into, 4);
    struct halves halves = {task};
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
    make_quarters(f, active && is_last, task, GRAVEL_CHANNEL(block));
}

static inline void spawn_merge(struct gravel_flow_group f, uint active, struct merge task)
{
    uint is_last = task.n_a + task.n_b <= BLOCK;
    gravel_spawn_merge_wg_if(f, active && !is_last, task);
    gravel_spawn_join_wg_if(f, active && is_last, (struct join){task});
}

static inline void halves_task(struct gravel_flow_group f, uint active, struct split task)
{
    uint at[5];
    for (uint i = 0; i < 5; i++)
        at[i] = quarter(task.from, task.n, i);
    struct merge first = {at[0], at[1] - at[0], at[1], at[2] - at[1], at[0], 0};
    struct merge second = {at[2], at[3] - at[2], at[3], at[4] - at[3], at[2], 0};
    gravel_sync_whole_wg_if(f, active, (struct whole){task});
    spawn_merge(f, active, first);
    spawn_merge(f, active, second);
}

static inline void whole_task(struct gravel_flow_group f, uint active, struct split task)
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
        GRAVEL_NODE (f, block) {
            struct split task = gravel_read_block_wi(f).keys;
            sort_block(input + task.from, f.active ? task.n : 0, keys + task.from, in);
        }
        GRAVEL_NODE (f, halves)
            halves_task(f, f.active, gravel_read_halves_wi(f).keys);
        GRAVEL_NODE (f, whole)
            whole_task(f, f.active, gravel_read_whole_wi(f).keys);
        GRAVEL_NODE (f, merge) {
            struct merge task = gravel_read_merge_wi(f);
            merge_task(f, f.active, task, task.is_back ? spare : keys);
        }
        GRAVEL_NODE (f, join) {
            struct merge task = gravel_read_join_wi(f).runs;
            const global uint *from = task.is_back ? spare : keys;
            merge_block(from + task.a, f.active ? task.n_a : 0, from + task.b,
                        f.active ? task.n_b : 0, (task.is_back ? keys : spare) + task.to, in, out);
        }
    }
}
