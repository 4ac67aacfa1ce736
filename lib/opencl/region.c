/* SPDX-License-Identifier: MIT */
/*
 * Memory behind an address or behind copies. See region.h.
 */
#include "opencl/region.h"

#include "base/error.h"
#include "device/shared.h"
#include "opencl/objects.h"

#include <inttypes.h>
#include <string.h>

int gravel_region_create(struct gravel_region *region, const struct gravel_device *device,
                         cl_command_queue queue, const char *what, uint64_t bytes)
{
    *region = (struct gravel_region){.device = device};
    if (!queue) {
        region->shared = gravel_shared_alloc(device, bytes);
        return region->shared
                   ? 0
                   : gravel_fail(GRAVEL_ENOMEM, "%s: %" PRIu64 " bytes that kernels and host share",
                                 what, bytes);
    }
    GRAVEL_TRY(gravel_cl_buffer_create(device, what, bytes, &region->buffer));
    return gravel_copier_create(&region->copier, device, queue);
}

void gravel_region_destroy(struct gravel_region *region)
{
    if (!region->device)
        return;
    gravel_shared_free(region->device, region->shared);
    gravel_copier_destroy(region->copier);
    gravel_cl_buffer_release(region->buffer);
    *region = (struct gravel_region){.device = NULL};
}

int gravel_region_read(const struct gravel_region *region, uint64_t from, void *to, uint64_t bytes)
{
    if (!region->shared)
        return gravel_copier_read(region->copier, region->buffer, from, to, bytes);
    memcpy(to, (const unsigned char *)region->shared + from, bytes);
    return 0;
}

int gravel_region_write(const struct gravel_region *region, uint64_t to, const void *from,
                        uint64_t bytes)
{
    if (!region->shared)
        return gravel_copier_write(region->copier, region->buffer, to, from, bytes);
    memcpy((unsigned char *)region->shared + to, from, bytes);
    return 0;
}

cl_int gravel_region_set_argument(const struct gravel_region *region, cl_kernel kernel,
                                  cl_uint index)
{
    return region->shared
               ? gravel_shared_set_argument(region->device, kernel, index, region->shared)
               : clSetKernelArg(kernel, index, sizeof region->buffer, &region->buffer);
}
