/* SPDX-License-Identifier: MIT */
/*
 * Merge sort as a flow: halves are sorted into the other of two arrays, and merged from there; a merge is divided until a
 * work-group can do its part.
 *
 * In Cilk:
 *     void sort(int *keys, int *spare, int n)
 *     {
 *         if (n <= BASE)
 *             return sort_block(keys, n);
 *         spawn sort(each half, to spare);
 *         sync;
 *         spawn merge(both halves, to keys);
 *     }
 *
 * All blocks are at level LEVELS; even levels sort to the keys, odd ones to the spare array.
 *
 * Path: sort.c -> this
 * Source: Orr 2016, table 4-3 (Sort of MIT Cilk, which divides by four); the rank sort of Muller and Preparata, 1975; Green,
 * McColl, Bader, GPU Merge Path, ICS 2012.
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
GRAVEL_RECORD(both)
GRAVEL_RECORD(merge)
GRAVEL_RECORD(join)

/* Divides keys, whose halves are sorted before they are merged. */
static inline void split_task(struct gravel_flow_group f, uint active, struct split task)
{
    uint into = f.level + 1 == LEVELS ? GRAVEL_CHANNEL(block) : GRAVEL_CHANNEL(split);
    uint half_n = task.n / 2;
    struct split low = {task.from, half_n}, high = {task.from + half_n, task.n - half_n};
    struct gravel_fork fork = gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(both), into, 2);
    gravel_write_both_wg_if(f, active, GRAVEL_CHANNEL(both), fork.after, (struct both){task});
    gravel_write_split_wg_if(f, active, into, fork.first, low);
    gravel_write_split_wg_if(f, active, into, fork.first + 1, high);
}

static inline void spawn_merge(struct gravel_flow_group f, uint active, struct merge task)
{
    uint is_last = task.n_a + task.n_b <= BLOCK;
    gravel_spawn_merge_wg_if(f, active && !is_last, task);
    gravel_spawn_join_wg_if(f, active && is_last, (struct join){task});
}

static inline void both_task(struct gravel_flow_group f, uint active, struct split task)
{
    uint half_n = task.n / 2, is_back = f.level % 2 == 0;
    struct merge merge = {task.from,       half_n,    task.from + half_n,
                          task.n - half_n, task.from, is_back};
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
            sort_block(input + task.from, f.active ? task.n : 0,
                       (LEVELS % 2 ? spare : keys) + task.from, in);
        }
        GRAVEL_NODE (f, both)
            both_task(f, f.active, gravel_read_both_wi(f).keys);
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
