/* SPDX-License-Identifier: MIT */
/*
 * Numbers that look random, and that any part of a test can work out again.
 *
 * Path:   tests that distinguish a right message from a wrong one -> this.
 * Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014: splitmix64.
 */
#ifndef GRAVEL_TESTS_MIX_H
#define GRAVEL_TESTS_MIX_H

#include <stdint.h>

/** Number x of the sequence. */
static inline uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
