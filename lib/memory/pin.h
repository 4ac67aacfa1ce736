/* SPDX-License-Identifier: MIT */
/*
 * Host memory that a device copies from at the speed of the bus.
 *
 * Path:    memory.c, for node buffers -> device_resolver.c uploads them from where they are.
 * Owner:   memory that was given stays the giver's, and must outlive the pin.
 * Threads: the thread that opens and closes the node.
 */
#ifndef GRAVEL_MEMORY_PIN_H
#define GRAVEL_MEMORY_PIN_H

#include <stdbool.h>
#include <stdint.h>
#include <CL/cl.h>

struct gravel_pin {
    cl_mem buffer;        /* what pins it; NULL: nothing is pinned */
    unsigned char *begin; /* mapped all the time, for the host to read and write */
    uint64_t bytes;       /* 0: nothing is pinned */
};

/**
 * Pin memory.
 *
 * @param queue  for the mapping; waited for.
 * @param given  [bytes] at a multiple of a page; NULL: memory of the driver's.
 * @return       whether it worked; else the pin is empty.
 */
bool gravel_pin_make(struct gravel_pin *pin, cl_context context, cl_command_queue queue,
                     unsigned char *given, uint64_t bytes);

/** Enqueue the end of the mapping, and let go. An empty pin is allowed. */
void gravel_pin_free(struct gravel_pin *pin, cl_command_queue queue);

/** Whether a copy to the device may start at `at`. */
static inline bool gravel_pin_holds(const struct gravel_pin *pin, const void *at)
{
    return (uintptr_t)at - (uintptr_t)pin->begin < pin->bytes;
}

#endif
