/* SPDX-License-Identifier: MIT */
/*
 * Cuts a launch into slices of a bounded number of work-groups: boxes of whole groups, one after the other.
 *
 * Path:    gravel_launch -> slice.c -> clEnqueueNDRangeKernel with a global offset.
 */
#ifndef GRAVEL_OPENCL_SLICE_H
#define GRAVEL_OPENCL_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gravel_slicer {
    uint32_t n_dimensions;
    size_t global[3], local[3], groups[3]; /* 1 in dimensions there are not */
    size_t next[3];                        /* first group of the next slice */
};

struct gravel_slice {
    size_t offset[3], size[3]; /* [work-items] */
    uint64_t n_groups;
};

/** @param local  [n_dimensions] not 0. */
void gravel_slicer_init(struct gravel_slicer *slicer, uint32_t n_dimensions, const size_t *global,
                        const size_t *local);

/**
 * Takes the next slice: up to max_groups whole groups, along the first dimension first; the launch's last groups of a
 * dimension may be smaller.
 *
 * @param max_groups  at least 1.
 * @return            false once all is launched.
 */
bool gravel_slicer_next(struct gravel_slicer *slicer, uint64_t max_groups,
                        struct gravel_slice *slice);

#endif
