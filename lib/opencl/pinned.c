/* SPDX-License-Identifier: MIT */
/*
 * Pins host memory by a buffer that stays mapped. See pinned.h.
 */
#include "opencl/pinned.h"

#include "opencl/objects.h"

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
