/* SPDX-License-Identifier: MIT */
/*
 * Queues, buffers, kernels and events. See objects.h.
 */
#include "opencl/objects.h"

#include "base/addresses.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OWN_BYTES (UINT64_C(1) << 20) /* of a driver's, next to a buffer */

/* ---- create ---------------------------------------------------------------------------------- */

/* @param kind, name  of the object, or of who wants it. */
static int fail(const char *kind, const char *name, const char *call, cl_int error)
{
    char what[GRAVEL_ERROR_BYTES];
    snprintf(what, sizeof what, "%s%s: %s", kind, name, call);
    return gravel_fail_cl(what, error);
}

int gravel_cl_queue_create(const struct gravel_device *device, const char *user,
                           cl_command_queue *out)
{
    cl_int error;
    *out = clCreateCommandQueueWithProperties(device->context, device->id, NULL, &error);
    if (error == CL_SUCCESS)
        return 0;
    *out = NULL;
    return fail("", user, "clCreateCommandQueueWithProperties", error);
}

int gravel_cl_buffer_fail(const char *user, uint64_t bytes, cl_int error)
{
    char limit[GRAVEL_ADDRESSES_BYTES];
    const char *also = gravel_addresses_describe(limit) ? "; " : "";
    return gravel_fail(GRAVEL_ENOMEM, "%s: a buffer of %" PRIu64 " bytes: %s (%d)%s%s", user, bytes,
                       gravel_cl_error(error), (int)error, also, limit);
}

int gravel_cl_buffer_zero(cl_command_queue queue, cl_mem buffer, uint64_t at, uint64_t bytes,
                          const char *what)
{
    const cl_uint zero = 0;
    return gravel_check_cl(
        what, clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, at, bytes, 0, NULL, NULL));
}

bool gravel_cl_has_addresses(const struct gravel_device *device, uint64_t bytes)
{
    if (!device->capability.is_cpu)
        return true;
    void *memory = mmap(NULL, bytes + OWN_BYTES, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    munmap(memory, bytes + OWN_BYTES);
    return true;
}

/*
 * Gives a buffer its memory now. NVIDIA's driver does that at the first command that uses it, and if it has to ask the
 * device for more, it holds its lock until the device is idle: so never, behind a kernel that waits for the host. PoCL
 * also waits for that command, and gravel_cl_has_addresses does not see memory that is yet to come. A queue of its own,
 * so that the read waits for no kernel.
 */
static cl_int allocate(const struct gravel_device *device, cl_mem buffer)
{
    cl_int error;
    unsigned char byte;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(device->context, device->id, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    error = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL);
    clReleaseCommandQueue(queue);
    return error;
}

int gravel_cl_buffer_create(const struct gravel_device *device, const char *user, uint64_t bytes,
                            cl_mem *out)
{
    cl_int error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    *out = NULL;
    if (gravel_cl_has_addresses(device, bytes))
        *out = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error == CL_SUCCESS && (error = allocate(device, *out)) == CL_SUCCESS)
        return 0;
    gravel_cl_buffer_release(*out);
    *out = NULL;
    return gravel_cl_buffer_fail(user, bytes, error);
}

char *gravel_cl_program_text(const struct gravel_device *device, cl_program program,
                             cl_program_build_info what)
{
    size_t bytes = 0;
    clGetProgramBuildInfo(program, device->id, what, 0, NULL, &bytes);
    char *text = calloc(1, bytes + 1);
    if (text && bytes)
        clGetProgramBuildInfo(program, device->id, what, bytes, text, NULL);
    return text;
}

cl_int gravel_cl_program_build(const struct gravel_device *device, cl_program program,
                               const char *options)
{
    cl_int error = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    if (error != CL_BUILD_PROGRAM_FAILURE)
        return error;
    /* Compilers say "error:" of a text, linkers and assemblers "error" of what they know by other names. */
    char *log = gravel_cl_program_text(device, program, CL_PROGRAM_BUILD_LOG);
    if (log && !strcasestr(log, "error"))
        error = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    free(log);
    return error;
}

int gravel_cl_kernel_create(const struct gravel_device *device, cl_program program,
                            const char *name, size_t *group, cl_kernel *out)
{
    cl_int error;
    *out = clCreateKernel(program, name, &error);
    if (error != CL_SUCCESS) {
        *out = NULL;
        return fail("kernel ", name, "clCreateKernel", error);
    }
    if (!group)
        return 0;
    error = gravel_cl_kernel_group(device, *out, group);
    return error == CL_SUCCESS ? 0 : fail("kernel ", name, "clGetKernelWorkGroupInfo", error);
}

cl_int gravel_cl_kernel_group(const struct gravel_device *device, cl_kernel kernel, size_t *group)
{
    size_t most = 0;
    cl_int error = clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                            sizeof most, &most, NULL);
    *group = most && most < *group ? most : *group;
    return error;
}

int gravel_cl_kernels_create(const struct gravel_device *device, cl_program program,
                             const char *const *names, size_t n, size_t *group, cl_kernel *out)
{
    for (size_t i = 0; i < n; i++)
        GRAVEL_TRY(gravel_cl_kernel_create(device, program, names[i], group, &out[i]));
    return 0;
}

bool gravel_cl_kernel_name(cl_kernel kernel, char name[GRAVEL_KERNEL_NAME_BYTES])
{
    const bool is_known = clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, GRAVEL_KERNEL_NAME_BYTES,
                                          name, NULL) == CL_SUCCESS;
    if (!is_known)
        strcpy(name, "(long name)");
    return is_known;
}

uint64_t gravel_private_bytes(const struct gravel_device *device, cl_kernel kernel)
{
    cl_ulong bytes = 0;
    cl_int error = clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_PRIVATE_MEM_SIZE,
                                            sizeof bytes, &bytes, NULL);
    return error == CL_SUCCESS ? bytes : 0;
}

/* ---- of the caller --------------------------------------------------------------------------- */

int gravel_given_kernel(const struct gravel_device *device, const char *call, cl_kernel kernel)
{
    cl_context context = NULL;
    GRAVEL_TRY(gravel_require(call, "kernel", kernel));
    cl_int error = clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof(cl_context), &context, NULL);
    if (error != CL_SUCCESS)
        return gravel_fail(GRAVEL_EINVAL, "%s: the kernel is not valid: clGetKernelInfo: %s (%d)",
                           call, gravel_cl_error(error), (int)error);
    return context == device->context
               ? 0
               : gravel_fail(GRAVEL_EINVAL, "%s: the kernel is of another context", call);
}

int gravel_given_events(const struct gravel_device *device, const char *call, cl_uint n,
                        const cl_event *events)
{
    if (n && !events)
        return gravel_fail(GRAVEL_EINVAL, "%s: n_wait is %u, and wait is NULL", call, n);
    for (cl_uint i = 0; i < n; i++) {
        cl_context context = NULL;
        cl_int error = events[i] ? clGetEventInfo(events[i], CL_EVENT_CONTEXT, sizeof(cl_context),
                                                  &context, NULL)
                                 : CL_INVALID_EVENT;
        if (error != CL_SUCCESS)
            return gravel_fail(GRAVEL_EINVAL, "%s: wait[%u] is not an event: %s (%d)", call, i,
                               events[i] ? gravel_cl_error(error) : "it is NULL", (int)error);
        if (context != device->context)
            return gravel_fail(GRAVEL_EINVAL, "%s: wait[%u] is an event of another context", call,
                               i);
    }
    return 0;
}

/* ---- use ------------------------------------------------------------------------------------- */

cl_int gravel_cl_kernel_set(const struct gravel_device *device, cl_kernel kernel, cl_uint first,
                            const struct gravel_argument *arguments, size_t n)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; error == CL_SUCCESS && i < n; i++) {
        const void *value = arguments[i].value;
        error = arguments[i].bytes ? clSetKernelArg(kernel, first + i, arguments[i].bytes, value)
                                   : gravel_shared_set_argument(device, kernel, first + i, value);
    }
    return error;
}

cl_int gravel_cl_kernel_enqueue(cl_command_queue queue, cl_kernel kernel, size_t n_items,
                                size_t group, cl_event *event)
{
    size_t local_size = n_items > 1 ? group : 1;
    size_t global_size = (n_items + local_size - 1) / local_size * local_size;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                  event);
}

cl_int gravel_cl_read(cl_command_queue queue, cl_mem buffer, uint64_t at, uint64_t bytes, void *to,
                      cl_event *last)
{
    cl_event event = NULL;
    cl_int error = clEnqueueReadBuffer(queue, buffer, CL_FALSE, at, bytes, to, 0, NULL, &event);
    if (error == CL_SUCCESS) {
        gravel_cl_event_release(*last);
        *last = event;
    }
    return error;
}

cl_int gravel_cl_flush(cl_command_queue queue, cl_int error)
{
    cl_int flushed = clFlush(queue);
    return error == CL_SUCCESS ? flushed : error;
}

cl_int gravel_cl_event_ask(cl_event event, cl_int *status)
{
    *status = CL_QUEUED;
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *status, status, NULL);
}

cl_int gravel_cl_event_status(cl_event event)
{
    cl_int status, error = gravel_cl_event_ask(event, &status);
    return error == CL_SUCCESS ? status : error;
}

bool gravel_cl_event_has_ended(cl_event event)
{
    cl_int status;
    return gravel_cl_event_ask(event, &status) == CL_SUCCESS && status <= CL_COMPLETE;
}

/* ---- release --------------------------------------------------------------------------------- */

#define RELEASE(kind, type, call)              \
    void gravel_cl_##kind##_release(type kind) \
    {                                          \
        if (kind)                              \
            call(kind);                        \
    }
RELEASE(queue, cl_command_queue, clReleaseCommandQueue)
RELEASE(program, cl_program, clReleaseProgram)
RELEASE(kernel, cl_kernel, clReleaseKernel)
RELEASE(buffer, cl_mem, clReleaseMemObject)
RELEASE(event, cl_event, clReleaseEvent)

void gravel_cl_kernels_release(const cl_kernel *kernels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        gravel_cl_kernel_release(kernels[i]);
}
