/* SPDX-License-Identifier: MIT */
/*
 * Lists OpenCL devices and finds the one that GRAVEL_DEVICE names. Never falls back to another.
 *
 * Path:    gravel_open -> select.c -> device.c; gravel-info lists by it.
 */
#ifndef GRAVEL_DEVICE_SELECT_H
#define GRAVEL_DEVICE_SELECT_H

#include "capability.h"

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

/**
 * Choose a device.
 *
 * @param name        "platform:device" numbers, or part of a platform or device name in any case, or "" for the
 *                    best that can take the wanted step: GPUs before others, then the best step.
 * @param wanted_step a step's name, or "auto".
 * @param candidates  [n] from gravel_device_list or gravel_device_list_named.
 * @param chosen      [out] points into candidates.
 * @return            0; GRAVEL_EDEVICE (nothing, or more than one, matches; the text lists the candidates);
 *                    GRAVEL_ECAPABILITY if name is "" and no device can (each reason is told).
 */
int gravel_device_choose(const char *name, const char *wanted_step,
                         const struct gravel_candidate *candidates, unsigned n,
                         const struct gravel_candidate **chosen);

#endif
