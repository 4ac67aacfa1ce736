/* SPDX-License-Identifier: MIT */
/*
 * A litmus program as an OpenCL kernel that plays many instances of it at once.
 *
 * Path:    lib/hrf/program.h -> kernel.c -> devices.c.
 * Source:  Levine et al. 2023, "MC Mutants": parallel instances, permuted partners, stress. What a work-item plays is
 *          one role of many instances, one after the other; work-groups of one program are work-groups of the device.
 */
#ifndef TOOLS_HRF_KERNEL_H
#define TOOLS_HRF_KERNEL_H

#include <stdbool.h>

#include "hrf/program.h"

#define KERNEL_MAX_WATCHED 6u /* values of a condition that are counted */
#define KERNEL_VALUES 4u      /* 0, 1, 2, and all else */
#define KERNEL_BINS 4096u     /* KERNEL_VALUES to the power of KERNEL_MAX_WATCHED */

/* What the source is made for. */
struct kernel_shape {
    uint32_t n_groups, n_roles;           /* of the program; n_roles: of its largest group */
    uint32_t n_watched;                   /* values that the condition names */
    uint32_t watched[KERNEL_MAX_WATCHED]; /* their expressions */
};

/** Why a program cannot be run on one device, or NULL; and its shape. */
const char *kernel_refuse(const struct hrf_program *program, struct kernel_shape *shape);

/** @return the source, which the caller frees; NULL without memory. */
char *kernel_source(const struct hrf_program *program, const struct kernel_shape *shape,
                    bool has_all_devices_scope);

#endif
