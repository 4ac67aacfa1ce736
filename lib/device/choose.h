/* SPDX-License-Identifier: MIT */
/*
 * Finds the device that GRAVEL_DEVICE names, and hands out equal ones to the nodes of a host. Never falls back to
 * another.
 *
 * Path:    select.c -> choose.c -> device.c; gravel-info.
 * Threads: any; a function of its arguments alone.
 */
#ifndef GRAVEL_DEVICE_CHOOSE_H
#define GRAVEL_DEVICE_CHOOSE_H

#include "device/select.h"

struct gravel_choice {
    const struct gravel_candidate *taken; /* points into the candidates */
    unsigned turn, n_equal;               /* it is number `turn` of so many that would do as well */
};

/** "platform:device" numbers. @return false if the name is something else. */
bool gravel_device_parse_numbers(const char *name, unsigned *platform, unsigned *device);

/**
 * Choose a device for one of the nodes on this host.
 *
 * Where several equal devices match, devices of one platform and one name, nodes take them in turn.
 *
 * @param name        "platform:device" numbers, or part of a platform or device name in any case, or "" for the
 *                    best that can take the wanted step: GPUs before others, then the best step.
 * @param wanted_step a step's name, or "auto".
 * @param local       number of the node among those of its host, from 0.
 * @param candidates  [n] from gravel_device_list or gravel_device_list_named.
 * @param choice      [out]
 * @return            0; GRAVEL_EDEVICE (nothing matches, or devices that differ do; the text lists the
 *                    candidates); GRAVEL_ECAPABILITY if name is "" and no device can; the text has each reason.
 */
int gravel_device_choose(const char *name, const char *wanted_step, uint32_t local,
                         const struct gravel_candidate *candidates, unsigned n,
                         struct gravel_choice *choice);

#endif
