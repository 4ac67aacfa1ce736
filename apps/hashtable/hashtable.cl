/* SPDX-License-Identifier: MIT */
/*
 * A hash table of linked lists: an insertion is a critical section of a list, in the forms of sections/form.h.
 *
 * Bucket b of all nodes is bucket b / n_nodes of node b % n_nodes. An entry is known by 1 + its number in the arrays,
 * 0 is none; operation i of all nodes brings entry i, wherever its bucket lives.
 *
 * Path: hashtable.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (HT).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

/* No division, which takes longer than the rest, where there is but one node. */
uint node_of(uint bucket, uint n_nodes)
{
    return n_nodes == 1 ? 0 : bucket % n_nodes;
}
uint index_of(uint bucket, uint n_nodes)
{
    return n_nodes == 1 ? bucket : bucket / n_nodes;
}

/* Served: the bucket is the key. Heap offsets: constants 0, each list's first entry; 1, each entry's next. */
void insert(struct gravel_call call, ulong bucket, ulong entry)
{
    global uint *heads = gravel_call_local(call, call.constants[0]);
    global uint *next = gravel_call_local(call, call.constants[1]);
    next[entry] = heads[bucket];
    heads[bucket] = (uint)entry + 1;
}

/* keys [the launch's items]; mask: buckets - 1; first: entry of item 0. */
kernel void insert_served(GRAVEL_ARENA, global const uint *keys, uint mask, uint first)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        uint bucket = keys[active ? item : 0] & mask;
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(insert), index_of(bucket, n_nodes), first + item,
                         node_of(bucket, n_nodes));
    }
}

/* n_items in steps of `stride` a work-item; heap offsets of lists, entries and locks, uint [buckets], [entries], [buckets]. */
#define ALONE                                                                                    \
    GRAVEL_ARENA, uint n_items, uint stride, global const uint *keys, uint mask, ulong heads_at, \
        ulong next_at, ulong locks_at
#define OPEN                                        \
    GRAVEL_OPEN(g);                                 \
    global uint *heads = gravel_local(g, heads_at); \
    global uint *next = gravel_local(g, next_at)

kernel void insert_locked(ALONE)
{
    OPEN;
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n_items; i += stride) {
        const uint bucket = keys[i] & mask;
        WITH_LOCK(&locks[bucket])
        {
            next[i] = heads[bucket];
            heads[bucket] = i + 1;
        }
    }
}

kernel void insert_atomic(ALONE)
{
    OPEN;
    (void)locks_at;
    for (uint i = (uint)get_global_id(0); i < n_items; i += stride)
        next[i] = atomic_xchg((volatile global uint *)&heads[keys[i] & mask], i + 1);
}
