/* SPDX-License-Identifier: MIT */
/*
 * The k-mer that begins at a place of the text, with its neighbours, and the node that counts it.
 *
 * The host defines K (1 to 63) and N_WORDS, the words of a message: 2 K bits of k-mer and 6 of neighbours fit.
 *
 * Text is packed: bases are two bits, A 0, C 1, G 2, T 3, the first of a ulong's 32 in its highest bits. Beside it are two
 * rows of bits, the first of a ulong's 64 in its lowest: `valid`, a base stands there, and `starts`, a k-mer to be counted
 * begins there. Place 0 is no base. All have room to be read past the end.
 *
 * Path:    pack.h -> this -> on_host.cl, on_device.cl
 * Source:  Chapman et al., Meraculous, 2011; Orr 2016, section 5.4.
 */
#include "gravel.cl.h"

/* Or compilers leave calls in the kernel. */
#define INLINE static inline __attribute__((always_inline))

#define NO_NEIGHBOUR 4

struct kmer {
    ulong high, low;
};

INLINE uint bit_at(global const ulong *restrict bits, ulong i)
{
    return bits[i / 64] >> i % 64 & 1;
}

INLINE uint base_at(global const ulong *restrict bases, ulong i)
{
    return bases[i / 32] >> (62 - i % 32 * 2) & 3;
}

INLINE uint neighbour_at(global const ulong *restrict bases, global const ulong *restrict valid,
                         ulong i)
{
    return bit_at(valid, i) ? base_at(bases, i) : NO_NEIGHBOUR;
}

/* 64 bases from place i on. */
INLINE struct kmer bases_at(global const ulong *restrict bases, ulong i)
{
    global const ulong *words = bases + i / 32;
    uint shift = i % 32 * 2;
    /* In two steps, because a shift by 64 is none. */
    ulong high = words[0] << shift | words[1] >> 1 >> (63 - shift);
    ulong low = words[1] << shift | words[2] >> 1 >> (63 - shift);
    return (struct kmer){high, low};
}

/* The K first of 64 bases, in the lowest bits. */
INLINE struct kmer first_bases(struct kmer all)
{
#if K > 32
    return (struct kmer){all.high >> (128 - 2 * K),
                         all.low >> (128 - 2 * K) | all.high << 1 << (2 * K - 65)};
#else
    return (struct kmer){0, all.high >> (64 - 2 * K)};
#endif
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

/* This place of the other strand: 64 complements in reverse order end with those of the K first. */
INLINE struct kmer other_strand(struct kmer all)
{
#if K > 32
    return (struct kmer){reverse_bases(~all.low) & (~0ul >> (128 - 2 * K)),
                         reverse_bases(~all.high)};
#else
    return (struct kmer){0, reverse_bases(~all.high) & (~0ul >> (64 - 2 * K))};
#endif
}

INLINE ulong mix(ulong x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}

/* As kmer_hash and kmer_owner of table.h. */
INLINE ulong hash_of(struct kmer kmer)
{
    return mix(kmer.low + mix(kmer.high));
}
INLINE uint owner_of(ulong hash, uint n_nodes)
{
    return (uint)((hash >> 32) * n_nodes >> 32);
}

/* A neighbour seen from the other strand. */
INLINE uint complement(uint base)
{
    return base == NO_NEIGHBOUR ? base : 3 - base;
}

/*
 * What a place sends, if it is active: the words of table.h; and the k-mer's hash. Of the two strands the one whose k-mer
 * is less counts; of a k-mer that is both, the text's.
 */
struct sent {
    ulong word0, word1, word2, hash;
    uint active;
};

INLINE struct sent sent_from(ulong i, global const ulong *restrict bases,
                             global const ulong *restrict starts,
                             global const ulong *restrict valid)
{
    struct kmer all = bases_at(bases, i), here = first_bases(all), there = other_strand(all);
    uint left = neighbour_at(bases, valid, i ? i - 1 : 0),
         right = neighbour_at(bases, valid, i + K);
    bool turn = there.high < here.high || (there.high == here.high && there.low < here.low);
    struct kmer kmer = {turn ? there.high : here.high, turn ? there.low : here.low};
    ulong beside = turn ? complement(right) << 3 | complement(left) : left << 3 | right;
    return (struct sent){kmer.low << 6 | beside, kmer.high << 6 | kmer.low >> 58, kmer.high >> 58,
                         hash_of(kmer), bit_at(starts, i)};
}
