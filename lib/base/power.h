/* SPDX-License-Identifier: MIT */
/*
 * Powers of two, of which rings have as many slots.
 *
 * Threads: any.
 */
#ifndef GRAVEL_BASE_POWER_H
#define GRAVEL_BASE_POWER_H

#include <stdint.h>

/** Returns the greatest power of two up to `most`, and up to 2^31; 1 for 0. */
static inline uint32_t gravel_power_to(uint64_t most)
{
    uint32_t power = 1;
    while (power < UINT32_C(1) << 31 && power <= most / 2)
        power *= 2;
    return power;
}

/** Returns the least power of two from `least` on, which is at most 2^31. */
static inline uint32_t gravel_power_from(uint64_t least)
{
    const uint32_t power = gravel_power_to(least);
    return power < least ? 2 * power : power;
}

#endif
