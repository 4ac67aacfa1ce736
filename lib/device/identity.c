/* SPDX-License-Identifier: MIT */
/*
 * Which device it is. See capability.h.
 *
 * Source:  cl_khr_device_uuid; FNV-1a.
 */
#include "device/capability.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define DEVICE_UUID 0x106A /* CL_DEVICE_UUID_KHR, which drivers without the extension refuse */
#define UUID_BYTES 16u

/* Returns its number in the platform's list, from 1; 0 if it is not there (a sub-device is its parent's part). */
static cl_uint place_of(cl_platform_id platform, cl_device_id device)
{
    cl_device_id all[64];
    cl_uint n = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, all, &n) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < n && i < 64; i++)
        if (all[i] == device)
            return i + 1;
    return 0;
}

const char *gravel_device_selection(void)
{
    static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                            "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                            "ZE_AFFINITY_MASK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return variables[i];
    return NULL;
}

uint64_t gravel_device_identity(cl_device_id device)
{
    unsigned char uuid[UUID_BYTES] = {0};
    char name[1024] = "";
    cl_platform_id platform = NULL;
    cl_device_id parent = NULL;
    clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
    device = parent ? parent : device;
    if (clGetDeviceInfo(device, DEVICE_UUID, sizeof uuid, uuid, NULL) == CL_SUCCESS)
        return gravel_hash_bytes(GRAVEL_HASH_BEGIN, uuid, sizeof uuid);
    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    cl_uint place = platform ? place_of(platform, device) : 0;
    /* With a selection one place is another device in each process. */
    if (!place || gravel_device_selection())
        return 0;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    uint64_t hash = gravel_hash_bytes(GRAVEL_HASH_BEGIN, name, strlen(name));
    return gravel_hash_bytes(hash, &place, sizeof place);
}
