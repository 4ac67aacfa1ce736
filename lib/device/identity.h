/* SPDX-License-Identifier: MIT */
/*
 * A number for a piece of hardware that all processes of its host agree on.
 *
 * Path:    device.c -> identity.c -> lib/node/neighbours.c, gravel-info.
 */
#ifndef GRAVEL_DEVICE_IDENTITY_H
#define GRAVEL_DEVICE_IDENTITY_H

#include "gravel/gravel.h"

#include <stdint.h>

/**
 * The device's UUID as a number. Where its driver tells none, the place in the platform's list, unless the environment
 * shows this process a choice of the devices (CUDA_VISIBLE_DEVICES and its like).
 *
 * @return  0 if it is unknown.
 */
uint64_t gravel_device_identity(cl_device_id device);

/** The variable by which the environment shows this process a choice of the devices; NULL: it shows all. */
const char *gravel_device_selection(void);

#endif
