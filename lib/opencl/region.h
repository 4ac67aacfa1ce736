/* SPDX-License-Identifier: MIT */
/*
 * Memory that a kernel and the host use: at one address where the device's step shares memory with the host, else a
 * buffer, which is copied from and to.
 *
 * Path:    lib/memory, lib/serve, lib/flow, lib/steal -> region.c -> device/shared.c, the device.
 * Owner:   its memory; device and queue are the caller's and outlive it.
 * Threads: create and destroy: alone; the rest: any.
 */
#ifndef GRAVEL_OPENCL_REGION_H
#define GRAVEL_OPENCL_REGION_H

#include "device/device.h"

/* ---- pinned memory: of the host, which a device copies from and to at the speed of the bus -------- */

struct gravel_pinned {
    cl_mem buffer;          /* what pins it, mapped all the time; NULL: nothing is pinned */
    cl_command_queue queue; /* of the mapping */
    unsigned char *begin;   /* mapped all the time, for the host to read and write */
    uint64_t bytes;         /* 0: nothing is pinned */
};

/**
 * Pin memory.
 *
 * @param user    whose it is, for the error: "the pump".
 * @param queue   for the mapping; waited for.
 * @param given   [bytes] at a multiple of a page; stays the giver's, and must outlive the buffer, as the queue must;
 *                NULL: memory of the driver's, not cleared.
 * @param pinned  [out] empty on failure.
 * @return        0; GRAVEL_ENOMEM with the size.
 */
int gravel_pinned_create(struct gravel_pinned *pinned, const struct gravel_device *device,
                         cl_command_queue queue, const char *user, unsigned char *given,
                         uint64_t bytes);

/** Enqueue the end of the mapping, and let go. An empty one is allowed. */
void gravel_pinned_destroy(struct gravel_pinned *pinned);

/* ---- regions ------------------------------------------------------------------------------------- */

struct gravel_copier;

struct gravel_region {
    const struct gravel_device *device; /* NULL: there is no memory */
    void *shared;                       /* its address; NULL: there is a buffer */
    cl_mem buffer;
    struct gravel_copier *copier;
};

/**
 * Allocate it, not cleared.
 *
 * @param region  [out] to be destroyed, also on failure.
 * @param queue   for copies; NULL: the step shares memory, and it is to be shared.
 * @param what    it is for: "deques".
 * @return        0; GRAVEL_ENOMEM; GRAVEL_ECL.
 */
int gravel_region_create(struct gravel_region *region, const struct gravel_device *device,
                         cl_command_queue queue, const char *what, uint64_t bytes);
/** Zero-filled is allowed. No kernel or copy uses it, and the queue is finished. */
void gravel_region_destroy(struct gravel_region *region);

/** Copy bytes from or to it, done on return; from or to shared memory by heap_bytes.c. @return 0; GRAVEL_ECL; or given
 * up: see wait.h. */
int gravel_region_read(const struct gravel_region *region, uint64_t from, void *to, uint64_t bytes);
int gravel_region_write(const struct gravel_region *region, uint64_t to, const void *from,
                        uint64_t bytes);

/** Copy GRAVEL_TAKEN_BYTES at most and set them to 0 there: of a buffer by two commands, and one wait. @return as
 * gravel_region_read. */
#define GRAVEL_TAKEN_BYTES 4096u
int gravel_region_take(const struct gravel_region *region, uint64_t from, void *to, uint64_t bytes);

/** Set a kernel's argument. */
cl_int gravel_region_set_argument(const struct gravel_region *region, cl_kernel kernel,
                                  cl_uint index);

/** heap_bytes.c: store bytes into memory that kernels share, each word with release (R1). */
void gravel_heap_store_bytes(unsigned char *heap, const void *from, size_t bytes);

/** Load such bytes, each word with acquire (R1). */
void gravel_heap_load_bytes(void *to, const unsigned char *heap, size_t bytes);

#endif
