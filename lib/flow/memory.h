/* SPDX-License-Identifier: MIT */
/*
 * Flow memory on the device, and the host's view of its control part.
 *
 * On step svm host and kernels address flow memory alike. On all others it is a buffer, whose control part the host
 * mirrors in pinned memory: one copy before a round and one after it.
 *
 * Path:    layout.c -> memory.c -> flow.c, host.c.
 * Owner:   the flow.
 * Threads: the one that makes the flow's calls.
 */
#ifndef GRAVEL_FLOW_MEMORY_H
#define GRAVEL_FLOW_MEMORY_H

#include "flow/layout.h"
#include "opencl/copier.h"
#include "opencl/pinned.h"

struct gravel_flow_memory {
    const struct gravel_device *device;
    struct gravelp_flow *control; /* the host's: flow memory itself, or the mirror */
    void *shared;                 /* NULL: there is a buffer */
    cl_mem buffer;
    struct gravel_pinned mirror;
    struct gravel_copier *copier;
};

/**
 * Allocate it, and write the control part as it begins.
 *
 * @param memory  [out] to be destroyed, also on failure.
 * @return        0; GRAVEL_ENOMEM; GRAVEL_ECL; or the wait for the copy was given up (opencl/wait.h).
 */
int gravel_flow_memory_create(struct gravel_flow_memory *memory, const struct gravel_device *device,
                              const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph);
/** Zero-filled is allowed. What a device that has stopped answering may still use stays. */
void gravel_flow_memory_destroy(struct gravel_flow_memory *memory);

/** Set a kernel's GRAVEL_FLOW argument. */
cl_int gravel_flow_memory_set_argument(const struct gravel_flow_memory *memory, cl_kernel kernel,
                                       cl_uint index);

/**
 * Enqueue a copy of bytes of the control part to the device, or to the host; nothing where there is no mirror.
 *
 * @param event  [out] NULL if nothing is enqueued.
 */
cl_int gravel_flow_memory_upload(const struct gravel_flow_memory *memory, uint64_t at,
                                 uint64_t bytes);
cl_int gravel_flow_memory_download(const struct gravel_flow_memory *memory, uint64_t at,
                                   uint64_t bytes, cl_event *event);

/** Copy words of flow memory, from number `at` on, done on return. @return as gravel_copier_read. */
int gravel_flow_memory_write(struct gravel_flow_memory *memory, uint64_t at, const uint32_t *words,
                             uint64_t n);
int gravel_flow_memory_read(struct gravel_flow_memory *memory, uint64_t at, uint32_t *words,
                            uint64_t n);

#endif
