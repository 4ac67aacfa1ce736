/* SPDX-License-Identifier: MIT */
/*
 * The linker sends the library's clEnqueueNDRangeKernel to a test (--wrap=clEnqueueNDRangeKernel), which calls the
 * driver's own.
 *
 * Path: lib -> a test's __wrap_ -> __real_ -> OpenCL.
 */
#ifndef GRAVEL_TESTS_WRAPPED_ENQUEUE_H
#define GRAVEL_TESTS_WRAPPED_ENQUEUE_H

#include <CL/cl.h>

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                     const size_t *, const size_t *, cl_uint, const cl_event *,
                                     cl_event *);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                     const size_t *, const size_t *, cl_uint, const cl_event *,
                                     cl_event *);

#endif
