/* SPDX-License-Identifier: MIT */
/*
 * Pins host memory by a buffer that stays mapped. See pin.h.
 */
#include "memory/pin.h"

bool gravel_pin_make(struct gravel_pin *pin, cl_context context, cl_command_queue queue,
                     unsigned char *given, uint64_t bytes)
{
    cl_mem_flags how = given ? CL_MEM_USE_HOST_PTR : CL_MEM_ALLOC_HOST_PTR;
    cl_int error;
    *pin = (struct gravel_pin){0};
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | how, bytes, given, &error);
    if (error != CL_SUCCESS)
        return false;
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes,
                                      0, NULL, NULL, &error);
    if (error != CL_SUCCESS) {
        clReleaseMemObject(buffer);
        return false;
    }
    *pin = (struct gravel_pin){buffer, mapped, bytes};
    return true;
}

void gravel_pin_free(struct gravel_pin *pin, cl_command_queue queue)
{
    if (!pin->buffer)
        return;
    clEnqueueUnmapMemObject(queue, pin->buffer, pin->begin, 0, NULL, NULL);
    clReleaseMemObject(pin->buffer);
    *pin = (struct gravel_pin){0};
}
