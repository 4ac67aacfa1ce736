/* SPDX-License-Identifier: MIT */
/*
 * Preloaded, it makes any driver crash when a device is opened, after it was listed well.
 *
 * Path: info.sh -> $LD_PRELOAD -> lib/device/device.c.
 */
#include <CL/cl.h>
#include <stdlib.h>

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n_devices,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *text, const void *info,
                                                     size_t n_info, void *user),
                           void *user, cl_int *error)
{
    (void)properties, (void)n_devices, (void)devices, (void)notify, (void)user, (void)error;
    abort();
}
