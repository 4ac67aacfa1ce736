/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL objects of a node: device, context, command queue; and what is known of the device.
 *
 * Path:    select.c -> device.c -> arena.c, program.c, launch.c.
 * Owner:   releases what it made, except sub-devices, which the process keeps; the caller's own objects
 *          are retained and released.
 */
#ifndef GRAVEL_DEVICE_DEVICE_H
#define GRAVEL_DEVICE_DEVICE_H

#include "ladder.h"

struct gravel_device {
    cl_device_id id; /* the caller's, a root device, or a sub-device that outlives the node */
    cl_context context;
    cl_command_queue queue; /* in order */
    enum gravel_step step;  /* of the capability ladder */
    bool can_yield;         /* kernels may give their core away (self_test.c finds out) */
    cl_uint units;          /* compute units that kernels get */
    cl_device_id beside;    /* other units of a CPU device, for handlers written in OpenCL C; NULL if none */
    bool is_sliced;         /* launches are cut into slices: on pump and drain, or for handlers (beside.c) */
    char cores[160];        /* how a core is left to the host threads, in words */
    struct gravel_capability capability;
};

/**
 * Open the device that the configuration names, or the caller's.
 *
 * @param n_local  nodes of this job on this machine [count]; they share the cores of a CPU device.
 * @return         0; GRAVEL_EDEVICE; GRAVEL_ECAPABILITY; GRAVEL_ECL; GRAVEL_EINVAL (half of bindings' objects).
 */
int gravel_device_open(struct gravel_device *device, const struct gravel_config *config,
                       const struct gravel_bindings *bindings, uint32_t n_local);

/** Release everything; a zero-filled or half-open device is allowed. */
void gravel_device_close(struct gravel_device *device);

#endif
