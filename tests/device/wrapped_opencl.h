/* SPDX-License-Identifier: MIT */
/*
 * OpenCL as another one: large arguments are borne, uploads counted, and calls fail when they are told to.
 *
 * The linker sends the calls here (--wrap); see meson.build.
 *
 * Path:    lib/resolve/on_device/device_resolver.c, on_device/lent.c, on_device/runs.c -> wrapped_opencl.h -> OpenCL.
 * Threads: one.
 */
#ifndef GRAVEL_TESTS_WRAPPED_OPENCL_H
#define GRAVEL_TESTS_WRAPPED_OPENCL_H

#include <stdbool.h>
#include <string.h>

#include <CL/cl.h>

static unsigned calls_until_failure; /* 0: none fails */
static unsigned n_writes;            /* clEnqueueWriteBuffer so far */
#define LARGE_ARGUMENTS 4096u        /* [bytes] that GPUs bear; PoCL says less, and bears them */

static bool fails(void)
{
    return calls_until_failure && --calls_until_failure == 0;
}

cl_int __real_clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);
cl_int __wrap_clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t bytes, void *value,
                              size_t *needed)
{
    cl_int error = __real_clGetDeviceInfo(device, name, bytes, value, needed);
    if (name == CL_DEVICE_MAX_PARAMETER_SIZE && error == CL_SUCCESS && value)
        *(size_t *)value = LARGE_ARGUMENTS;
    return error;
}

#define WRAP_CREATE(type, name, parameters, arguments) \
    type __real_##name parameters;                     \
    type __wrap_##name parameters;                     \
    type __wrap_##name parameters                      \
    {                                                  \
        if (!fails())                                  \
            return __real_##name arguments;            \
        *error = CL_OUT_OF_RESOURCES;                  \
        return NULL;                                   \
    }
WRAP_CREATE(cl_mem, clCreateBuffer,
            (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *error),
            (context, flags, bytes, host, error))
WRAP_CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error),
            (program, name, error))
WRAP_CREATE(void *, clEnqueueMapBuffer,
            (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, cl_map_flags flags,
             size_t at, size_t bytes, cl_uint n, const cl_event *events, cl_event *event,
             cl_int *error),
            (queue, buffer, is_blocking, flags, at, bytes, n, events, event, error))
WRAP_CREATE(cl_command_queue, clCreateCommandQueueWithProperties,
            (cl_context context, cl_device_id device, const cl_queue_properties *properties,
             cl_int *error),
            (context, device, properties, error))

#define WRAP_ENQUEUE(name, parameters, arguments)                       \
    cl_int __real_##name parameters;                                    \
    cl_int __wrap_##name parameters;                                    \
    cl_int __wrap_##name parameters                                     \
    {                                                                   \
        return fails() ? CL_OUT_OF_RESOURCES : __real_##name arguments; \
    }
WRAP_ENQUEUE(clEnqueueNDRangeKernel,
             (cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset,
              const size_t *global, const size_t *local, cl_uint n_events, const cl_event *events,
              cl_event *event),
             (queue, kernel, n, offset, global, local, n_events, events, event))
cl_int __real_clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *,
                                   cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *,
                                   cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                   size_t at, size_t bytes, const void *from, cl_uint n_events,
                                   const cl_event *events, cl_event *event)
{
    n_writes++;
    return fails() ? CL_OUT_OF_RESOURCES
                   : __real_clEnqueueWriteBuffer(queue, buffer, blocking, at, bytes, from, n_events,
                                                 events, event);
}
WRAP_ENQUEUE(clEnqueueFillBuffer,
             (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
              size_t at, size_t bytes, cl_uint n_events, const cl_event *events, cl_event *event),
             (queue, buffer, pattern, pattern_bytes, at, bytes, n_events, events, event))

#endif
