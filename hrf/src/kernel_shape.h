/* SPDX-License-Identifier: MIT */
/*
 * What kernel a litmus program needs: which of its threads are work-groups, and which values its condition counts.
 *
 * Path:    hrf/src/checker/program.h -> kernel_shape.c -> kernel.c, devices.c, play.c.
 */
#ifndef HRF_KERNEL_SHAPE_H
#define HRF_KERNEL_SHAPE_H

#include "checker/program.h"

#include <stdbool.h>

#define KERNEL_MAX_WATCHED 6u /* values of a condition that are counted */
#define KERNEL_VALUES 4u      /* 0, 1, 2, and all else */
#define KERNEL_BINS 4096u     /* KERNEL_VALUES to the power of KERNEL_MAX_WATCHED */

/* What becomes of an instance: bits. */
#define KERNEL_GIVEN_UP 1u /* a thread waited too long, so that nothing can be said */
#define KERNEL_FAILED 2u   /* an assert did not hold */

#define KERNEL_NO_GROUP UINT32_MAX /* of a thread that the host plays */

struct kernel_shape {
    uint32_t n_groups, n_roles;           /* of the program; n_roles: of its largest group */
    uint32_t n_watched;                   /* values that the condition names */
    uint32_t watched[KERNEL_MAX_WATCHED]; /* their expressions */
    uint32_t n_host;
    uint32_t host[HRF_MAX_THREADS]; /* [n_host] threads that the host plays */
};

/** Whether the host plays a thread: those of all devices but the one of the lowest number. */
bool kernel_is_on_host(const struct hrf_program *program, uint32_t thread);

/** Whether a program is judged by its asserts: it has some, and no `exists`. */
bool kernel_counts_asserts(const struct hrf_program *program);

/** Why a program cannot be run on one device and the host, or NULL; and its shape. */
const char *kernel_refuse(const struct hrf_program *program, struct kernel_shape *shape);

/** The number of a thread's group among those of the device, in the order of threads; or KERNEL_NO_GROUP. */
uint32_t kernel_group_of(const struct hrf_program *program, uint32_t thread);

/** The number of a thread among those of its group. */
uint32_t kernel_role_of(const struct hrf_program *program, uint32_t thread);

#endif
