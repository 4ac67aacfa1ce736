/* SPDX-License-Identifier: MIT */
/*
 * OpenCL objects that a caller hands to a call: whether they are of the node's context. A driver that is handed a
 * kernel of another context may do anything.
 *
 * Path:    every call that takes a kernel or events -> given.h.
 * Threads: any.
 */
#ifndef GRAVEL_OPENCL_GIVEN_H
#define GRAVEL_OPENCL_GIVEN_H

#include "device/device.h"

/** @return 0; GRAVEL_EINVAL, which names the call, if a kernel is NULL or of another context. */
int gravel_given_kernel(const struct gravel_device *device, const char *call, cl_kernel kernel);

/** @return 0; GRAVEL_EINVAL, which names the call, if there is no list or one of its events is NULL or of another
 * context. */
int gravel_given_events(const struct gravel_device *device, const char *call, cl_uint n,
                        const cl_event *events);

#endif
