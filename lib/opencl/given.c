/* SPDX-License-Identifier: MIT */
/*
 * Checks what a caller hands over. See given.h.
 */
#include "opencl/given.h"

#include "base/error.h"

int gravel_given_kernel(const struct gravel_device *device, const char *call, cl_kernel kernel)
{
    cl_context context = NULL;
    GRAVEL_TRY(gravel_require(call, "kernel", kernel));
    cl_int error = clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof(cl_context), &context, NULL);
    if (error != CL_SUCCESS)
        return gravel_fail(GRAVEL_EINVAL, "%s: the kernel is none: clGetKernelInfo: %s (%d)", call,
                           gravel_cl_error(error), (int)error);
    return context == device->context
               ? 0
               : gravel_fail(GRAVEL_EINVAL, "%s: the kernel is of another context", call);
}

static int check_event(const struct gravel_device *device, const char *call, cl_uint i,
                       cl_event event)
{
    cl_context context = NULL;
    cl_int error = event
                       ? clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(cl_context), &context, NULL)
                       : CL_INVALID_EVENT;
    if (error != CL_SUCCESS)
        return gravel_fail(GRAVEL_EINVAL, "%s: wait[%u] is no event: %s (%d)", call, i,
                           event ? gravel_cl_error(error) : "it is NULL", (int)error);
    return context == device->context
               ? 0
               : gravel_fail(GRAVEL_EINVAL, "%s: wait[%u] is an event of another context", call, i);
}

int gravel_given_events(const struct gravel_device *device, const char *call, cl_uint n,
                        const cl_event *events)
{
    int code = 0;
    if (n && !events)
        return gravel_fail(GRAVEL_EINVAL, "%s: n_wait is %u, and wait is NULL", call, n);
    for (cl_uint i = 0; i < n && !code; i++)
        code = check_event(device, call, i, events[i]);
    return code;
}
