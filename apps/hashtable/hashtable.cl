/* SPDX-License-Identifier: MIT */
/*
 * A hash table of linked lists: insert, upsert and find, each as a critical section of a list, in the forms of
 * sections/form.h.
 *
 * Bucket b of all nodes is bucket b / n_nodes of node b % n_nodes. An entry is known by 1 + its number in the arrays,
 * 0 is none; operation i of all nodes brings entry i, wherever its bucket lives.
 *
 * Path: hashtable.c -> this.
 * Memory: release and acquire at the scope of the device where entries are put by atomics; else locks, or servers.
 * Source: Wang, Fussell, Lin 2019, section 4 (HT).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

struct table {
    global uint *heads;  /* [buckets] the first entry */
    global uint *next;   /* [entries] */
    global uint *keys;   /* [entries] */
    global uint *values; /* [entries] how often a key came; or, of a search, the entry found */
};

/* No division, which takes longer than the rest, where there is but one node. */
uint node_of(uint bucket, uint n_nodes)
{
    return n_nodes == 1 ? 0 : bucket % n_nodes;
}
uint place_of(uint bucket, uint n_nodes)
{
    return n_nodes == 1 ? bucket : bucket / n_nodes;
}

/* heap offsets: call.constants, or a kernel's arguments */
struct table table_at(global uchar *heap, ulong heads, ulong next, ulong keys, ulong values)
{
    return (struct table){(global uint *)(heap + heads), (global uint *)(heap + next),
                          (global uint *)(heap + keys), (global uint *)(heap + values)};
}

/* ---- the sections -------------------------------------------------------------------------------- */

void insert_here(struct table table, uint bucket, uint entry, uint key)
{
    (void)key;
    table.next[entry] = table.heads[bucket];
    table.heads[bucket] = entry + 1;
}

uint search(struct table table, uint first, uint key)
{
    uint at = first;
    while (at && table.keys[at - 1] != key)
        at = table.next[at - 1];
    return at;
}

void upsert_here(struct table table, uint bucket, uint entry, uint key)
{
    uint at = search(table, table.heads[bucket], key);
    if (at) {
        table.values[at - 1]++;
        return;
    }
    table.keys[entry] = key;
    table.values[entry] = 1;
    insert_here(table, bucket, entry, key);
}

void find_here(struct table table, uint bucket, uint entry, uint key)
{
    table.values[entry] = search(table, table.heads[bucket], key);
}

/* ---- served: the bucket is the key ----------------------------------------------------------------- */

#define TABLE_OF(call)                                                                   \
    table_at((call).heap, (call).constants[0], (call).constants[1], (call).constants[2], \
             (call).constants[3])

void insert(struct gravel_call call, ulong bucket, ulong entry)
{
    insert_here(TABLE_OF(call), (uint)bucket, (uint)entry, 0);
}
/* entry in the lower half, key in the upper one */
void upsert(struct gravel_call call, ulong bucket, ulong both)
{
    upsert_here(TABLE_OF(call), (uint)bucket, (uint)both, (uint)(both >> 32));
}
void find(struct gravel_call call, ulong bucket, ulong both)
{
    find_here(TABLE_OF(call), (uint)bucket, (uint)both, (uint)(both >> 32));
}

#define BOTH(entry, key) ((entry) | (ulong)(key) << 32)
#define ENTRY_ALONE(entry, key) (entry)

/* keys [the launch's items]; mask: buckets - 1; first: entry of item 0. */
#define SERVED(name, SECOND)                                                                \
    kernel void name##_served(GRAVEL_ARENA, global const uint *keys, uint mask, uint first) \
    {                                                                                       \
        GRAVEL_SERVER_OPEN(g);                                                              \
        const uint n_nodes = gravel_n_nodes(g);                                             \
        GRAVEL_SERVE(g, item, active)                                                       \
        {                                                                                   \
            uint key = keys[active ? item : 0], bucket = key & mask;                        \
            gravel_am2_wg_if(g, active, GRAVEL_HANDLER(name), place_of(bucket, n_nodes),    \
                             SECOND(first + item, key), node_of(bucket, n_nodes));          \
        }                                                                                   \
    }
SERVED(insert, ENTRY_ALONE)
SERVED(upsert, BOTH)
SERVED(find, BOTH)

/* ---- locked: a lock a bucket ------------------------------------------------------------------------ */

#define TABLE_ARGUMENTS ulong heads, ulong next, ulong keys_at, ulong values
#define TABLE_HERE table_at(gravel_local(g, 0), heads, next, keys_at, values)

/* n_items in steps of `stride` a work-item. locks: uint [buckets] at that heap offset. */
#define LOCKED(name)                                                                            \
    kernel void name##_locked(GRAVEL_ARENA, uint n_items, uint stride, global const uint *keys, \
                              uint mask, TABLE_ARGUMENTS, ulong locks_at)                       \
    {                                                                                           \
        GRAVEL_OPEN(g);                                                                         \
        struct table table = TABLE_HERE;                                                        \
        global uint *locks = gravel_local(g, locks_at);                                         \
        for (uint i = (uint)get_global_id(0); i < n_items; i += stride)                         \
            WITH_LOCK(&locks[keys[i] & mask])                                                   \
        name##_here(table, keys[i] & mask, i, keys[i]);                                         \
    }
LOCKED(insert)
LOCKED(upsert)
LOCKED(find)

/* ---- atomic: made for the case ------------------------------------------------------------------------ */

void insert_atomically(struct table table, uint bucket, uint entry, uint key)
{
    (void)key;
    table.next[entry] = atomic_xchg((volatile global uint *)&table.heads[bucket], entry + 1);
}

/* The first entry of a list. What is found by it is whole: acquire, of the releases below. */
uint first_of(global uint *head)
{
#if __OPENCL_C_VERSION__ >= 200
    return atomic_load_explicit((lock_word *)head, memory_order_acquire, memory_scope_device);
#else
    return *(volatile global uint *)head;
#endif
}

/* Put an entry first, whole: release. @param first  [in, out] the first one before it, which must not have changed. */
bool put_first(global uint *head, uint *first, uint entry)
{
#if __OPENCL_C_VERSION__ >= 200
    return atomic_compare_exchange_strong_explicit((lock_word *)head, first, entry + 1,
                                                   memory_order_acq_rel, memory_order_acquire,
                                                   memory_scope_device);
#else
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    uint expected = *first;
    *first = atomic_cmpxchg((volatile global uint *)head, expected, entry + 1);
    return *first == expected;
#endif
}

/* An entry is whole before it can be found; who fails to put it first looks at what came before. */
void upsert_atomically(struct table table, uint bucket, uint entry, uint key)
{
    global uint *head = &table.heads[bucket];
    table.keys[entry] = key;
    table.values[entry] = 1;
    uint first = first_of(head), found = search(table, first, key);
    while (!found) {
        table.next[entry] = first;
        if (put_first(head, &first, entry))
            return;
        found = search(table, first, key);
    }
    atomic_inc((volatile global uint *)&table.values[found - 1]);
}

void find_atomically(struct table table, uint bucket, uint entry, uint key)
{
    find_here(table, bucket, entry, key); /* no insertion runs beside it */
}

#define ATOMIC(name)                                                                            \
    kernel void name##_atomic(GRAVEL_ARENA, uint n_items, uint stride, global const uint *keys, \
                              uint mask, TABLE_ARGUMENTS, ulong locks_at)                       \
    {                                                                                           \
        GRAVEL_OPEN(g);                                                                         \
        struct table table = TABLE_HERE;                                                        \
        (void)locks_at;                                                                         \
        for (uint i = (uint)get_global_id(0); i < n_items; i += stride)                         \
            name##_atomically(table, keys[i] & mask, i, keys[i]);                               \
    }
ATOMIC(insert)
ATOMIC(upsert)
ATOMIC(find)
