/* SPDX-License-Identifier: MIT */
/*
 * What a driver says of devices. Whether two processes have one device: by its UUID, or its index in the list; unknown where
 * a launcher shows each process a choice of the devices and the driver has no UUID. And a platform's name, however long.
 *
 * Path: meson test -> this -> lib/device/capability.c
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "device/capability.h"

#define UUID 0x106A /* CL_DEVICE_UUID_KHR */

/* A platform's two devices, and a part of the second. */
static int places[4];
static cl_device_id devices[] = {(cl_device_id)(void *)&places[0],
                                 (cl_device_id)(void *)&places[1]};
static cl_device_id part = (cl_device_id)(void *)&places[2];
static cl_platform_id platform = (cl_platform_id)(void *)&places[3];
static bool has_uuid;
static size_t name_length = 4; /* of the platform */

cl_int __wrap_clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
cl_int __wrap_clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);
cl_int __wrap_clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);

/* Writes, as OpenCL says, no byte if not all have room. */
cl_int __wrap_clGetPlatformInfo(cl_platform_id of, cl_platform_info name, size_t bytes, void *value,
                                size_t *needed)
{
    (void)of, (void)name, (void)needed;
    if (bytes < name_length + 1)
        return CL_INVALID_VALUE;
    memset(value, 'p', name_length);
    ((char *)value)[name_length] = '\0';
    return CL_SUCCESS;
}

cl_int __wrap_clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint n, cl_device_id *list,
                             cl_uint *found)
{
    (void)of, (void)type, (void)n;
    memcpy(list, devices, sizeof devices);
    *found = 2;
    return CL_SUCCESS;
}

static cl_int give(const void *what, size_t what_bytes, void *value, size_t *needed)
{
    if (needed)
        *needed = what_bytes;
    if (value)
        memcpy(value, what, what_bytes);
    return CL_SUCCESS;
}

cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t bytes, void *value,
                              size_t *needed)
{
    const cl_device_id parent = device == part ? devices[1] : NULL;
    const unsigned char uuid[16] = {1, device == devices[1]};
    (void)bytes;
    if (name == CL_DEVICE_PARENT_DEVICE)
        return give(&parent, sizeof parent, value, needed);
    if (name == CL_DEVICE_PLATFORM)
        return give(&platform, sizeof platform, value, needed);
    return name == UUID && has_uuid ? give(uuid, sizeof uuid, value, needed) : CL_INVALID_VALUE;
}

static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                        "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                        "ZE_AFFINITY_MASK"};
#define N_VARIABLES (sizeof variables / sizeof *variables)

/* No launcher. */
static void begin(void)
{
    for (size_t i = 0; i < N_VARIABLES; i++)
        unsetenv(variables[i]);
    has_uuid = false;
}

/* Known, equal for one device, and unequal for two. */
static void expect_known(void)
{
    const uint64_t first = gravel_device_identity(devices[0]),
                   second = gravel_device_identity(devices[1]);
    assert_true(first && second && first != second);
    assert_int_equal(gravel_device_identity(devices[0]), first);
    assert_int_equal(gravel_device_identity(part), second); /* of which it is a part */
}

TEST(devices_are_known_by_their_places)
{
    expect_known();
    assert_null(gravel_device_selection());
}

TEST(places_mean_nothing_behind_a_selection)
{
    for (size_t i = 0; i < N_VARIABLES; i++) {
        setenv(variables[i], "1", 1);
        const char *selection = gravel_device_selection();
        assert_string_equal(selection ? selection : "", variables[i]);
        assert_int_equal(gravel_device_identity(devices[0]), 0);
        assert_int_equal(gravel_device_identity(part), 0);
        unsetenv(variables[i]);
    }
    expect_known();
}

TEST(devices_with_a_uuid_are_known_behind_a_selection)
{
    has_uuid = true;
    expect_known();
    const uint64_t before = gravel_device_identity(devices[0]);
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    expect_known();
    assert_int_equal(gravel_device_identity(devices[0]), before);
    unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(a_long_platform_name_is_cut_and_not_lost)
{
    struct gravel_capability capability;
    const size_t most = sizeof capability.platform - 1,
                 lengths[] = {0, 1, most - 1, most, most + 1, 900};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        name_length = lengths[i];
        gravel_capability_query(devices[0], &capability);
        assert_int_equal(strlen(capability.platform), lengths[i] < most ? lengths[i] : most);
    }
}

const struct fixture fixture = {.before = begin};
