/* SPDX-License-Identifier: MIT */
/*
 * Device list. See select.h.
 */
#include "device/select.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 16

struct platforms {
    cl_platform_id ids[MAX_PLATFORMS];
    cl_uint n;
};

static int get_platforms(struct platforms *platforms)
{
    /* NVIDIA's driver reads this when it is first used, and maps command queues to so many channels of the hardware, 8
     * by default. With fewer than a node has queues, one that copies may stand behind another one's kernel that waits
     * for this copy. A value of the user's stays. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "16", 0);
    platforms->n = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms->ids, &platforms->n) != CL_SUCCESS ||
        !platforms->n)
        return gravel_fail(GRAVEL_EDEVICE,
                           "no OpenCL platform found: install a driver, e.g. pocl-opencl-icd");
    if (platforms->n > MAX_PLATFORMS)
        platforms->n = MAX_PLATFORMS;
    return 0;
}

/* Append devices `first` to `end` - 1 of a platform; no other device is asked anything. */
static void append(const struct platforms *platforms, unsigned platform, unsigned first,
                   unsigned end, struct gravel_candidate *candidates, unsigned *n)
{
    cl_device_id devices[GRAVEL_MAX_DEVICES];
    cl_uint n_devices = 0;
    if (clGetDeviceIDs(platforms->ids[platform], CL_DEVICE_TYPE_ALL, GRAVEL_MAX_DEVICES, devices,
                       &n_devices) != CL_SUCCESS)
        return;
    if (n_devices > GRAVEL_MAX_DEVICES)
        n_devices = GRAVEL_MAX_DEVICES;
    for (unsigned d = first; d < end && d < n_devices && *n < GRAVEL_MAX_DEVICES; d++) {
        struct gravel_candidate *candidate = &candidates[(*n)++];
        candidate->device = devices[d];
        candidate->platform_number = platform;
        candidate->device_number = d;
        gravel_capability_query(devices[d], &candidate->capability);
    }
}

void gravel_device_name_cache(const char *platform, char *name, size_t bytes)
{
    const char *own = getenv("POCL_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    name[0] = '\0';
    if (strcmp(platform, "Portable Computing Language") != 0)
        return;
    if (own && *own)
        snprintf(name, bytes, "%s", own);
    else if (cache && *cache)
        snprintf(name, bytes, "%s/pocl", cache);
    else
        snprintf(name, bytes, "%s/.cache/pocl", home ? home : "");
}

/* Drivers are there, and no device. */
static int fail_empty(const struct platforms *platforms)
{
    char list[512] = "", cache[256] = "", advice[400] = "";
    for (cl_uint p = 0; p < platforms->n; p++) {
        char name[GRAVEL_DEVICE_TEXT_BYTES];
        gravel_platform_name(platforms->ids[p], name);
        gravel_append(list, sizeof list, "%s%u (%.100s)", p ? ", " : "", p, name);
        if (!*cache)
            gravel_device_name_cache(name, cache, sizeof cache);
    }
    if (*cache)
        snprintf(advice, sizeof advice,
                 "; PoCL has none if it cannot write its cache, %s: set POCL_CACHE_DIR to a folder "
                 "that it can write",
                 cache);
    return gravel_fail(GRAVEL_EDEVICE, "no OpenCL device: none of platform %s%s", list, advice);
}

int gravel_device_list(const char *name, struct gravel_candidate *candidates, unsigned *n)
{
    struct platforms platforms;
    unsigned platform, device;
    *n = 0;
    GRAVEL_TRY(get_platforms(&platforms));
    if (gravel_device_parse_numbers(name, &platform, &device) && platform < platforms.n)
        append(&platforms, platform, device, device + 1, candidates, n);
    if (*n)
        return 0;
    for (unsigned p = 0; p < platforms.n; p++) /* of a name that is wrong too, for the message */
        append(&platforms, p, 0, GRAVEL_MAX_DEVICES, candidates, n);
    return *n ? 0 : fail_empty(&platforms);
}
