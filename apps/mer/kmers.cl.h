/* SPDX-License-Identifier: MIT */
/*
 * The k-mer that begins at a place of the text, with its neighbours, and the owner that counts it.
 *
 * The host defines K (1 to 31). Text is packed as struct text_block of kmers.h has it, three ulongs for 64 places.
 *
 * Path:    kmers.c -> this -> mer.cl, chapter5/mer.cl
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
