/* SPDX-License-Identifier: MIT */
/*
 * Pinned host memory, which a device copies from and to at the speed of the bus: a buffer that stays mapped.
 *
 * Path:    objects.h -> pinned.h -> memory.c, region.c, pump.c, device_aggregator.c, device_resolver.c.
 * Owner:   memory that was given stays the giver's, and must outlive the buffer; so must the queue.
 * Threads: create and destroy: the thread that opens and closes the node.
 */
#ifndef GRAVEL_OPENCL_PINNED_H
#define GRAVEL_OPENCL_PINNED_H

#include "device/device.h"

struct gravel_pinned {
    cl_mem buffer;          /* what pins it; NULL: nothing is pinned */
    cl_command_queue queue; /* of the mapping */
    unsigned char *begin;   /* mapped all the time, for the host to read and write */
    uint64_t bytes;         /* 0: nothing is pinned */
};

/**
 * Pin memory.
 *
 * @param user    whose it is, for the error: "the pump".
 * @param queue   for the mapping; waited for.
 * @param given   [bytes] at a multiple of a page; NULL: memory of the driver's, not cleared.
 * @param pinned  [out] empty on failure.
 * @return        0; GRAVEL_ENOMEM with the size.
 */
int gravel_pinned_create(struct gravel_pinned *pinned, const struct gravel_device *device,
                         cl_command_queue queue, const char *user, unsigned char *given,
                         uint64_t bytes);

/** Enqueue the end of the mapping, and let go. An empty one is allowed. */
void gravel_pinned_destroy(struct gravel_pinned *pinned);

/** Whether a copy to the device may start at `at`. */
static inline bool gravel_pinned_has(const struct gravel_pinned *pinned, const void *at)
{
    return (uintptr_t)at - (uintptr_t)pinned->begin < pinned->bytes;
}

#endif
