/* SPDX-License-Identifier: MIT */
/*
 * A machine without any OpenCL driver (OCL_ICD_VENDORS names an empty place), with PoCL that has no cache, or with one device that cannot
 * take step svm: rusticl of Mesa 22.3 has no SVM. Each is refused with its reason.
 *
 * usage: test_no_platform none | cache | rusticl
 *
 * Path: meson test -> this -> gravel_open, lib/device/select.c, capability.c
 */
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

TEST_OF("none", open_without_platform_says_so)
{
    struct gravel_config config = loopback_config(1);
    expect_no_open(&config, NULL, GRAVEL_EDEVICE, "no OpenCL platform");
}

TEST_OF("none", named_device_without_platform_says_so)
{
    struct gravel_config config = loopback_config(1);
    strcpy(config.device, "0:0");
    expect_no_open(&config, NULL, GRAVEL_EDEVICE, "no OpenCL platform");
}

/* Where PoCL is the only driver, the text names the folder. */
TEST_OF("cache", platform_without_device_says_why)
{
    struct gravel_config config = loopback_config(1);
    expect_no_open(&config, NULL, GRAVEL_EDEVICE, "no OpenCL device: none of platform 0");
    assert_non_null(strstr(gravel_last_error(), "its cache, /proc/none: set POCL_CACHE_DIR"));
}

static bool has_device(void)
{
    cl_platform_id platforms[16];
    cl_uint n = 0, n_devices = 0;
    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        return true;
    for (cl_uint p = 0; p < n && p < 16 && !n_devices; p++)
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &n_devices);
    return n_devices > 0;
}

TEST_OF("rusticl", device_without_svm_is_refused_and_says_what_it_lacks)
{
    struct gravel_config config = loopback_config(1);
    strcpy(config.device, "rusticl");
    strcpy(config.step, "svm");
    expect_no_open(&config, NULL, GRAVEL_ECAPABILITY, "SVM");
    assert_non_null(strstr(gravel_last_error(), "rusticl"));
}

/* Mesa 22.3 returns from clFinish before a kernel's stores are seen, which no query tells. */
TEST_OF("rusticl", device_that_fails_the_self_test_is_refused)
{
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    int code = 0;
    strcpy(config.device, "rusticl");
    for (int n = 0; n < 20 && !code; n++) { /* on a busy machine the stores may be seen in time */
        code = gravel_open(&gravel, &config, NULL);
        OK(gravel_close(gravel));
    }
    expect_error(code, GRAVEL_ECAPABILITY, "self-test");
}

/* A device of rusticl without SVM; newer ones have it. */
static bool has_rusticl_without_svm(void)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;
    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        return false;
    for (cl_uint p = 0; p < n && p < 16; p++) {
        char name[64] = "";
        cl_device_id device;
        cl_device_svm_capabilities svm = 0;
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!strcmp(name, "rusticl") &&
            clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
            clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
            return !(svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
        }
    }
    return false;
}

static bool has_platform(void)
{
    cl_uint n = 0;
    return clGetPlatformIDs(0, NULL, &n) == CL_SUCCESS && n > 0;
}

static void skip_other_machines(void)
{
    if (has_argument("none") && has_platform())
        skip_all("the loader does not heed OCL_ICD_VENDORS");
    if (has_argument("cache") && has_device())
        skip_all("there are devices without PoCL's cache");
    setenv("RUSTICL_ENABLE", "llvmpipe", 1);
    if (has_argument("rusticl") && !has_rusticl_without_svm())
        skip_all("no rusticl without SVM is installed (Debian 12: mesa-opencl-icd)");
}

const struct fixture fixture = {.limit_s = 60, .open = skip_other_machines};
