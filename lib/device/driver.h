/* SPDX-License-Identifier: MIT */
/*
 * The library's calls of the OpenCL driver, marked: base/mark.h says why. Where this is included, the names below are
 * macros, so that no call is left out; the test "calls of the driver are marked" looks for others.
 *
 * A function of an extension, which is looked up, is called by GRAVEL_MARKED_AS.
 *
 * Not marked: what only asks about objects or counts references. But an event's status is asked all the time, next to
 * whatever another thread does in the driver.
 *
 * Path:    every file that calls OpenCL -> driver.h -> base/mark.h, the driver.
 * Threads: any.
 */
#ifndef GRAVEL_DEVICE_DRIVER_H
#define GRAVEL_DEVICE_DRIVER_H

#include "base/mark.h"

#include <CL/cl.h>

/* clang-format off */
#define clBuildProgram(...) GRAVEL_MARKED(clBuildProgram, __VA_ARGS__)
#define clCreateBuffer(...) GRAVEL_MARKED(clCreateBuffer, __VA_ARGS__)
#define clCreateCommandQueueWithProperties(...) GRAVEL_MARKED(clCreateCommandQueueWithProperties, __VA_ARGS__)
#define clCreateContext(...) GRAVEL_MARKED(clCreateContext, __VA_ARGS__)
#define clCreateKernel(...) GRAVEL_MARKED(clCreateKernel, __VA_ARGS__)
#define clCreateKernelsInProgram(...) GRAVEL_MARKED(clCreateKernelsInProgram, __VA_ARGS__)
#define clCreateProgramWithSource(...) GRAVEL_MARKED(clCreateProgramWithSource, __VA_ARGS__)
#define clCreateSubDevices(...) GRAVEL_MARKED(clCreateSubDevices, __VA_ARGS__)
#define clEnqueueCopyBuffer(...) GRAVEL_MARKED(clEnqueueCopyBuffer, __VA_ARGS__)
#define clEnqueueFillBuffer(...) GRAVEL_MARKED(clEnqueueFillBuffer, __VA_ARGS__)
#define clEnqueueMapBuffer(...) GRAVEL_MARKED(clEnqueueMapBuffer, __VA_ARGS__)
#define clEnqueueMarkerWithWaitList(...) GRAVEL_MARKED(clEnqueueMarkerWithWaitList, __VA_ARGS__)
#define clEnqueueNDRangeKernel(...) GRAVEL_MARKED(clEnqueueNDRangeKernel, __VA_ARGS__)
#define clEnqueueReadBuffer(...) GRAVEL_MARKED(clEnqueueReadBuffer, __VA_ARGS__)
#define clEnqueueReadBufferRect(...) GRAVEL_MARKED(clEnqueueReadBufferRect, __VA_ARGS__)
#define clEnqueueUnmapMemObject(...) GRAVEL_MARKED(clEnqueueUnmapMemObject, __VA_ARGS__)
#define clEnqueueWriteBuffer(...) GRAVEL_MARKED(clEnqueueWriteBuffer, __VA_ARGS__)
#define clFinish(...) GRAVEL_MARKED(clFinish, __VA_ARGS__)
#define clFlush(...) GRAVEL_MARKED(clFlush, __VA_ARGS__)
#define clGetEventInfo(...) GRAVEL_MARKED(clGetEventInfo, __VA_ARGS__)
#define clReleaseCommandQueue(...) GRAVEL_MARKED(clReleaseCommandQueue, __VA_ARGS__)
#define clReleaseContext(...) GRAVEL_MARKED(clReleaseContext, __VA_ARGS__)
#define clReleaseEvent(...) GRAVEL_MARKED(clReleaseEvent, __VA_ARGS__)
#define clReleaseKernel(...) GRAVEL_MARKED(clReleaseKernel, __VA_ARGS__)
#define clReleaseMemObject(...) GRAVEL_MARKED(clReleaseMemObject, __VA_ARGS__)
#define clReleaseProgram(...) GRAVEL_MARKED(clReleaseProgram, __VA_ARGS__)
#define clSVMAlloc(...) GRAVEL_MARKED(clSVMAlloc, __VA_ARGS__)
#define clSVMFree(...) GRAVEL_MARKED(clSVMFree, __VA_ARGS__)
#define clSetEventCallback(...) GRAVEL_MARKED(clSetEventCallback, __VA_ARGS__)
#define clSetKernelArg(...) GRAVEL_MARKED(clSetKernelArg, __VA_ARGS__)
#define clSetKernelArgSVMPointer(...) GRAVEL_MARKED(clSetKernelArgSVMPointer, __VA_ARGS__)
#define clWaitForEvents(...) GRAVEL_MARKED(clWaitForEvents, __VA_ARGS__)
/* clang-format on */

#endif
