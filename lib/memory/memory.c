/* SPDX-License-Identifier: MIT */
/*
 * The arena in shared or in device memory. See memory.h.
 */
#include "memory/memory.h"

#include "base/error.h"
#include "base/counter.h"
#include "memory/allocations.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MOST_BYTES (1u << 30) /* of node buffers in pinned memory */
#define ZEROS_BYTES (16u << 20)      /* the heap is cleared by copies of them */
#define ZEROS_AT_ONCE 16u            /* copies that are waited for together */

/* Makes the device's arena a copy of the mirror: queues empty, and a heap that gravel_alloc
 * clears. */
static int make_copied(struct gravel_memory *memory, const struct gravel_arena_shape *shape)
{
    const struct gravel_device *device = memory->device;
    struct gravelp_arena head;
    uint64_t bytes;
    GRAVEL_TRY(gravel_arena_plan(device, shape, &head, &bytes));
    GRAVEL_TRY(gravel_arena_check_copied(&head));
    GRAVEL_TRY(gravel_cl_queue_create(device, "copies of the heap", &memory->copies));
    int code = gravel_region_create(&memory->region, device, memory->copies, "arena", bytes);
    if (!memory->region.buffer)
        return gravel_arena_fail(device, shape, &head, bytes);
    GRAVEL_TRY(code);
    /* the mirror: everything before the heap, in memory that the device's copies reach without a detour */
    GRAVEL_TRY(gravel_pinned_create(&memory->mirror, device, memory->copies,
                                    "pinned memory for the queues", NULL, head.heap_offset));
    memory->arena = (void *)memory->mirror.begin;
    *memory->arena = head;
    /* fills of the heap would not do: NVIDIA's driver hangs in one of 2^31 bytes, and fails at an offset of 2^33 */
    GRAVEL_TRY(gravel_cl_buffer_create(device, "zeros to clear the heap from", ZEROS_BYTES,
                                       &memory->zeros));
    GRAVEL_TRY(gravel_cl_buffer_zero(memory->copies, memory->zeros, 0, ZEROS_BYTES,
                                     "clearing: clEnqueueFillBuffer"));
    gravel_arena_reset_queues(memory->arena, shape->start);
    code = gravel_check_cl("copying the queues to the device",
                           clEnqueueWriteBuffer(memory->copies, memory->region.buffer, CL_TRUE, 0,
                                                head.heap_offset, memory->arena, 0, NULL, NULL));
    /* Drivers may allocate a buffer when it is first used. */
    return code == GRAVEL_ENOMEM ? gravel_arena_fail(device, shape, &head, bytes) : code;
}

int gravel_memory_create(struct gravel_memory *memory, const struct gravel_device *device,
                         const struct gravel_arena_shape *shape)
{
    *memory = (struct gravel_memory){.device = device};
    if (!gravel_step_is_shared(device->step))
        return make_copied(memory, shape);
    int code = gravel_arena_create(device, shape, &memory->arena);
    memory->region = (struct gravel_region){.device = device, .shared = memory->arena};
    return code;
}

void gravel_memory_take_frames(struct gravel_memory *memory, unsigned char *given, uint64_t bytes,
                               bool pins, unsigned char *const *others, uint32_t n)
{
    memory->frames = given;
    if (!pins || !memory->region.buffer || bytes == 0 || bytes > FRAMES_MOST_BYTES ||
        gravel_pinned_create(&memory->own, memory->device, memory->copies, "node buffers", given,
                             bytes))
        return;
    memory->frames = memory->own.begin;
    memory->others = n ? calloc(n, sizeof *memory->others) : NULL;
    for (uint32_t i = 0; memory->others && i < n; i++)
        memory->n_others +=
            !gravel_pinned_create(&memory->others[memory->n_others], memory->device, memory->copies,
                                  "node buffers of others", others[i], bytes);
}

static bool is_in(const struct gravel_pinned *pinned, const void *at)
{
    return (uintptr_t)at - (uintptr_t)pinned->begin < pinned->bytes;
}

bool gravel_memory_is_pinned(const struct gravel_memory *memory, const void *frame)
{
    bool is = is_in(&memory->own, frame);
    for (uint32_t i = 0; !is && i < memory->n_others; i++)
        is = is_in(&memory->others[i], frame);
    return is;
}

void gravel_memory_destroy(struct gravel_memory *memory)
{
    if (!memory->device)
        return;
    if (!gravel_wait_is_done(memory->device, memory->copies, "copies of the heap"))
        return;
    gravel_region_destroy(&memory->region);
    gravel_pinned_destroy(&memory->mirror);
    gravel_pinned_destroy(&memory->own);
    for (uint32_t i = 0; i < memory->n_others; i++)
        gravel_pinned_destroy(&memory->others[i]);
    free(memory->others);
    gravel_cl_buffer_release(memory->zeros);
    if (gravel_wait_is_done(memory->device, memory->copies, "unmapping the heap"))
        gravel_cl_queue_release(memory->copies);
    *memory = (struct gravel_memory){.device = NULL};
}

cl_int gravel_memory_set_argument(const struct gravel_memory *memory, cl_kernel kernel,
                                  cl_uint index)
{
    return gravel_region_set_argument(&memory->region, kernel, index);
}

int gravel_memory_read(const struct gravel_memory *memory, uint32_t heap, uint64_t offset, void *to,
                       uint64_t bytes)
{
    return gravel_region_read(&memory->region, gravel_memory_heap_offset(memory, heap) + offset, to,
                              bytes);
}

int gravel_memory_write(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                        const void *from, uint64_t bytes)
{
    const uint64_t to = gravel_memory_heap_offset(memory, heap) + offset;
    if (!gravel_memory_is_pinned(memory, from))
        return gravel_region_write(&memory->region, to, from, bytes);
    cl_event copied = NULL;
    cl_int error = clEnqueueWriteBuffer(memory->copies, memory->region.buffer, CL_FALSE, to, bytes,
                                        from, 0, NULL, &copied);
    return gravel_wait_command(memory->device, memory->copies, error, copied,
                               "writing the heap: clEnqueueWriteBuffer");
}

cl_int gravel_memory_begin_read(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                                void *to, uint64_t bytes, cl_event *copied)
{
    const uint64_t from = gravel_memory_heap_offset(memory, heap) + offset;
    if (memory->region.buffer)
        return gravel_cl_read(memory->copies, memory->region.buffer, from, bytes, to, copied);
    gravel_region_read(&memory->region, from, to, bytes); /* by the host: it does not fail */
    return CL_SUCCESS;
}

int gravel_memory_zero(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                       uint64_t bytes)
{
    if (!memory->region.buffer) {
        memset(gravel_memory_heap(memory, heap) + offset, 0, bytes);
        return 0;
    }
    const uint64_t at = gravel_memory_heap_offset(memory, heap) + offset;
    const uint64_t all =
        (bytes + 3) & ~UINT64_C(3); /* allocations are multiples of 64 bytes apart */
    int code = 0;
    for (uint64_t done = 0, n; done < all && !code; done += n) {
        n = all - done < ZEROS_BYTES ? all - done : ZEROS_BYTES;
        code = gravel_check_cl("clearing the heap: clEnqueueCopyBuffer",
                               clEnqueueCopyBuffer(memory->copies, memory->zeros,
                                                   memory->region.buffer, 0, at + done, n, 0, NULL,
                                                   NULL));
        const bool waits = done + n == all || (done / ZEROS_BYTES + 1) % ZEROS_AT_ONCE == 0;
        if (!code && waits)
            code = gravel_wait_queue(memory->device, memory->copies, "clearing the heap");
    }
    return code;
}

int gravel_memory_take(const struct gravel_memory *memory, uint32_t heap, uint64_t offset,
                       uint32_t *counters, uint32_t n)
{
    return gravel_region_take(&memory->region, gravel_memory_heap_offset(memory, heap) + offset,
                              counters, n * sizeof *counters);
}

/* ---- the table of allocations -------------------------------------------------------------------- */

/* Copies what lies at `at` of the host's bounds to the kernels', where these are others. */
static int copy(const struct gravel_memory *memory, size_t at, size_t bytes)
{
    const uint64_t offset = memory->arena->bounds_offset + at;
    const void *from = (const unsigned char *)memory->arena + offset;
    return memory->region.buffer ? gravel_region_write(&memory->region, offset, from, bytes) : 0;
}

int gravel_bounds_publish(const struct gravel_memory *memory, struct gravel_heap *heap)
{
    struct gravel_span spans[GRAVELP_BOUNDS_MOST];
    if (!memory->arena->bounds_offset)
        return 0;
    struct gravelp_bounds *bounds =
        (void *)((unsigned char *)memory->arena + memory->arena->bounds_offset);
    const uint32_t next =
        (gravel_word_load(&bounds->current, memory_order_relaxed) + 1) % GRAVELP_BOUNDS_TABLES;
    const size_t n = gravel_heap_copy_spans(heap, spans, GRAVELP_BOUNDS_MOST);
    bounds->n[next] = n <= GRAVELP_BOUNDS_MOST ? (uint32_t)n : GRAVELP_BOUNDS_MOST + 1;
    for (size_t i = 0; i < n && n <= GRAVELP_BOUNDS_MOST; i++)
        bounds->spans[next][i] = (struct gravelp_bounds_span){spans[i].offset, spans[i].bytes};
    int code = copy(memory, offsetof(struct gravelp_bounds, spans[next]), sizeof bounds->spans[0]);
    if (!code)
        code = copy(memory, offsetof(struct gravelp_bounds, n), sizeof bounds->n);
    gravel_word_store(&bounds->current, next, memory_order_release); /* V1, pairs with V2 */
    GRAVEL_TRY(code);
    return copy(memory, 0, sizeof bounds->current);
}
