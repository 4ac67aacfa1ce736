/* SPDX-License-Identifier: MIT */
/*
 * A hash table of linked lists: an insertion is a critical section of a list, in the forms of form.h.
 *
 * Bucket b of all nodes is bucket b / n_nodes of node b % n_nodes. An entry is known by 1 + its number in the arrays,
 * 0 is none; operation i of all nodes brings entry i, whichever node has its bucket.
 *
 * Path:   hashtable.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (HT).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

/* Served: the bucket is the key. Heap offsets: constants 0, each list's first entry; 1, each entry's next. */
void insert(struct gravel_call call, ulong bucket, ulong entry)
{
    global uint *heads = gravel_call_local(call, call.constants[0]);
    global uint *next = gravel_call_local(call, call.constants[1]);
    next[entry] = heads[bucket];
    heads[bucket] = (uint)entry + 1;
}

/* Heap offsets of lists, entries and locks, uint [buckets], [entries], [buckets]; keys [the launch's items]; mask:
 * buckets - 1; first: entry of item 0. */
#define INSERT                                                                        \
    GRAVEL_ARENA, uint n, uint stride, ulong heads_at, ulong next_at, ulong locks_at, \
        global const uint *keys, uint mask, uint first

kernel void insert_served(INSERT)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        uint bucket = keys[active ? item : 0] & mask;
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(insert), bucket / n_nodes, first + item,
                         bucket % n_nodes);
    }
}

kernel void insert_locked(INSERT)
{
    GRAVEL_OPEN(g);
    global uint *heads = gravel_local(g, heads_at), *next = gravel_local(g, next_at);
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n; i += stride) {
        const uint bucket = keys[i] & mask;
        WITH_LOCK(&locks[bucket])
        {
            next[i] = heads[bucket];
            heads[bucket] = i + 1;
        }
    }
}

kernel void insert_atomic(INSERT)
{
    GRAVEL_OPEN(g);
    volatile global uint *heads = gravel_local(g, heads_at);
    global uint *next = gravel_local(g, next_at);
    for (uint i = (uint)get_global_id(0); i < n; i += stride)
        next[i] = atomic_xchg(&heads[keys[i] & mask], i + 1);
}
