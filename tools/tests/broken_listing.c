/* SPDX-License-Identifier: MIT */
/*
 * Preloaded, it makes every platform but PoCL crash when its devices are listed.
 *
 * Path: info.sh -> $LD_PRELOAD -> lib/device/select.c, tools/info/list.c.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef cl_int get_device_ids(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint n,
                      cl_device_id *devices, cl_uint *n_devices)
{
    char name[64] = "";
    get_device_ids *next = NULL;
    void *address = dlsym(RTLD_NEXT, "clGetDeviceIDs");
    memcpy(&next, &address, sizeof address); /* ISO C has no cast for this */
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    if (strcmp(name, "Portable Computing Language") || !next)
        abort();
    return next(platform, type, n, devices, n_devices);
}
