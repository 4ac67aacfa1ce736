/* SPDX-License-Identifier: MIT */
/*
 * The text to every node, and the k-mers that this node owns into its table.
 *
 * The table has open addressing and linear probing. An entry becomes a k-mer's word by word, each by an exchange that finds
 * 0 there, and a word never changes again: so all work-items that come by agree on whose it is, and none waits.
 *
 * Path:    mer.c launches share_text -> gravel_put -> every node's heap; then count_kmers -> mer.c
 * Memory:  all changes of the table are relaxed atomics of this device. A word of a key that is read too early is 0, which
 *          the exchange finds out.
 */
#include "kmers.cl.h"

#define KEY_WORDS ((2 * K + 30) / 31)
#define MOST_PROBES 4096

/* As struct entry of mer.c. */
struct entry {
    uint key[2];    /* 31 bits each, the lowest first, and the highest bit; 0: free */
    uint counts[9]; /* as struct kmer_count of kmers.h */
    uint unused[5];
};

/*
 * Sends words of the text to all nodes but those of this process, n_own from this one on, and stores them here.
 *
 * Global size: this node's words, from number `first`; local size: any.
 * part: [words]; text: heap offset of the whole text; at: the first one's number there.
 */
kernel void share_text(GRAVEL_ARENA, ulong first, global const ulong *restrict part, ulong text,
                       ulong at, uint n_own)
{
    GRAVEL_OPEN(g);
    const ulong i = first + get_global_id(0), word = part[i];
    const uint n_nodes = gravel_n_nodes(g), node = gravel_node(g);
    ((global ulong *)gravel_local(g, text))[at + i] = word;
    for (uint other = n_own; other < n_nodes; other++)
        gravel_put_ulong_wg(g, text, at + i, word, (node + other) % n_nodes);
}

INLINE uint key_word(ulong kmer, uint i)
{
    return (uint)(kmer >> 31 * i) | 0x80000000u;
}

/* Returns whether the entry is the k-mer's, or has become it. */
INLINE bool take_entry(global struct entry *entry, ulong kmer)
{
    bool is_own = true;
#pragma unroll
    for (uint i = 0; i < KEY_WORDS; i++) {
        const uint own = key_word(kmer, i);
        uint there = is_own ? entry->key[i] : own;
        if (there == 0)
            there = atomic_cmpxchg((volatile global uint *)&entry->key[i], 0u, own);
        is_own = is_own && (there == 0 || there == own);
    }
    return is_own;
}

/*
 * Counts the k-mers of places 0 to n_places - 1 whose owners are n_own nodes from `node` on.
 *
 * Global size: n_places and more; local size: any. text: the whole one. table: [n_entries], all 0 before the first launch. Both in
 * the heap. A k-mer that finds no entry is not counted. Sends nothing. (A group's first reads of entries are between barriers,
 * where CPUs wait for all of them together.)
 */
kernel void count_kmers(GRAVEL_ARENA, ulong text_at, ulong n_places, ulong table_at,
                        ulong n_entries, uint node, uint n_own)
{
    GRAVEL_OPEN(g);
    global const ulong *text = gravel_local(g, text_at);
    global struct entry *table = gravel_local(g, table_at);
    const ulong i = get_global_id(0);
    const struct seen seen = seen_at(text, i < n_places ? i : 0);
    const bool active = seen.active && owner_of(seen.hash, gravel_n_nodes(g)) - node < n_own;
    ulong slot = active ? (seen.hash & UINT_MAX) * n_entries >> 32 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint nearby = table[slot].key[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    /* The first word was read already: where it is another k-mer's, so is the entry. */
    if (nearby && nearby != key_word(seen.kmer, 0))
        slot = slot + 1 < n_entries ? slot + 1 : 0;
    for (uint n_left = active ? MOST_PROBES : 0; n_left; n_left--) {
        global struct entry *entry = &table[slot];
        if (take_entry(entry, seen.kmer)) {
            atomic_inc((volatile global uint *)&entry->counts[seen.left]);
            if (seen.right != NO_NEIGHBOUR)
                atomic_inc((volatile global uint *)&entry->counts[5 + seen.right]);
            break;
        }
        slot = slot + 1 < n_entries ? slot + 1 : 0;
    }
}
