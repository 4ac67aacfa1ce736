/* SPDX-License-Identifier: MIT */
/*
 * What a driver's platform is called, however long its name is.
 *
 * Path: meson test -> this -> lib/device/capability.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/capability.h"

static size_t name_length;

cl_int __wrap_clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
cl_int __wrap_clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);

/* As OpenCL says: no byte, if not all have room. */
cl_int __wrap_clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t bytes,
                                void *value, size_t *needed)
{
    (void)platform, (void)name, (void)needed;
    if (bytes < name_length + 1)
        return CL_INVALID_VALUE;
    memset(value, 'p', name_length);
    ((char *)value)[name_length] = '\0';
    return CL_SUCCESS;
}

/* A device that knows its platform alone. */
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t bytes, void *value,
                              size_t *needed)
{
    static int platform;
    (void)device, (void)bytes, (void)needed;
    if (name != CL_DEVICE_PLATFORM)
        return CL_INVALID_VALUE;
    memcpy(value, &(cl_platform_id){(cl_platform_id)(void *)&platform}, sizeof(cl_platform_id));
    return CL_SUCCESS;
}

static void a_long_platform_name_is_cut_and_not_lost(void **state)
{
    (void)state;
    struct gravel_capability capability;
    const size_t most = sizeof capability.platform - 1,
                 lengths[] = {0, 1, most - 1, most, most + 1, 900};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        name_length = lengths[i];
        gravel_capability_query(NULL, &capability);
        assert_int_equal(strlen(capability.platform), lengths[i] < most ? lengths[i] : most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_long_platform_name_is_cut_and_not_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
