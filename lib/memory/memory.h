/* SPDX-License-Identifier: MIT */
/*
 * Where a node's arena lies, for host and kernels.
 *
 * On steps svm and usm both address one arena. On pump and drain kernels use an arena in device memory, and the
 * host keeps a mirror of the same layout that ends before the heap: control block and queues. lib/pump/pump.c
 * moves packages from the one to the other; the heap is reached by copies.
 *
 * Path:    arena.c -> memory.c -> pump.c, node/messages.c, lib/network.
 * Threads: read, write and zero by any; the rest by the thread that opens and closes the node.
 */
#ifndef GRAVEL_MEMORY_MEMORY_H
#define GRAVEL_MEMORY_MEMORY_H

#include "memory/arena.h"
#include "opencl/region.h"

struct gravel_heap;

struct gravel_memory {
    const struct gravel_device *device;
    struct gravelp_arena *arena;  /* the host's: the arena itself, or its mirror */
    struct gravel_region region;  /* the kernels' arena: shared with the host, or a buffer */
    struct gravel_pinned mirror;  /* what the mirror lies in */
    cl_command_queue copies;      /* in order, for the heap; while kernels run */
    cl_mem zeros;                 /* on the device, next to the buffer */
    unsigned char *frames;        /* memory for node buffers; NULL: any memory will do */
    struct gravel_pinned own;     /* those of them that copies to the device may start at */
    struct gravel_pinned *others; /* [n_others] node buffers of other nodes of this machine */
    uint32_t n_others;
};

/**
 * Allocate the arena of the device's step.
 *
 * @param memory  [out] to be destroyed, also on failure.
 * @return        0; GRAVEL_ECONFIG; GRAVEL_ENOMEM with the size asked and the device's limit; GRAVEL_ECL.
 */
int gravel_memory_create(struct gravel_memory *memory, const struct gravel_device *device,
                         const struct gravel_arena_shape *shape);
/** Free it; all of it stays if the wait for its copies is given up. */
void gravel_memory_destroy(struct gravel_memory *memory);

/**
 * Choose memory for node buffers: what is given, else any. Where the heap is device memory it is pinned, if that is
 * wanted, so that a frame is uploaded from where it was filled; and so are node buffers of other nodes, which hand them
 * over where they are. Best effort, and not more than a gigabyte: without it frames are copied once more.
 *
 * @param given   [bytes] at a multiple of a page, to outlive the memory; or NULL.
 * @param others  [n] the same of other nodes.
 */
void gravel_memory_take_frames(struct gravel_memory *memory, unsigned char *given, uint64_t bytes,
                               bool pins, unsigned char *const *others, uint32_t n);

/** Returns whether copies to the device may start at `frame` as it is. */
bool gravel_memory_is_pinned(const struct gravel_memory *memory, const void *frame);

/** Set a kernel's GRAVEL_ARENA argument. */
cl_int gravel_memory_set_argument(const struct gravel_memory *memory, cl_kernel kernel,
                                  cl_uint index);

/** Returns the bytes from the start of the kernels' arena to a local heap. */
static inline uint64_t gravel_memory_heap_offset(const struct gravel_memory *memory, uint32_t heap)
{
    return memory->arena->heap_offset + (uint64_t)heap * memory->arena->heap_bytes;
}

/** Start of a local heap; NULL if the host cannot address it. */
static inline unsigned char *gravel_memory_heap(const struct gravel_memory *memory, uint32_t heap)
{
    return memory->region.buffer
               ? NULL
               : (unsigned char *)memory->arena + gravel_memory_heap_offset(memory, heap);
}

/**
 * Copy from or to a local heap, or clear a part of it. Done when the call returns.
 *
 * @param heap    number of the local heap.
 * @param offset  heap offset [bytes]; bounds are the caller's business.
 * @return        0; GRAVEL_ECL; or the wait was given up: see opencl/wait.h.
 */
int gravel_memory_read(const struct gravel_memory *memory, uint32_t heap, uint64_t offset, void *to,
                       uint64_t bytes);
int gravel_memory_write(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                        const void *from, uint64_t bytes);
int gravel_memory_zero(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                       uint64_t bytes);

/**
 * Copy from a local heap, without a detour, or begin to, on `memory->copies`.
 *
 * @param to      written until the copy has ended.
 * @param copied  [in, out] as gravel_cl_read; stays as it is where the copy is done.
 * @return        CL_SUCCESS, or what the driver returned.
 */
cl_int gravel_memory_begin_read(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                                void *to, uint64_t bytes, cl_event *copied);

/**
 * Read counters of a local heap and set them to 0, while no kernel and no other thread stores to them.
 *
 * @param counters  [out] [n]; stay as they are on failure.
 * @param n         as many as are GRAVEL_TAKEN_BYTES, at most.
 * @return          as gravel_memory_read.
 */
int gravel_memory_take(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                       uint32_t *counters, uint32_t n);

/** Show the allocations to handlers (layout/arena.h), by one that allocates or frees; nothing without checked mode.
 * @return as gravel_memory_write. */
int gravel_bounds_publish(const struct gravel_memory *memory, struct gravel_heap *heap);

#endif
