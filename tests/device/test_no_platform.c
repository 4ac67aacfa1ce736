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

static void open_without_platform_says_so(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    expect_no_open(&config, NULL, GRAVEL_EDEVICE, "no OpenCL platform");
}

static void named_device_without_platform_says_so(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    strcpy(config.device, "0:0");
    expect_no_open(&config, NULL, GRAVEL_EDEVICE, "no OpenCL platform");
}

/* Where PoCL is the only driver, the text names the folder. */
static void platform_without_device_says_why(void **state)
{
    (void)state;
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

static void device_without_svm_is_refused_and_says_what_it_lacks(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    strcpy(config.device, "rusticl");
    strcpy(config.step, "svm");
    expect_no_open(&config, NULL, GRAVEL_ECAPABILITY, "SVM");
    assert_non_null(strstr(gravel_last_error(), "rusticl"));
}

/* Mesa 22.3 returns from clFinish before a kernel's stores are seen, which no query tells. */
static void device_that_fails_the_self_test_is_refused(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    strcpy(config.device, "rusticl");
    expect_no_open(&config, NULL, GRAVEL_ECAPABILITY, "self-test");
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

int main(int argc, char **argv)
{
    const struct CMUnitTest none[] = {
        cmocka_unit_test(open_without_platform_says_so),
        cmocka_unit_test(named_device_without_platform_says_so),
    };
    const struct CMUnitTest rusticl[] = {
        cmocka_unit_test(device_without_svm_is_refused_and_says_what_it_lacks),
        cmocka_unit_test(device_that_fails_the_self_test_is_refused),
    };
    const struct CMUnitTest cache[] = {cmocka_unit_test(platform_without_device_says_why)};
    watch(60, "no platform");
    MUST(argc == 2);
    if (!strcmp(argv[1], "none") && has_platform())
        skip_all("the loader does not heed OCL_ICD_VENDORS");
    if (!strcmp(argv[1], "none"))
        return cmocka_run_group_tests(none, NULL, NULL);
    if (!strcmp(argv[1], "cache") && has_device())
        skip_all("there are devices without PoCL's cache");
    if (!strcmp(argv[1], "cache"))
        return cmocka_run_group_tests(cache, NULL, NULL);
    setenv("RUSTICL_ENABLE", "llvmpipe", 1);
    if (!has_rusticl_without_svm())
        skip_all("no rusticl without SVM is installed (Debian 12: mesa-opencl-icd)");
    return cmocka_run_group_tests(rusticl, NULL, NULL);
}
