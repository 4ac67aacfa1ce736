/* SPDX-License-Identifier: MIT */
/*
 * The deques' memory. Where it is copied, that is beside kernels on step pump, on the node's queue of copies.
 *
 * Path:    create.c, fill.c, launch.c, settle.c -> this -> opencl/region.c.
 */
#include "base/error.h"
#include "steal/steal.h"

#include <inttypes.h>

int gravel_steal_memory_create(struct gravel_steal *steal)
{
    const struct gravel_device *device = &steal->gravel->device;
    if (steal->bytes > device->capability.max_alloc)
        return gravel_fail(GRAVEL_ENOMEM,
                           "deques of %u groups, %u tasks of %u bytes each: %" PRIu64
                           " bytes, and the device allocates %llu at most",
                           steal->options.n_groups, steal->options.capacity,
                           steal->options.task_bytes, steal->bytes,
                           (unsigned long long)device->capability.max_alloc);
    steal->queue = gravel_step_is_shared(device->step) ? NULL : steal->gravel->copies;
    return gravel_region_create(&steal->region, device, steal->queue, "deques", steal->bytes);
}

void gravel_steal_memory_destroy(struct gravel_steal *steal)
{
    const struct gravel_device *device = &steal->gravel->device;
    if (!gravel_wait_is_done(device, steal->queue, "copies of deques"))
        return;
    gravel_region_destroy(&steal->region);
    gravel_wait_is_done(device, steal->queue, "unmapping copies of deques");
}

int gravel_steal_read_deques(struct gravel_steal *steal)
{
    return gravel_region_read(&steal->region, steal->head.deques_offset, steal->deques,
                              steal->options.n_groups * sizeof *steal->deques);
}

int gravel_steal_write_deques(struct gravel_steal *steal)
{
    return gravel_region_write(&steal->region, steal->head.deques_offset, steal->deques,
                               steal->options.n_groups * sizeof *steal->deques);
}
