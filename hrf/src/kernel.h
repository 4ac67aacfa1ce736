/* SPDX-License-Identifier: MIT */
/*
 * A litmus program as an OpenCL kernel that plays many instances of it at once.
 *
 * Path:    hrf/src/checker/program.h -> kernel_shape.c -> kernel.c, kernel_code.c -> devices.c.
 * Source:  Levine et al. 2023, "MC Mutants": parallel instances, permuted partners, stress. What a work-item plays is
 *          one role of many instances, one after the other; work-groups of one program are work-groups of the device.
 */
#ifndef HRF_KERNEL_H
#define HRF_KERNEL_H

#include "kernel_shape.h"

/*
 * Words by which work-groups and host threads keep in step: groups count in the first, each host thread writes the number
 * of its step in one of its own. A hint: a group or thread that waits too long continues.
 */
#define KERNEL_MEETING_STRIDE 32u /* words from one to the next */

/** @return the source, which the caller frees; NULL without memory. */
char *kernel_source(const struct hrf_program *program, const struct kernel_shape *shape,
                    bool has_all_devices_scope);

#endif
