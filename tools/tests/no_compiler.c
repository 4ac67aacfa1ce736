/* SPDX-License-Identifier: MIT */
/*
 * Preloaded, it makes any driver say that it has no compiler for kernels, as some of embedded devices do.
 *
 * Path: conformance.sh -> $LD_PRELOAD -> lib/device/capability.c.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <string.h>

typedef cl_int get_device_info(cl_device_id, cl_device_info, size_t, void *, size_t *);

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info info, size_t bytes, void *value,
                       size_t *n_bytes)
{
    get_device_info *next = NULL;
    void *address = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    memcpy(&next, &address, sizeof address); /* ISO C has no cast for this */
    cl_int error = next(device, info, bytes, value, n_bytes);
    if (info == CL_DEVICE_COMPILER_AVAILABLE && value && error == CL_SUCCESS)
        *(cl_bool *)value = CL_FALSE;
    return error;
}
