/* SPDX-License-Identifier: MIT */
/*
 * The library's calls of the OpenCL driver, marked: base/mark.h says why. Where this is included, the names below are
 * macros, so that no call is left out; the test "calls of the driver are marked" looks for others.
 *
 * Not marked: what only asks about objects or counts references. But an event's status is asked all the time, beside
 * whatever another thread does in the driver.
 *
 * Path:    every file that calls OpenCL -> driver.h -> base/mark.h, the driver.
 * Threads: any.
 */
#ifndef GRAVEL_DEVICE_DRIVER_H
#define GRAVEL_DEVICE_DRIVER_H

#include "base/mark.h"

#include <CL/cl.h>

/* The call, and its value. */
#define GRAVEL_DRIVER(call, ...)                                                            \
    __extension__({                                                                         \
        struct gravel_mark *const gravelp_mark                                              \
            __attribute__((cleanup(gravel_mark_leave), unused)) = gravel_mark_enter(#call); \
        call(__VA_ARGS__);                                                                  \
    })

/* clang-format off */
#define clBuildProgram(...) GRAVEL_DRIVER(clBuildProgram, __VA_ARGS__)
#define clCreateBuffer(...) GRAVEL_DRIVER(clCreateBuffer, __VA_ARGS__)
#define clCreateCommandQueueWithProperties(...) GRAVEL_DRIVER(clCreateCommandQueueWithProperties, __VA_ARGS__)
#define clCreateContext(...) GRAVEL_DRIVER(clCreateContext, __VA_ARGS__)
#define clCreateKernel(...) GRAVEL_DRIVER(clCreateKernel, __VA_ARGS__)
#define clCreateKernelsInProgram(...) GRAVEL_DRIVER(clCreateKernelsInProgram, __VA_ARGS__)
#define clCreateProgramWithSource(...) GRAVEL_DRIVER(clCreateProgramWithSource, __VA_ARGS__)
#define clCreateSubDevices(...) GRAVEL_DRIVER(clCreateSubDevices, __VA_ARGS__)
#define clEnqueueCopyBuffer(...) GRAVEL_DRIVER(clEnqueueCopyBuffer, __VA_ARGS__)
#define clEnqueueFillBuffer(...) GRAVEL_DRIVER(clEnqueueFillBuffer, __VA_ARGS__)
#define clEnqueueMapBuffer(...) GRAVEL_DRIVER(clEnqueueMapBuffer, __VA_ARGS__)
#define clEnqueueMarkerWithWaitList(...) GRAVEL_DRIVER(clEnqueueMarkerWithWaitList, __VA_ARGS__)
#define clEnqueueNDRangeKernel(...) GRAVEL_DRIVER(clEnqueueNDRangeKernel, __VA_ARGS__)
#define clEnqueueReadBuffer(...) GRAVEL_DRIVER(clEnqueueReadBuffer, __VA_ARGS__)
#define clEnqueueReadBufferRect(...) GRAVEL_DRIVER(clEnqueueReadBufferRect, __VA_ARGS__)
#define clEnqueueUnmapMemObject(...) GRAVEL_DRIVER(clEnqueueUnmapMemObject, __VA_ARGS__)
#define clEnqueueWriteBuffer(...) GRAVEL_DRIVER(clEnqueueWriteBuffer, __VA_ARGS__)
#define clEnqueueWriteBufferRect(...) GRAVEL_DRIVER(clEnqueueWriteBufferRect, __VA_ARGS__)
#define clFinish(...) GRAVEL_DRIVER(clFinish, __VA_ARGS__)
#define clFlush(...) GRAVEL_DRIVER(clFlush, __VA_ARGS__)
#define clGetEventInfo(...) GRAVEL_DRIVER(clGetEventInfo, __VA_ARGS__)
#define clReleaseCommandQueue(...) GRAVEL_DRIVER(clReleaseCommandQueue, __VA_ARGS__)
#define clReleaseContext(...) GRAVEL_DRIVER(clReleaseContext, __VA_ARGS__)
#define clReleaseEvent(...) GRAVEL_DRIVER(clReleaseEvent, __VA_ARGS__)
#define clReleaseKernel(...) GRAVEL_DRIVER(clReleaseKernel, __VA_ARGS__)
#define clReleaseMemObject(...) GRAVEL_DRIVER(clReleaseMemObject, __VA_ARGS__)
#define clReleaseProgram(...) GRAVEL_DRIVER(clReleaseProgram, __VA_ARGS__)
#define clSVMAlloc(...) GRAVEL_DRIVER(clSVMAlloc, __VA_ARGS__)
#define clSVMFree(...) GRAVEL_DRIVER(clSVMFree, __VA_ARGS__)
#define clSetEventCallback(...) GRAVEL_DRIVER(clSetEventCallback, __VA_ARGS__)
#define clSetKernelArg(...) GRAVEL_DRIVER(clSetKernelArg, __VA_ARGS__)
#define clSetKernelArgSVMPointer(...) GRAVEL_DRIVER(clSetKernelArgSVMPointer, __VA_ARGS__)
#define clWaitForEvents(...) GRAVEL_DRIVER(clWaitForEvents, __VA_ARGS__)
/* clang-format on */

#endif
