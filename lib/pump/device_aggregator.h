/* SPDX-License-Identifier: MIT */
/*
 * Binning on the device: the kernels of cl/kernels/aggregate.cl and the memory their blocks take.
 *
 * Each queue has some rooms, a block's place on the device. A run of packages becomes two kernels, one of puts three,
 * on a command queue of the aggregator's own, and a copy of the counts to the host, which then
 * knows where to copy the parts: an increment costs the bus 4 bytes instead of 8, and the host
 * reads no message.
 *
 * Path:    lib/pump/blocks.c -> device_aggregator.c -> cl/kernels/aggregate.cl -> block.h.
 * Owner:   all its memory, made when it is created; none is made or released later.
 * Threads: one at a time.
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

struct gravel_device_aggregator;

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
 * Build the kernels and allocate the rooms.
 *
 * @param memory  the arena; device, kernels' buffer and mirror are used.
 * @return        0; GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ENOMEM.
 */
int gravel_device_aggregator_create(struct gravel_device_aggregator **out,
                                    const struct gravel_memory *memory);
/** Release everything; NULL is allowed. */
void gravel_device_aggregator_destroy(struct gravel_device_aggregator *aggregator);

/** Messages of a command that a block holds [count]; 0: its runs are not binned, or it is malformed. */
uint32_t gravel_device_aggregator_fits(const struct gravel_device_aggregator *aggregator,
                                       uint32_t command);

/**
 * Bin a run into a room of its queue, and copy the counts to the host.
 *
 * @param run     packages that are published, as their headers tell; they may turn out to be
 * otherwise.
 * @param room    0 to GRAVEL_BLOCK_ROOMS - 1, not in use.
 * @param counted  [out] the copy's event: then the block is complete, and any command queue may copy from it.
 * @return        0; GRAVEL_ECL.
 */
int gravel_device_aggregator_bin(struct gravel_device_aggregator *aggregator,
                                 const struct gravel_package_run *run, uint32_t room,
                                 cl_event *counted);

/** Messages to each node [n_nodes] of a block whose counts have been copied. */
const uint32_t *gravel_device_aggregator_counts(const struct gravel_device_aggregator *aggregator,
                                                const struct gravel_package_run *run,
                                                uint32_t room);

/**
 * Whether a block whose counts have been copied holds what was to be binned.
 *
 * @return  false if the packages must be read one by one: a destination that does not
 * exist, or a package that is not what its header says.
 */
bool gravel_device_aggregator_is_right(const struct gravel_device_aggregator *aggregator,
                                       const struct gravel_package_run *run, uint32_t room);

/**
 * Returns where the messages of a block are on the device, from the first one on.
 *
 * @param first  counted from the block's, gaps between parts included (GRAVELP_BLOCK_PART).
 */
struct gravel_rows gravel_device_aggregator_rows(const struct gravel_device_aggregator *aggregator,
                                                 const struct gravel_package_run *run,
                                                 uint32_t room, uint32_t first);

/**
 * Enqueue copies of rows of messages on the device to a buffer that is laid out for as many.
 *
 * @param copied  [out] the last copy's event; replaces what was there.
 * @return        CL_SUCCESS, or what the driver returned.
 */
cl_int gravel_rows_copy(cl_command_queue queue, const struct gravel_rows *rows,
                        const struct gravel_buffer *buffer, cl_event *copied);

#endif
