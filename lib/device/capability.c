/* SPDX-License-Identifier: MIT */
/*
 * Device queries. See capability.h.
 *
 * Source:  OpenCL 3.0 specification, tables of clGetDeviceInfo; feature macros of OpenCL C 3.0; cl_khr_device_uuid.
 */
#include "device/capability.h"

#include "base/hash.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a number of 4 bytes or 8; 0 if the driver refuses. */
static cl_ulong query_number(cl_device_id device, cl_device_info name)
{
    cl_ulong value = 0;
    cl_uint word;
    size_t bytes = 0;
    if (clGetDeviceInfo(device, name, sizeof value, &value, &bytes) != CL_SUCCESS)
        return 0;
    memcpy(&word, &value, sizeof word);
    return bytes == sizeof word ? word : value;
}

static void query_text(cl_device_id device, cl_device_info name, char *text, size_t bytes)
{
    char whole[1024] = "";
    if (clGetDeviceInfo(device, name, sizeof whole - 1, whole, NULL) != CL_SUCCESS)
        whole[0] = '\0';
    snprintf(text, bytes, "%s", whole);
}

/* Returns a list of name and version pairs: OpenCL C versions or features. The caller frees it. */
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
    capability->has_subgroups = has_feature(features, n, "__opencl_c_subgroups");
    capability->may_have_c11_atomics = !strcmp(capability->c_std, "CL3.0");
    free(features);
}

/* Of cl_nv_device_attribute_query; elsewhere they are refused. */
#define DEVICE_COMPUTE_MAJOR_NV 0x4000
#define DEVICE_WARP_SIZE_NV 0x4003

/* Finds what extensions give: host allocations of unified shared memory are a vendor's that others took over. */
static void query_by_extensions(cl_device_id device, struct gravel_capability *capability)
{
    size_t bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes);
    char *list = calloc(1, bytes + 1);
    if (list && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, list, NULL) != CL_SUCCESS)
        list[0] = '\0';
    cl_ulong host = list && strstr(list, "cl_intel_unified_shared_memory")
                        ? query_number(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL)
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
    /* PTX for warps of 32 that progress on their own came with compute capability 7.0 (Volta). */
    if (!capability->has_subgroups && query_number(device, DEVICE_COMPUTE_MAJOR_NV) >= 7 &&
        query_number(device, DEVICE_WARP_SIZE_NV) == 32)
        capability->warp_items = 32;
    cl_ulong svm = query_number(device, CL_DEVICE_SVM_CAPABILITIES);
    capability->is_cpu = query_number(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
    capability->has_compiler = query_number(device, CL_DEVICE_COMPILER_AVAILABLE) != 0;
    capability->is_big_endian = query_number(device, CL_DEVICE_ENDIAN_LITTLE) == 0;
    capability->has_fine_svm = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    capability->has_svm_atomics = svm & CL_DEVICE_SVM_ATOMICS;
    query_by_extensions(device, capability);
    capability->has_double = query_number(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    capability->compute_units = (cl_uint)query_number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    capability->max_group = (size_t)query_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    capability->max_alloc = query_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    capability->local_bytes = query_number(device, CL_DEVICE_LOCAL_MEM_SIZE);
}

/* ---- identity ---------------------------------------------------------------------------------- */

#define DEVICE_UUID 0x106A /* CL_DEVICE_UUID_KHR, which drivers without the extension refuse */
#define UUID_BYTES 16u

/* Returns its number in the platform's list, from 1; 0 if it is not there (a sub-device is its parent's part). */
static cl_uint number_of(cl_platform_id platform, cl_device_id device)
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
    cl_uint number = platform ? number_of(platform, device) : 0;
    /* With a selection one number is another device in each process. */
    if (!number || gravel_device_selection())
        return 0;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    uint64_t hash = gravel_hash_bytes(GRAVEL_HASH_BEGIN, name, strlen(name));
    return gravel_hash_bytes(hash, &number, sizeof number);
}

/* ---- ladder ------------------------------------------------------------------------------------ */

const struct gravel_step_facts gravel_steps[GRAVEL_N_STEPS] = {
    [GRAVEL_STEP_SVM] = {"svm", .is_shared = true, .may_wait = true},
    [GRAVEL_STEP_USM] = {"usm", .is_shared = true, .may_wait = true},
    [GRAVEL_STEP_PUMP] = {"pump", .may_wait = true, .is_pumped = true},
    [GRAVEL_STEP_DRAIN] = {.name = "drain"},
};

const char *gravel_step_name(enum gravel_step step)
{
    return gravel_steps[step].name;
}

bool gravel_step_parse(const char *name, enum gravel_step *step)
{
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++)
        if (!strcmp(name, gravel_steps[i].name)) {
            *step = (enum gravel_step)i;
            return true;
        }
    return false;
}

const char *gravel_step_lack(enum gravel_step step, const struct gravel_capability *capability)
{
    if (!capability->has_compiler)
        return "no compiler for kernels (CL_DEVICE_COMPILER_AVAILABLE)";
    if (capability->is_big_endian)
        return "words are big-endian (CL_DEVICE_ENDIAN_LITTLE), and those of messages are not";
    if (!gravel_step_may_wait(step))
        return NULL;
    if (step == GRAVEL_STEP_SVM && !capability->has_fine_svm)
        return "no fine-grain buffer SVM (CL_DEVICE_SVM_CAPABILITIES)";
    if (step == GRAVEL_STEP_USM && !capability->has_host_usm)
        return "no host allocations that kernels can use (cl_intel_unified_shared_memory)";
    if (!capability->has_c11_atomics && !capability->may_have_c11_atomics)
        return "no acquire/release atomics at device scope (CL_DEVICE_OPENCL_C_FEATURES)";
    if (gravel_step_is_pumped(step) && capability->compute_units < 2)
        return "a single compute unit (one must stay free while a kernel waits)";
    return NULL;
}

const char *gravel_step_choose(const char *wanted, const struct gravel_capability *capability,
                               enum gravel_step *step)
{
    const char *first_lack = NULL;
    if (gravel_step_parse(wanted, step))
        return gravel_step_lack(*step, capability);
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++) {
        const char *lack = gravel_step_lack((enum gravel_step)i, capability);
        /* What a device only may have is not worth a kernel that waits: a CPU drains faster anyway.
         */
        if (!lack && gravel_steps[i].is_pumped && capability->is_cpu)
            continue;
        if (!lack) {
            *step = (enum gravel_step)i;
            return NULL;
        }
        first_lack = first_lack ? first_lack : lack;
    }
    return first_lack;
}
