/* SPDX-License-Identifier: MIT */
/*
 * Device queries. See capability.h.
 *
 * Source:  OpenCL 3.0 specification, tables of clGetDeviceInfo; feature macros of OpenCL C 3.0.
 */
#include "device/capability.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_ulong query_number(cl_device_id device, cl_device_info name, size_t bytes)
{
    cl_ulong value = 0;
    cl_uint word = 0;
    if (bytes == sizeof word)
        return clGetDeviceInfo(device, name, sizeof word, &word, NULL) == CL_SUCCESS ? word : 0;
    return clGetDeviceInfo(device, name, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static void query_text(cl_device_id device, cl_device_info name, char *text, size_t bytes)
{
    char whole[1024] = "";
    if (clGetDeviceInfo(device, name, sizeof whole - 1, whole, NULL) != CL_SUCCESS)
        whole[0] = '\0';
    snprintf(text, bytes, "%s", whole);
}

/* A list of name and version pairs: OpenCL C versions or features. The caller frees it. */
static cl_name_version *query_list(cl_device_id device, cl_device_info name, size_t *n)
{
    size_t bytes = 0;
    *n = 0;
    if (clGetDeviceInfo(device, name, 0, NULL, &bytes) != CL_SUCCESS || bytes == 0)
        return NULL;
    cl_name_version *list = malloc(bytes);
    if (!list || clGetDeviceInfo(device, name, bytes, list, NULL) != CL_SUCCESS) {
        free(list);
        return NULL;
    }
    *n = bytes / sizeof *list;
    return list;
}

static void query_c_std(cl_device_id device, struct gravel_capability *capability)
{
    size_t n;
    cl_name_version *versions = query_list(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, &n);
    unsigned best = 1;
    for (size_t i = 0; i < n; i++)
        if (CL_VERSION_MAJOR(versions[i].version) > best)
            best = CL_VERSION_MAJOR(versions[i].version);
    if (!versions) { /* before OpenCL 3.0: "OpenCL C 2.0 ..." */
        char text[64];
        query_text(device, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
        if (!strncmp(text, "OpenCL C 2", 10))
            best = 2;
    }
    strcpy(capability->c_std, best >= 3 ? "CL3.0" : best == 2 ? "CL2.0" : "CL1.2");
    free(versions);
}

static bool has_feature(const cl_name_version *features, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(features[i].name, name))
            return true;
    return false;
}

static void query_features(cl_device_id device, struct gravel_capability *capability)
{
    if (!strcmp(capability->c_std, "CL2.0")) { /* mandatory there */
        capability->has_c11_atomics = true;
        capability->has_all_devices_scope = true;
        capability->has_collectives = true;
        return;
    }
    if (!strcmp(capability->c_std, "CL1.2")) /* before that list */
        return;
    size_t n;
    cl_name_version *features = query_list(device, CL_DEVICE_OPENCL_C_FEATURES, &n);
    capability->has_c11_atomics = has_feature(features, n, "__opencl_c_atomic_order_acq_rel") &&
                                  has_feature(features, n, "__opencl_c_atomic_scope_device");
    capability->has_all_devices_scope =
        has_feature(features, n, "__opencl_c_atomic_scope_all_devices");
    capability->has_collectives =
        has_feature(features, n, "__opencl_c_work_group_collective_functions");
    capability->has_subgroups = has_feature(features, n, "__opencl_c_subgroups");
    capability->may_have_c11_atomics = !strcmp(capability->c_std, "CL3.0");
    free(features);
}

/* Of cl_nv_device_attribute_query; elsewhere they are refused. */
#define DEVICE_COMPUTE_MAJOR_NV 0x4000
#define DEVICE_WARP_SIZE_NV 0x4003

/* PTX for warps of 32 that progress on their own came with compute capability 7.0 (Volta). */
static cl_uint query_warp_items(cl_device_id device)
{
    cl_ulong major = query_number(device, DEVICE_COMPUTE_MAJOR_NV, sizeof(cl_uint));
    cl_ulong items = query_number(device, DEVICE_WARP_SIZE_NV, sizeof(cl_uint));
    return major >= 7 && items == 32 ? 32 : 0;
}

/* Finds what extensions give: host allocations of unified shared memory are a vendor's that others took over. */
static void query_by_extensions(cl_device_id device, struct gravel_capability *capability)
{
    size_t bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes);
    char *list = calloc(1, bytes + 1);
    if (list && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, list, NULL) != CL_SUCCESS)
        list[0] = '\0';
    cl_ulong host = list && strstr(list, "cl_intel_unified_shared_memory")
                        ? query_number(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof host)
                        : 0;
    capability->has_host_usm = host & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
    capability->has_long_atomics = list && strstr(list, "cl_khr_int64_base_atomics") &&
                                   strstr(list, "cl_khr_int64_extended_atomics");
    free(list);
}

void gravel_platform_name(cl_platform_id platform, char name[GRAVEL_DEVICE_TEXT_BYTES])
{
    char whole[1024] = "";
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof whole - 1, whole, NULL) != CL_SUCCESS)
        whole[0] = '\0';
    whole[GRAVEL_DEVICE_TEXT_BYTES - 1] = 0;
    memcpy(name, whole, GRAVEL_DEVICE_TEXT_BYTES);
}

void gravel_capability_query(cl_device_id device, struct gravel_capability *capability)
{
    memset(capability, 0, sizeof *capability);
    cl_platform_id platform = NULL;
    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (platform)
        gravel_platform_name(platform, capability->platform);
    query_text(device, CL_DEVICE_NAME, capability->name, sizeof capability->name);
    query_text(device, CL_DRIVER_VERSION, capability->driver, sizeof capability->driver);
    query_c_std(device, capability);
    query_features(device, capability);
    capability->warp_items = capability->has_subgroups ? 0 : query_warp_items(device);
    cl_ulong svm = query_number(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(cl_ulong));
    capability->is_cpu =
        query_number(device, CL_DEVICE_TYPE, sizeof(cl_ulong)) & CL_DEVICE_TYPE_CPU;
    capability->has_compiler =
        query_number(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_uint)) != 0;
    capability->is_big_endian = query_number(device, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_uint)) == 0;
    capability->has_fine_svm = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    capability->has_svm_atomics = svm & CL_DEVICE_SVM_ATOMICS;
    query_by_extensions(device, capability);
    capability->has_double =
        query_number(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_ulong)) != 0;
    capability->compute_units =
        (cl_uint)query_number(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    capability->max_group =
        (size_t)query_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(cl_ulong));
    capability->max_alloc = query_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    capability->local_bytes = query_number(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
}
