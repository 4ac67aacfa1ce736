/* SPDX-License-Identifier: MIT */
/*
 * The updates of bench-gups: random words, each a function of (rank, number), so that any side can
 * make them without a table and the checker can make them again.
 *
 * Path:    gups_*.c compile it; the build puts it in front of bench_gups.cl.
 * Source:  Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014 (the mixing
 *          function); Luszczek et al., HPC Challenge RandomAccess.
 */
#ifndef GRAVEL_GUPS_STREAM_H
#define GRAVEL_GUPS_STREAM_H

#include "layout/base.h"

/* Mix 64 bits. */
static inline gravelp_u64 gups_mix(gravelp_u64 x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebul;
    return x ^ (x >> 31);
}

/* Random bits of update `number` of a rank. */
static inline gravelp_u64 gups_random(gravelp_u32 rank, gravelp_u64 number)
{
    return gups_mix(((gravelp_u64)rank << 40) + number + 0x9e3779b97f4a7c15ul);
}

/* The rank whose table the update goes to. */
static inline gravelp_u32 gups_destination(gravelp_u64 random, gravelp_u32 n_ranks)
{
    return (gravelp_u32)(((random >> 32) * n_ranks) >> 32);
}

/* The word of that table; tables are a power of two of at most 2^32 words. */
static inline gravelp_u32 gups_index(gravelp_u64 random, gravelp_u32 mask)
{
    return (gravelp_u32)random & mask;
}

#endif
