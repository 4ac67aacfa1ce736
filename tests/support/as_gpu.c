/* SPDX-License-Identifier: MIT */
/*
 * Makes any device say that it is a GPU, on which many work-items apply what arrives, short frames as arguments:
 * TEST_DEVICE=gpu; and one of OpenCL C 1.2 without double and 64-bit atomics: TEST_DEVICE=narrow. A program that it is linked into
 * calls it instead of the loader's function.
 *
 * Path: lib/device/capability.c -> this -> OpenCL
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef cl_int get_device_info(cl_device_id, cl_device_info, size_t, void *, size_t *);

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info info,
                                                size_t bytes, void *value, size_t *n_bytes)
{
    const size_t most = 4352; /* [bytes] of arguments: NVIDIA's */
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    const char *how = getenv("TEST_DEVICE");
    get_device_info *next = NULL;
    void *address = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    memcpy(&next, &address, sizeof address); /* ISO C has no cast for this */
    cl_int error = next(device, info, bytes, value, n_bytes);
    if (how && !strcmp(how, "narrow") && info == CL_DEVICE_OPENCL_C_ALL_VERSIONS)
        return CL_INVALID_VALUE;
    if (error != CL_SUCCESS || !value || !how)
        return error;
    if (info == CL_DEVICE_TYPE)
        memcpy(value, &gpu, sizeof gpu);
    if (info == CL_DEVICE_MAX_PARAMETER_SIZE)
        memcpy(value, &most, sizeof most);
    if (strcmp(how, "narrow"))
        return error;
    if (info == CL_DEVICE_DOUBLE_FP_CONFIG)
        memset(value, 0, bytes);
    for (char *at; info == CL_DEVICE_EXTENSIONS && (at = strstr(value, "cl_khr_int64"));)
        *at = 'x';
    return error;
}
