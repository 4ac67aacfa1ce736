/* SPDX-License-Identifier: MIT */
/*
 * The sizes of a launch: checked as a whole before any slice of it is enqueued, with one answer on all steps.
 *
 * Path:    launch.c -> sizes.h -> opencl/slice.c, or the command.
 */
#ifndef GRAVEL_NODE_SIZES_H
#define GRAVEL_NODE_SIZES_H

#include "device/device.h"

#include <stdbool.h>

/* What a caller asks of a launch. */
struct gravel_sizes {
    cl_uint n_dimensions;
    const size_t *global, *local; /* [n_dimensions]; local NULL: not chosen */
    size_t kernels[3];            /* what the kernel's reqd_work_group_size says; 0: nothing */
    bool is_empty;                /* there is no work-item */
};

/**
 * Check a launch, whose sizes are set. What the kernel requires becomes its local size.
 *
 * @return  0; GRAVEL_EINVAL, naming what is wrong and its value.
 */
int gravel_sizes_check(struct gravel_sizes *sizes, const struct gravel_device *device,
                       cl_kernel kernel);

#endif
