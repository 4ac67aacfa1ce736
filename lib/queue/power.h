/* SPDX-License-Identifier: MIT */
/*
 * Sizes of queues, which are powers of two.
 *
 * Path:    sender.c, network.c -> this -> mpmc.c, spsc.c.
 */
#ifndef GRAVEL_QUEUE_POWER_H
#define GRAVEL_QUEUE_POWER_H

#include <stdint.h>

/** The least power of two that is not below value. */
static inline uint32_t gravel_power_of_two_above(uint32_t value)
{
    uint32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

#endif
