/* SPDX-License-Identifier: MIT */
/*
 * Capacities of queues are powers of two.
 *
 * Path:    sender.c, start.c -> capacity.h -> spsc.h, mpmc.h.
 */
#ifndef GRAVEL_QUEUE_CAPACITY_H
#define GRAVEL_QUEUE_CAPACITY_H

#include <stdint.h>

/** The least capacity that holds n elements. */
static inline uint32_t gravel_queue_capacity(uint32_t n)
{
    uint32_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

#endif
