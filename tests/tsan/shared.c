/* SPDX-License-Identifier: MIT */
/*
 * Shared memory without OpenCL, so that lib/memory/arena.c lays out the arena of these tests, too.
 *
 * Path:    lib/memory/arena.c -> device_queue.c.
 */
#include <stdlib.h>

#include "device/device.h"

#define PAGE 4096u

void *gravel_shared_alloc(const struct gravel_device *device, size_t bytes)
{
    (void)device;
    return aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
}

void gravel_shared_free(const struct gravel_device *device, void *memory)
{
    (void)device;
    free(memory);
}

cl_int gravel_shared_set_argument(const struct gravel_device *device, cl_kernel kernel,
                                  cl_uint index, const void *memory)
{
    (void)device, (void)kernel, (void)index, (void)memory;
    return CL_SUCCESS;
}
