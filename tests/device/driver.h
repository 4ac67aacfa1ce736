/* SPDX-License-Identifier: MIT */
/*
 * Calls of the driver that a test stands in for: the linker sends the library's there (--wrap; see meson.build), and not the
 * driver's own.
 *
 *     WRAP(clFlush)
 *     {
 *         n_flushes++;              parameters have the names below
 *         return PASS_ON(clFlush);  with the parameters as they are then
 *     }
 *
 * Path:    lib -> a test's WRAP -> PASS_ON -> OpenCL.
 * Threads: any.
 */
#ifndef GRAVEL_TESTS_DRIVER_H
#define GRAVEL_TESTS_DRIVER_H

#include <CL/cl.h>

/** Begins the function that takes the place of a call. Behind it __real_NAME can be called with other arguments. */
#define WRAP(name) CALL_##name(DRIVER_WRAP)
/** Makes the call that the function of WRAP takes the place of. */
#define PASS_ON(name) CALL_##name(DRIVER_REAL)

#define DRIVER_WRAP(type, name, parameters, arguments) \
    type __real_##name parameters;                     \
    type __wrap_##name parameters;                     \
    type __wrap_##name parameters
#define DRIVER_REAL(type, name, parameters, arguments) __real_##name arguments

/* Parameters that many calls have, and they as arguments. */
#define OF_EVENTS cl_uint n, const cl_event *wait, cl_event *event
#define AS_EVENTS n, wait, event
#define OF_COPY cl_command_queue queue, cl_mem buffer, cl_bool blocks
#define AS_COPY queue, buffer, blocks
#define OF_INFO size_t bytes, void *value, size_t *needed
#define AS_INFO bytes, value, needed
#define OF_ROWS                                                                        \
    const size_t *origin, const size_t *host_origin, const size_t *region, size_t row, \
        size_t slice, size_t host_row, size_t host_slice
#define AS_ROWS origin, host_origin, region, row, slice, host_row, host_slice

/* Each call: what it returns, its parameters, and they as arguments. */
#define CALL_clEnqueueReadBuffer(of)                                                         \
    of(cl_int, clEnqueueReadBuffer, (OF_COPY, size_t at, size_t bytes, void *to, OF_EVENTS), \
       (AS_COPY, at, bytes, to, AS_EVENTS))
#define CALL_clEnqueueWriteBuffer(of)                                   \
    of(cl_int, clEnqueueWriteBuffer,                                    \
       (OF_COPY, size_t at, size_t bytes, const void *from, OF_EVENTS), \
       (AS_COPY, at, bytes, from, AS_EVENTS))
#define CALL_clEnqueueReadBufferRect(of)                                           \
    of(cl_int, clEnqueueReadBufferRect, (OF_COPY, OF_ROWS, void *host, OF_EVENTS), \
       (AS_COPY, AS_ROWS, host, AS_EVENTS))
#define CALL_clEnqueueWriteBufferRect(of)                                                 \
    of(cl_int, clEnqueueWriteBufferRect, (OF_COPY, OF_ROWS, const void *host, OF_EVENTS), \
       (AS_COPY, AS_ROWS, host, AS_EVENTS))
#define CALL_clEnqueueFillBuffer(of)                                                      \
    of(cl_int, clEnqueueFillBuffer,                                                       \
       (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes, \
        size_t at, size_t bytes, OF_EVENTS),                                              \
       (queue, buffer, pattern, pattern_bytes, at, bytes, AS_EVENTS))
#define CALL_clEnqueueCopyBuffer(of)                                                  \
    of(cl_int, clEnqueueCopyBuffer,                                                   \
       (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t to_at, \
        size_t bytes, OF_EVENTS),                                                     \
       (queue, from, to, from_at, to_at, bytes, AS_EVENTS))
#define CALL_clEnqueueMapBuffer(of)                                                       \
    of(void *, clEnqueueMapBuffer,                                                        \
       (OF_COPY, cl_map_flags flags, size_t at, size_t bytes, OF_EVENTS, cl_int * error), \
       (AS_COPY, flags, at, bytes, AS_EVENTS, error))
#define CALL_clEnqueueUnmapMemObject(of)                                 \
    of(cl_int, clEnqueueUnmapMemObject,                                  \
       (cl_command_queue queue, cl_mem buffer, void *mapped, OF_EVENTS), \
       (queue, buffer, mapped, AS_EVENTS))
#define CALL_clEnqueueNDRangeKernel(of)                                                       \
    of(cl_int, clEnqueueNDRangeKernel,                                                        \
       (cl_command_queue queue, cl_kernel kernel, cl_uint n_dimensions, const size_t *offset, \
        const size_t *global, const size_t *local, OF_EVENTS),                                \
       (queue, kernel, n_dimensions, offset, global, local, AS_EVENTS))
#define CALL_clEnqueueMarkerWithWaitList(of) \
    of(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue queue, OF_EVENTS), (queue, AS_EVENTS))
#define CALL_clSetKernelArg(of)                                                                    \
    of(cl_int, clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t bytes, const void *value), \
       (kernel, index, bytes, value))
#define CALL_clSetKernelArgSVMPointer(of)                                                      \
    of(cl_int, clSetKernelArgSVMPointer, (cl_kernel kernel, cl_uint index, const void *value), \
       (kernel, index, value))
#define CALL_clFlush(of) of(cl_int, clFlush, (cl_command_queue queue), (queue))
#define CALL_clFinish(of) of(cl_int, clFinish, (cl_command_queue queue), (queue))
#define CALL_clRetainCommandQueue(of) \
    of(cl_int, clRetainCommandQueue, (cl_command_queue queue), (queue))
#define CALL_clReleaseCommandQueue(of) \
    of(cl_int, clReleaseCommandQueue, (cl_command_queue queue), (queue))
#define CALL_clWaitForEvents(of) \
    of(cl_int, clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))
#define CALL_clGetEventInfo(of)                                               \
    of(cl_int, clGetEventInfo, (cl_event event, cl_event_info name, OF_INFO), \
       (event, name, AS_INFO))
#define CALL_clGetDeviceInfo(of)                                                     \
    of(cl_int, clGetDeviceInfo, (cl_device_id device, cl_device_info name, OF_INFO), \
       (device, name, AS_INFO))
#define CALL_clGetPlatformInfo(of)                                                           \
    of(cl_int, clGetPlatformInfo, (cl_platform_id platform, cl_platform_info name, OF_INFO), \
       (platform, name, AS_INFO))
#define CALL_clGetKernelInfo(of)                                                  \
    of(cl_int, clGetKernelInfo, (cl_kernel kernel, cl_kernel_info name, OF_INFO), \
       (kernel, name, AS_INFO))
#define CALL_clGetKernelWorkGroupInfo(of)                                                \
    of(cl_int, clGetKernelWorkGroupInfo,                                                 \
       (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, OF_INFO), \
       (kernel, device, name, AS_INFO))
#define CALL_clGetProgramInfo(of)                                                     \
    of(cl_int, clGetProgramInfo, (cl_program program, cl_program_info name, OF_INFO), \
       (program, name, AS_INFO))
#define CALL_clGetProgramBuildInfo(of)                                                 \
    of(cl_int, clGetProgramBuildInfo,                                                  \
       (cl_program program, cl_device_id device, cl_program_build_info name, OF_INFO), \
       (program, device, name, AS_INFO))
#define CALL_clBuildProgram(of)                                                          \
    of(cl_int, clBuildProgram,                                                           \
       (cl_program program, cl_uint n, const cl_device_id *devices, const char *options, \
        void(CL_CALLBACK * notify)(cl_program, void *), void *user),                     \
       (program, n, devices, options, notify, user))
#define CALL_clCreateBuffer(of)                                                           \
    of(cl_mem, clCreateBuffer,                                                            \
       (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *error), \
       (context, flags, bytes, host, error))
#define CALL_clCreateKernel(of)                                                          \
    of(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error), \
       (program, name, error))
#define CALL_clCreateCommandQueueWithProperties(of)                                     \
    of(cl_command_queue, clCreateCommandQueueWithProperties,                            \
       (cl_context context, cl_device_id device, const cl_queue_properties *properties, \
        cl_int *error),                                                                 \
       (context, device, properties, error))
#define CALL_clCreateProgramWithSource(of)                                                        \
    of(cl_program, clCreateProgramWithSource,                                                     \
       (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error), \
       (context, n, texts, lengths, error))
#define CALL_clCreateContext(of)                                                            \
    of(cl_context, clCreateContext,                                                         \
       (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,    \
        void(CL_CALLBACK * notify)(const char *, const void *, size_t, void *), void *user, \
        cl_int *error),                                                                     \
       (properties, n, devices, notify, user, error))
#define CALL_clCreateSubDevices(of)                                                     \
    of(cl_int, clCreateSubDevices,                                                      \
       (cl_device_id device, const cl_device_partition_property *properties, cl_uint n, \
        cl_device_id *parts, cl_uint *n_parts),                                         \
       (device, properties, n, parts, n_parts))
#define CALL_clSVMAlloc(of)                                                           \
    of(void *, clSVMAlloc,                                                            \
       (cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment), \
       (context, flags, bytes, alignment))

#endif
