/* SPDX-License-Identifier: MIT */
/*
 * Lists OpenCL devices, finds the one that GRAVEL_DEVICE names, and hands out equal ones to the nodes of a host. Never
 * falls back to another.
 *
 * Path:    gravel_open -> select.c -> device.c; gravel-info.
 * Threads: any.
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
 * List the devices that a name may mean: for "platform:device" numbers that one alone, and no other platform or
 * device is asked anything, as its driver may crash; else, or if there is no such device, every one.
 *
 * @param name        as gravel_device_choose takes it.
 * @param candidates  [out] [GRAVEL_MAX_DEVICES]
 * @param n           [out] devices found [count], at least 1 on success.
 * @return            0; GRAVEL_EDEVICE if there is no platform or no device at all.
 */
int gravel_device_list(const char *name, struct gravel_candidate *candidates, unsigned *n);

/**
 * Names the folder in which PoCL keeps what it has built.
 *
 * @param platform  by its name.
 * @param name      [out] "": the platform is another driver's.
 */
void gravel_device_name_cache(const char *platform, char *name, size_t bytes);

struct gravel_choice {
    const struct gravel_candidate *taken; /* points into the candidates */
    unsigned index, n_equal; /* it is number `index` of n_equal that would do as well */
};

/**
 * Choose a device for one of the nodes on this host.
 *
 * Where several equal devices match, devices of one platform and one name, nodes take them in turn.
 *
 * @param name        "platform:device" numbers, or part of a platform or device name in any case, or "" for the
 *                    best that can take the wanted step: GPUs before others, then the best step.
 * @param wanted_step a step's name, or "auto".
 * @param local       number of the node among those of its host, from 0.
 * @param candidates  [n] from gravel_device_list.
 * @param choice      [out]
 * @return            0; GRAVEL_EDEVICE (nothing matches, or devices that differ do; the text lists the
 *                    candidates); GRAVEL_ECAPABILITY if name is "" and no device can; the text has each reason.
 */
int gravel_device_choose(const char *name, const char *wanted_step, uint32_t local,
                         const struct gravel_candidate *candidates, unsigned n,
                         struct gravel_choice *choice);

#endif
