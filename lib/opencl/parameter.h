/* SPDX-License-Identifier: MIT */
/*
 * Reads what a kernel takes. Drivers know the name of a parameter's type, and PoCL takes an argument of any size for a
 * type that the program defines; so a second program says the sizes of such types.
 *
 * Path:    gravel_kernel_set_arena, gravel_kernel_parameters -> parameter.h -> clGetKernelArgInfo.
 * Threads: any.
 */
#ifndef GRAVEL_OPENCL_PARAMETER_H
#define GRAVEL_OPENCL_PARAMETER_H

#include "device/device.h"

/**
 * Read the parameters of a kernel.
 *
 * @param parameters  [out] [n] from the first one on.
 * @return            0; GRAVEL_ENOMEM.
 */
int gravel_parameters_read(const struct gravel_device *device, cl_kernel kernel,
                           struct gravel_parameter *parameters, cl_uint n);

/**
 * @param kind  GRAVEL_PARAMETER_ARENA or _ACCUMULATOR.
 * @return      0; GRAVEL_EINVAL, which says what the argument is and which one is of the kind.
 */
int gravel_parameter_check(const char *call, cl_kernel kernel, cl_uint index, uint32_t kind);

#endif
