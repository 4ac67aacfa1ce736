/* SPDX-License-Identifier: MIT */
/*
 * Flow memory on the device, and the host's view of its control part.
 *
 * On step svm host and kernels address flow memory alike. On all others it is a buffer, of which the host mirrors what
 * is before the rows in pinned memory: one copy before a round and one after it.
 *
 * Path:    layout.c -> memory.c -> flow.c, host.c.
 * Owner:   the flow.
 * Threads: the one that makes the flow's calls.
 */
#ifndef GRAVEL_FLOW_MEMORY_H
#define GRAVEL_FLOW_MEMORY_H

#include "flow/layout.h"
#include "opencl/region.h"

struct gravel_flow_memory {
    const struct gravel_device *device;
    const struct gravel_flow_layout *layout;
    struct gravelp_flow *control; /* the host's: flow memory itself, or the mirror */
    struct gravel_region region;
    struct gravel_pinned mirror; /* of a region that is a buffer */
};

/**
 * Allocate it, and write what is before the rows as it begins.
 *
 * @param memory  [out] to be destroyed, also on failure.
 * @param layout  outlives it.
 * @return        0; GRAVEL_ENOMEM; GRAVEL_ECL; or the wait for the copy was given up (opencl/wait.h).
 */
int gravel_flow_memory_create(struct gravel_flow_memory *memory, const struct gravel_device *device,
                              const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph);
/** Zero-filled is allowed. What a device that has stopped answering may still use stays. */
void gravel_flow_memory_destroy(struct gravel_flow_memory *memory);

/** Enqueue a copy to the device of round and limits, and of what a launch that loops needs besides; nothing where there
 * is no mirror. */
cl_int gravel_flow_memory_send(const struct gravel_flow_memory *memory, bool loops);
/** Enqueue a copy to the host of faults and tails, or of all that a launch that loops changes. @param event  [out] NULL
 * where there is no mirror. */
cl_int gravel_flow_memory_fetch(const struct gravel_flow_memory *memory, bool loops,
                                cl_event *event);
/** Copy tails that the host has changed to the device, done on return. @return as gravel_region_write. */
int gravel_flow_memory_write_tails(struct gravel_flow_memory *memory);

/** Copy words of rows or the result, from number `at` on, done on return. @return as gravel_region_read. */
int gravel_flow_memory_write(struct gravel_flow_memory *memory, uint64_t at, const uint32_t *words,
                             uint64_t n);
int gravel_flow_memory_read(struct gravel_flow_memory *memory, uint64_t at, uint32_t *words,
                            uint64_t n);

#endif
