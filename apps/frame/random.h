/* SPDX-License-Identifier: MIT */
/*
 * Random numbers by counter: number i of a seed depends on nothing but the two, so that every node,
 * and every machine, draws the same ones in any order.
 *
 * Threads: any; there is no state.
 * Source: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014
 * (SplitMix64).
 */
#ifndef APPS_RANDOM_H
#define APPS_RANDOM_H

#include <stdint.h>

/** SplitMix64's finalizer: a bijection that spreads every bit over all 64. */
static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/** A key for random_at, so that neighbouring seeds give unrelated numbers. */
static inline uint64_t random_key(uint64_t seed)
{
    return random_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
}

/** Random number `i` of a key, uniform over 64 bits. */
static inline uint64_t random_at(uint64_t key, uint64_t i)
{
    return random_mix(key + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

#endif
