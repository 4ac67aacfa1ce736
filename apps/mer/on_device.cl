/* SPDX-License-Identifier: MIT */
/*
 * Every place of the text where a k-mer begins sends it to the device of the node that counts it.
 *
 * A node's table is shards of SHARD_ENTRIES entries with linear probing. A shard is the key of its k-mers' messages: one
 * runs at a time, so that the handler has the shard to itself.
 *
 * Path:    on_device.c launches it -> servers of this device, or gravel_am -> count_kmer at the owner -> on_device.c
 * Memory:  plain loads and stores of entries, which the servers order; see count_lost.
 */
#include "kmers.cl.h"

/* As struct table_entry of table.h. */
struct entry {
    ulong high, low;
    uint count; /* 0: the entry is free */
    uint left[4], right[4];
    uint unused[3];
};

/* ---- counting ------------------------------------------------------------------------------------ */

INLINE void count_one(global uint *counter)
{
    *counter += *counter != UINT_MAX;
}

/* The k-mer's entry, or the free one where it would be; 0 if there is neither. */
INLINE global struct entry *probe(global struct entry *shard, struct kmer kmer)
{
    uint start = (uint)(hash_of(kmer) >> 32); /* the lower half has chosen the shard */
    for (uint i = 0; i < SHARD_ENTRIES; i++) {
        global struct entry *entry = &shard[(start + i) & (SHARD_ENTRIES - 1)];
        if (!entry->count || (entry->low == kmer.low && entry->high == kmer.high))
            return entry;
    }
    return 0;
}

/* Relaxed, at the scope of the device, and with itself alone: all shards share the word, and the host reads it behind the
 * barrier. It stops before it could wrap. */
INLINE void count_lost(volatile global uint *n_lost)
{
    if (atomic_or(n_lost, 0u) < UINT_MAX / 2)
        atomic_inc(n_lost);
}

/* constants: heap offsets of the entries, and of the number of k-mers that found no room */
INLINE void count_here(struct gravel_call call, ulong shard, ulong word0, ulong word1, ulong word2)
{
    global struct entry *entries = gravel_call_local(call, call.constants[0]);
    struct kmer kmer = {word1 >> 6 | word2 << 58, word0 >> 6 | word1 << 58};
    global struct entry *entry = probe(entries + shard * SHARD_ENTRIES, kmer);
    uint left = word0 >> 3 & 7, right = word0 & 7;
    if (!entry) {
        count_lost(gravel_call_local(call, call.constants[1]));
        return;
    }
    if (!entry->count) {
        entry->high = kmer.high;
        entry->low = kmer.low;
    }
    count_one(&entry->count);
    if (left != NO_NEIGHBOUR)
        count_one(&entry->left[left]);
    if (right != NO_NEIGHBOUR)
        count_one(&entry->right[right]);
}

#define NODE(g, m) owner_of((m).hash, gravel_n_nodes(g))
#if N_WORDS == 1
void count_kmer(struct gravel_call call, ulong shard, ulong word0)
{
    count_here(call, shard, word0, 0, 0);
}
#define SEND(g, active, shard, m) \
    gravel_am2_wg_if(g, active, GRAVEL_HANDLER(count_kmer), shard, m.word0, NODE(g, m))
#elif N_WORDS == 2
void count_kmer(struct gravel_call call, ulong shard, ulong word0, ulong word1)
{
    count_here(call, shard, word0, word1, 0);
}
#define SEND(g, active, shard, m) \
    gravel_am3_wg_if(g, active, GRAVEL_HANDLER(count_kmer), shard, m.word0, m.word1, NODE(g, m))
#else
void count_kmer(struct gravel_call call, ulong shard, ulong word0, ulong word1, ulong word2)
{
    count_here(call, shard, word0, word1, word2);
}
#define SEND(g, active, shard, m)                                                             \
    gravel_am4_wg_if(g, active, GRAVEL_HANDLER(count_kmer), shard, m.word0, m.word1, m.word2, \
                     NODE(g, m))
#endif

/* ---- kernels ------------------------------------------------------------------------------------- */

/*
 * Counts k-mers by clients and servers, an item a place. bases, starts, valid: see kmers.cl.h. When its launch
 * ends, this node's k-mers of this node's places are counted, and the other ones are sent.
 */
kernel void count_kmers(GRAVEL_ARENA, uint n_shards, global const ulong *restrict bases,
                        global const ulong *restrict starts, global const ulong *restrict valid)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        struct sent sent = sent_from(active ? item : 0, bases, starts, valid);
        ulong shard = (sent.hash & UINT_MAX) * n_shards >> 32;
        SEND(g, active && sent.active, shard, sent);
    }
}

/*
 * Global size: units of 16 bytes of the table, from number `first`; local size: any. Heap number `heap` of the process,
 * where the table is at `offset`. When it ends they are 0.
 */
kernel void clear_table(GRAVEL_ARENA, ulong first, uint heap, ulong offset)
{
    global uchar *table = (global uchar *)gravel_arena_ + gravel_arena_->heap_offset +
                          heap * gravel_arena_->heap_bytes + offset;
    ((global ulong2 *)table)[first + get_global_id(0)] = (ulong2)(0, 0);
}
