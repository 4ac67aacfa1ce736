/* SPDX-License-Identifier: MIT */
/*
 * Binning on the device: whether there is any, and what it takes.
 *
 * Each queue has some rooms, a block's place on the device. A run of packages becomes two kernels, one of puts three,
 * on a command queue of its own, and a copy of the counts to the host, which then
 * knows where to copy the parts: an increment costs the bus 4 bytes instead of 8, and the host
 * reads no message.
 *
 * Path:    lib/pump/blocks.c -> device_aggregator.c -> cl/kernels/aggregate.cl -> block.h.
 * Threads: any; no state.
 * Source:  Orr 2016, section 5.6.1.
 */
#ifndef GRAVEL_PUMP_DEVICE_AGGREGATOR_H
#define GRAVEL_PUMP_DEVICE_AGGREGATOR_H

#include "memory/memory.h"
#include "layout/arena.h"
#include "pump/block.h"
#include "transport/buffer.h"

#include <stdbool.h>
#include <string.h>

#define GRAVEL_BLOCK_MOST_NODES 4096u /* of more, few messages of any run go to the same */

#define GRAVEL_BLOCK_ROOMS \
    8u /* of each queue: being binned, copied or shipped, and some that wait for their turn to be applied */

/** Bytes of a block's messages, at most. @param queue_bytes  of one queue. */
static inline uint32_t gravel_block_bytes(uint32_t n_queues, uint64_t queue_bytes)
{
    const uint64_t all = 128u << 20, most = GRAVEL_ROWS_MOST_BYTES, least = 64u << 10;
    uint64_t share = all / GRAVEL_BLOCK_ROOMS / n_queues;
    uint64_t bytes = share < least ? least : share < most ? share : most;
    return (uint32_t)(queue_bytes < bytes ? queue_bytes : bytes);
}

/**
 * Whether a device bins long runs. A CPU device has no bus to spare.
 *
 * @param setting  GRAVEL_DEVICE_AGGREGATION's value.
 */
static inline bool gravel_device_bins(const struct gravel_device *device, const char *setting)
{
    if (!strcmp(setting, "off") || gravel_step_is_shared(device->step))
        return false;
    return !strcmp(setting, "on") ||
           (gravel_step_is_pumped(device->step) && !device->capability.is_cpu);
}

/**
 * Enqueue copies of rows of messages on the device to a buffer that is laid out for as many.
 *
 * @param copied  [out] the last copy's event; replaces what was there.
 * @return        CL_SUCCESS, or what the driver returned.
 */
cl_int gravel_rows_copy(cl_command_queue queue, const struct gravel_rows *rows,
                        const struct gravel_buffer *buffer, cl_event *copied);

#endif
