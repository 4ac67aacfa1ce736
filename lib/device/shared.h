/* SPDX-License-Identifier: MIT */
/*
 * Memory that host and running kernels address alike: fine-grain SVM on step svm, host allocations of unified
 * shared memory on step usm. Nothing else knows the difference.
 *
 * Path:    device.c -> shared.c -> arena.c, self_test.c.
 */
#ifndef GRAVEL_DEVICE_SHARED_H
#define GRAVEL_DEVICE_SHARED_H

#include "device/device.h"

/** @return memory of the device's step, at least 64-byte aligned, not cleared; NULL if there is none. */
void *gravel_shared_alloc(const struct gravel_device *device, size_t bytes);
/** Free it. NULL is allowed. */
void gravel_shared_free(const struct gravel_device *device, void *memory);
/** Set a kernel's pointer argument. */
cl_int gravel_shared_set_argument(const struct gravel_device *device, cl_kernel kernel,
                                  cl_uint index, const void *memory);

#endif
