/* SPDX-License-Identifier: MIT */
/*
 * What kernel a litmus program needs: which of its threads are work-groups, and which values its condition counts.
 *
 * Path:    hrf/src/checker/program.h -> shape.c -> kernel.c, devices.c, host.c, play.c.
 */
#ifndef HRF_RUN_SHAPE_H
#define HRF_RUN_SHAPE_H

#include "checker/program.h"

#define SHAPE_MAX_WATCHED 6u /* values of a condition that are counted */
#define SHAPE_VALUES 4u      /* 0, 1, 2, and all else */
#define SHAPE_BINS 4096u     /* SHAPE_VALUES to the power of SHAPE_MAX_WATCHED */

#define SHAPE_ON_HOST UINT32_MAX /* the group of a thread that the host plays */

struct shape {
    uint32_t n_groups, n_roles;      /* of the program; n_roles: of its largest group */
    uint32_t group[HRF_MAX_THREADS]; /* of a thread, in the order of threads; or SHAPE_ON_HOST */
    uint32_t role[HRF_MAX_THREADS];  /* number of a thread among those of its group */
    uint32_t n_host;                 /* threads that the host plays */
    uint32_t
        host[HRF_MAX_THREADS]; /* [n_host] those of all devices but the one of the lowest number */
    uint32_t n_watched;        /* values that the condition names */
    int32_t watched[SHAPE_MAX_WATCHED]; /* their expressions */
};

/** Returns whether a program is judged by its asserts: it has some, and no `exists`. */
bool shape_counts_asserts(const struct hrf_program *program);

/** Finds a program's shape. Returns NULL, or why it cannot be run on one device and the host. */
const char *shape_find(const struct hrf_program *program, struct shape *shape);

#endif
