/* SPDX-License-Identifier: MIT */
/*
 * The text to every node, and the k-mers that this node owns into its table; with MODELS, each k-mer to the host of its owner.
 *
 * The host defines K (1 to 31). Text is packed as struct text_block of kmers.h has it, three ulongs for 64 places.
 *
 * The table has open addressing and linear probing. An entry becomes a k-mer's word by word, each by an exchange that finds
 * 0 there, and a word never changes again: so all work-items that come by agree on whose it is, and none waits.
 *
 * Path:    mer.c launches share_text -> gravel_put -> every node's heap; then count_kmers -> mer.c; with MODELS chapter5/mer.c
 *          launches send_kmers -> gravel_am -> its handler at the owner
 * Memory:  all changes of the table are relaxed atomics of this device. A word of a key that is read too early is 0, which
 *          the exchange finds out.
 * Source:  Chapman et al., Meraculous, 2011; Orr 2016, section 5.4.
 */
#include "gravel.cl.h"

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

#define NO_NEIGHBOUR 4

/* What a place has, if a k-mer begins there: of the two strands the one whose k-mer is less; of a k-mer that is both, the
 * text's. */
struct seen {
    ulong kmer;
    uint left, right; /* neighbours: 0 to 3, or NO_NEIGHBOUR */
    ulong hash;
    uint active;
};

/* Returns 32 bases of the text, word i of them all. */
INLINE ulong bases_of(global const ulong *restrict text, ulong i)
{
    return text[i + i / 2 + 1];
}

/* Returns which of the 64 places from i on have a base, the first in the lowest bit. */
INLINE ulong valid_from(global const ulong *restrict text, ulong i)
{
    const uint shift = i % 64;
    return text[i / 64 * 3] >> shift | text[i / 64 * 3 + 3] << 1 << (63 - shift);
}

/* Returns 32 bases from place i on. */
INLINE ulong bases_from(global const ulong *restrict text, ulong i)
{
    const uint shift = i % 32 * 2;
    /* In two steps, because a shift by 64 is none. */
    return bases_of(text, i / 32) << shift | bases_of(text, i / 32 + 1) >> 1 >> (63 - shift);
}

/* 32 bases in reverse order. */
INLINE ulong reverse_bases(ulong x)
{
    x = x >> 2 & 0x3333333333333333ul | (x & 0x3333333333333333ul) << 2;
    x = x >> 4 & 0x0f0f0f0f0f0f0f0ful | (x & 0x0f0f0f0f0f0f0f0ful) << 4;
    x = x >> 8 & 0x00ff00ff00ff00fful | (x & 0x00ff00ff00ff00fful) << 8;
    x = x >> 16 & 0x0000ffff0000fffful | (x & 0x0000ffff0000fffful) << 16;
    return x >> 32 | x << 32;
}

/* Chooses what kmer_hash and kmer_owner of kmers.h choose. */
INLINE ulong hash_of(ulong x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}
INLINE uint owner_of(ulong hash, uint n_owners)
{
    return (uint)((hash >> 32) * n_owners >> 32);
}

/* A neighbour seen from the other strand. */
INLINE uint complement(uint base)
{
    return base == NO_NEIGHBOUR ? base : 3 - base;
}

/* Returns what place i has; place 0 has nothing. */
INLINE struct seen seen_at(global const ulong *restrict text, ulong i)
{
    const ulong before = i ? i - 1 : 0, valid = valid_from(text, i);
    const ulong all = bases_from(text, i), here = all >> (64 - 2 * K),
                there = reverse_bases(~all) &
                        ~0ul >> (64 - 2 * K); /* the K first of the other strand */
    const uint base_before = bases_of(text, before / 32) >> (62 - before % 32 * 2) & 3;
    const uint base_after = all >> (62 - 2 * K) & 3;
    const uint left = text[before / 64 * 3] >> before % 64 & 1 ? base_before : NO_NEIGHBOUR;
    const uint right = valid >> K & 1 ? base_after : NO_NEIGHBOUR;
    const bool turn = there < here;
    const ulong kmer = turn ? there : here;
    return (struct seen){.kmer = kmer,
                         .left = turn ? complement(right) : left,
                         .right = turn ? complement(left) : right,
                         .hash = hash_of(kmer),
                         .active = (~valid & ~0ul >> (64 - K)) == 0};
}

#ifdef MODELS
/*
 * Sends the k-mers that begin at this node's places.
 *
 * Global size: this node's places of the text from number `first`, of all from number `from`; local size: any.
 * text: the whole one. When it ends, all k-mers are sent.
 */
kernel void send_kmers(GRAVEL_ARENA, ulong first, global const ulong *restrict text, ulong from)
{
    GRAVEL_OPEN(g);
    const struct seen seen = seen_at(text, from + first + get_global_id(0));
    gravel_am2_wg_if(g, seen.active, GRAVEL_HANDLER(count_kmer), seen.kmer,
                     seen.left << 3 | seen.right, owner_of(seen.hash, gravel_n_nodes(g)));
}
#else
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
#endif
