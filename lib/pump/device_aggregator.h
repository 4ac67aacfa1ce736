/* SPDX-License-Identifier: MIT */
/*
 * Binning on the device: the kernels of cl/kernels/aggregate.cl and the memory their blocks take.
 *
 * Each queue has some rooms, a block's place on the device and in pinned host memory. A run of
 * packages becomes two kernels on a command queue of the aggregator's own, and one copy of just
 * its messages: an increment costs the bus 4 bytes instead of 8, and the host one memcpy a
 * destination.
 *
 * Path:    lib/pump/blocks.c -> device_aggregator.c -> cl/kernels/aggregate.cl -> block.h.
 * Owner:   all its memory, made when it is created; none is made or released later.
 * Threads: one at a time.
 * Source:  Orr 2016, section 5.6.1.
 */
#ifndef GRAVEL_PUMP_DEVICE_AGGREGATOR_H
#define GRAVEL_PUMP_DEVICE_AGGREGATOR_H

#include "memory/memory.h"
#include "pump/block.h"

#include <stdbool.h>
#include <string.h>

#define GRAVEL_BLOCK_ROOMS \
    4u /* of each queue: being binned, being copied, being read, and one more */

struct gravel_device_aggregator;

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
           (device->step == GRAVEL_STEP_PUMP && !device->capability.is_cpu);
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

/** Messages of a command that a block holds [count]. */
uint32_t gravel_device_aggregator_fits(const struct gravel_device_aggregator *aggregator,
                                       uint32_t command);

/**
 * Bin a run into a room of its queue, and copy the block to the host.
 *
 * @param run     packages that are published, as their headers tell; they may turn out to be
 * otherwise.
 * @param room    0 to GRAVEL_BLOCK_ROOMS - 1; nobody uses it.
 * @param copied  [out] the copy's event.
 * @return        0; GRAVEL_ECL.
 */
int gravel_device_aggregator_bin(struct gravel_device_aggregator *aggregator,
                                 const struct gravel_package_run *run, uint32_t room,
                                 cl_event *copied);

/**
 * Look at a block whose copy has ended.
 *
 * @param block  [out]
 * @return       false if the packages must be looked at one by one: a destination that does not
 * exist, or a package that is not what its header told.
 */
bool gravel_device_aggregator_take(const struct gravel_device_aggregator *aggregator,
                                   const struct gravel_package_run *run, uint32_t room,
                                   struct gravel_block *block);

#endif
