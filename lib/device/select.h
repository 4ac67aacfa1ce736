/* SPDX-License-Identifier: MIT */
/*
 * Lists OpenCL devices.
 *
 * Path:    gravel_open -> select.c -> choose.c -> device.c; gravel-info lists by it.
 */
#ifndef GRAVEL_DEVICE_SELECT_H
#define GRAVEL_DEVICE_SELECT_H

#include "device/capability.h"

#define GRAVEL_MAX_DEVICES 64

struct gravel_candidate {
    cl_device_id device;
    unsigned platform_number; /* as in "platform:device" */
    unsigned device_number;
    struct gravel_capability capability;
};

/**
 * List every device of every platform.
 *
 * @param candidates  [out] [GRAVEL_MAX_DEVICES]
 * @param n           [out] devices found [count], may be 0.
 * @return            0; GRAVEL_EDEVICE if there is no platform at all.
 */
int gravel_device_list(struct gravel_candidate *candidates, unsigned *n);

/**
 * List the devices that a name may mean: for "platform:device" numbers that one alone, and no other platform or
 * device is asked anything, as its driver may crash; else, or if there is no such device, every one.
 *
 * @param name  as gravel_device_choose takes it.
 * @return      as gravel_device_list.
 */
int gravel_device_list_named(const char *name, struct gravel_candidate *candidates, unsigned *n);

/** Names the folder in which PoCL keeps what it has built; "": the platform is another driver's. */
void gravel_device_name_cache(cl_platform_id platform, char *name, size_t bytes);

#endif
