/* SPDX-License-Identifier: MIT */
/*
 * The deques' memory: shared with the device on steps svm and usm, else a buffer that is copied from and to, beside
 * kernels on step pump.
 *
 * Path:    create.c, fill.c, launch.c, settle.c -> this -> device/shared.c, opencl/copier.c.
 */
#include "base/error.h"
#include "device/shared.h"
#include "opencl/objects.h"
#include "steal/steal.h"

#include <inttypes.h>
#include <string.h>

static int make_buffer(struct gravel_steal *steal)
{
    const struct gravel_device *device = &steal->gravel->device;
    int code = gravel_cl_queue_create(device, "copies of deques", &steal->queue);
    if (!code)
        code = gravel_cl_buffer_create(device, "deques", steal->bytes, &steal->buffer);
    return code ? code : gravel_copier_create(&steal->copier, device, steal->queue);
}

int gravel_steal_memory_create(struct gravel_steal *steal)
{
    const struct gravel_device *device = &steal->gravel->device;
    if (steal->bytes > device->capability.max_alloc)
        return gravel_fail(GRAVEL_ENOMEM,
                           "deques of %u groups, %u tasks of %u bytes each: %" PRIu64
                           " bytes, and the device allocates %llu at most",
                           steal->options.n_groups, steal->options.capacity,
                           steal->options.task_bytes, steal->bytes,
                           (unsigned long long)device->capability.max_alloc);
    if (!gravel_step_is_shared(device->step))
        return make_buffer(steal);
    steal->shared = gravel_shared_alloc(device, steal->bytes);
    return steal->shared ? 0
                         : gravel_fail(GRAVEL_ENOMEM, "deques of %" PRIu64 " bytes", steal->bytes);
}

void gravel_steal_memory_destroy(struct gravel_steal *steal)
{
    const struct gravel_device *device = &steal->gravel->device;
    if (!gravel_wait_is_done(device, steal->queue, "copies of deques"))
        return;
    gravel_copier_destroy(steal->copier);
    gravel_cl_buffer_release(steal->buffer);
    if (gravel_wait_is_done(device, steal->queue, "unmapping copies of deques"))
        gravel_cl_queue_release(steal->queue);
    if (steal->shared)
        gravel_shared_free(device, steal->shared);
}

int gravel_steal_read(struct gravel_steal *steal, uint64_t from, void *to, uint64_t bytes)
{
    if (!steal->shared)
        return gravel_copier_read(steal->copier, steal->buffer, from, to, bytes);
    memcpy(to, (const unsigned char *)steal->shared + from, bytes);
    return 0;
}

int gravel_steal_write(struct gravel_steal *steal, uint64_t to, const void *from, uint64_t bytes)
{
    if (!steal->shared)
        return gravel_copier_write(steal->copier, steal->buffer, to, from, bytes);
    memcpy((unsigned char *)steal->shared + to, from, bytes);
    return 0;
}

cl_int gravel_steal_set_argument(const struct gravel_steal *steal, cl_kernel kernel, cl_uint index)
{
    if (steal->buffer)
        return clSetKernelArg(kernel, index, sizeof steal->buffer, &steal->buffer);
    return gravel_shared_set_argument(&steal->gravel->device, kernel, index, steal->shared);
}

int gravel_steal_read_deques(struct gravel_steal *steal)
{
    return gravel_steal_read(steal, steal->head.deques_offset, steal->deques,
                             steal->options.n_groups * sizeof *steal->deques);
}

int gravel_steal_write_deques(struct gravel_steal *steal)
{
    return gravel_steal_write(steal, steal->head.deques_offset, steal->deques,
                              steal->options.n_groups * sizeof *steal->deques);
}
