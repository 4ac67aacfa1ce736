/* SPDX-License-Identifier: MIT */
/*
 * Memory behind an address or behind copies. See region.h.
 *
 * A wait for a copy may be given up, and the copy may end later nevertheless. So the device never reads or writes the
 * caller's memory, which the caller may free then, but only pinned memory of the region's, which stays. Copies go
 * through it piece by piece, one caller at a time.
 */
#include "opencl/region.h"

#include "base/error.h"
#include "base/rounding.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- pinned memory ------------------------------------------------------------------------------ */

int gravel_pinned_create(struct gravel_pinned *pinned, const struct gravel_device *device,
                         cl_command_queue queue, const char *user, unsigned char *given,
                         uint64_t bytes)
{
    cl_mem_flags how = given ? CL_MEM_USE_HOST_PTR : CL_MEM_ALLOC_HOST_PTR;
    cl_int error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    void *mapped = NULL;
    cl_mem buffer = NULL;
    *pinned = (struct gravel_pinned){0};
    if (given || gravel_cl_has_addresses(device, bytes))
        buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE | how, bytes, given, &error);
    if (error == CL_SUCCESS)
        mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                    NULL, NULL, &error);
    else
        buffer = NULL;
    if (error != CL_SUCCESS) {
        gravel_cl_buffer_release(buffer);
        return gravel_cl_buffer_fail(user, bytes, error);
    }
    *pinned = (struct gravel_pinned){buffer, queue, mapped, bytes};
    return 0;
}

void gravel_pinned_destroy(struct gravel_pinned *pinned)
{
    if (!pinned->buffer)
        return;
    clEnqueueUnmapMemObject(pinned->queue, pinned->buffer, pinned->begin, 0, NULL, NULL);
    clReleaseMemObject(pinned->buffer);
    *pinned = (struct gravel_pinned){0};
}

/* ---- copies ------------------------------------------------------------------------------------- */

#define COPIER_BYTES \
    (1u << 20) /* stays in a cache; and a copy of so much hides what starting it costs */

_Static_assert(2 * GRAVEL_TAKEN_BYTES <= COPIER_BYTES, "what is taken, and zeros for it");

struct gravel_copier {
    const struct gravel_device *device;
    cl_command_queue queue;
    struct gravel_pinned pinned; /* [COPIER_BYTES] */
    pthread_mutex_t lock;
    int given_up; /* what a wait returned; the copy may still use the memory then */
};

/* Bounded: the copy that keeps the lock may be one that never ends. */
static int lock(struct gravel_copier *copier, const char *what)
{
    struct gravel_wait wait = gravel_wait_on(copier->device, what);
    int code = gravel_wait_lock(&wait, &copier->lock);
    if (code || !copier->given_up)
        return code;
    code = gravel_fail(copier->given_up, "%s: the device has not ended an earlier copy", what);
    pthread_mutex_unlock(&copier->lock);
    return code;
}

/* Copies to the host or from there. @param to, from  of the host, one of them NULL */
static int copy(struct gravel_copier *copier, cl_mem buffer, uint64_t at, unsigned char *to,
                const unsigned char *from, uint64_t bytes, const char *what)
{
    unsigned char *pinned = copier->pinned.begin;
    int code = 0;
    GRAVEL_TRY(lock(copier, what));
    for (uint64_t done = 0, piece; done < bytes && !code; done += piece) {
        cl_event copied = NULL;
        piece = gravel_piece_bytes(at + done, bytes - done, COPIER_BYTES);
        if (from)
            memcpy(pinned, from + done, piece);
        cl_int error = from ? clEnqueueWriteBuffer(copier->queue, buffer, CL_FALSE, at + done,
                                                   piece, pinned, 0, NULL, &copied)
                            : clEnqueueReadBuffer(copier->queue, buffer, CL_FALSE, at + done, piece,
                                                  pinned, 0, NULL, &copied);
        code = gravel_wait_command(copier->device, copier->queue, error, copied, what);
        if (gravel_wait_gave_up(code))
            copier->given_up = code;
        if (!code && to)
            memcpy(to + done, pinned, piece);
    }
    pthread_mutex_unlock(&copier->lock);
    return code;
}

/* ---- regions ------------------------------------------------------------------------------------ */

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
    struct gravel_copier *copier = region->copier = calloc(1, sizeof *copier);
    if (!copier)
        return gravel_fail_memory("copies of the heap", sizeof *copier);
    copier->device = device;
    copier->queue = queue;
    return gravel_pinned_create(&copier->pinned, device, queue,
                                "pinned memory for the heap's copies", NULL, COPIER_BYTES);
}

void gravel_region_destroy(struct gravel_region *region)
{
    if (!region->device)
        return;
    gravel_shared_free(region->device, region->shared);
    if (region->copier)
        gravel_pinned_destroy(&region->copier->pinned);
    free(region->copier);
    gravel_cl_buffer_release(region->buffer);
    *region = (struct gravel_region){.device = NULL};
}

int gravel_region_read(const struct gravel_region *region, uint64_t from, void *to, uint64_t bytes)
{
    if (!region->shared)
        return copy(region->copier, region->buffer, from, to, NULL, bytes,
                    "reading the heap: clEnqueueReadBuffer");
    gravel_heap_load_bytes(to, (const unsigned char *)region->shared + from, bytes);
    return 0;
}

int gravel_region_write(const struct gravel_region *region, uint64_t to, const void *from,
                        uint64_t bytes)
{
    if (!region->shared)
        return copy(region->copier, region->buffer, to, NULL, from, bytes,
                    "writing the heap: clEnqueueWriteBuffer");
    gravel_heap_store_bytes((unsigned char *)region->shared + to, from, bytes);
    return 0;
}

/* In order: the zeros, whose event is waited for, are there last. If the driver refuses them, the read may be under way
 * nevertheless. */
int gravel_region_take(const struct gravel_region *region, uint64_t from, void *to, uint64_t bytes)
{
    static const char what[] = "taking counters: clEnqueueReadBuffer, clEnqueueWriteBuffer";
    static const unsigned char none[GRAVEL_TAKEN_BYTES];
    struct gravel_copier *copier = region->copier;
    if (!copier) {
        unsigned char *here = (unsigned char *)region->shared + from;
        gravel_heap_load_bytes(to, here, bytes);
        gravel_heap_store_bytes(here, none, bytes);
        return 0;
    }
    unsigned char *taken = copier->pinned.begin, *zeros = taken + GRAVEL_TAKEN_BYTES;
    cl_event cleared = NULL;
    GRAVEL_TRY(lock(copier, what));
    memset(zeros, 0, bytes);
    cl_int error = clEnqueueReadBuffer(copier->queue, region->buffer, CL_FALSE, from, bytes, taken,
                                       0, NULL, NULL);
    const bool has_begun = error == CL_SUCCESS;
    if (has_begun)
        error = clEnqueueWriteBuffer(copier->queue, region->buffer, CL_FALSE, from, bytes, zeros, 0,
                                     NULL, &cleared);
    int code = 0;
    if (cleared)
        code = gravel_wait_command(copier->device, copier->queue, error, cleared, what);
    else if (has_begun) /* the read may still write to its memory */
        code = gravel_wait_queue(copier->device, copier->queue, what);
    if (gravel_wait_gave_up(code))
        copier->given_up = code;
    if (!code)
        code = gravel_check_cl(what, error);
    if (!code)
        memcpy(to, taken, bytes);
    pthread_mutex_unlock(&copier->lock);
    return code;
}

cl_int gravel_region_set_argument(const struct gravel_region *region, cl_kernel kernel,
                                  cl_uint index)
{
    return region->shared
               ? gravel_shared_set_argument(region->device, kernel, index, region->shared)
               : clSetKernelArg(kernel, index, sizeof region->buffer, &region->buffer);
}
