/* SPDX-License-Identifier: MIT */
/*
 * A litmus program as an OpenCL program that plays many instances of it at once.
 *
 * Path:    hrf/src/checker/program.h, shape.c -> kernel.c, code.c, kernels.cl -> devices.c.
 */
#ifndef HRF_RUN_KERNEL_H
#define HRF_RUN_KERNEL_H

#include "run/shape.h"

/* What becomes of an instance: bits. */
#define KERNEL_GIVEN_UP 1u /* a thread waited too long, so that nothing can be said */
#define KERNEL_FAILED 2u   /* an assert did not hold */

/* What judge_instances counts besides the bins; the last is whether the compiler has scope sys. */
enum kernel_count { KERNEL_HELD, KERNEL_DEAD, KERNEL_HAS_SYS, KERNEL_N_COUNTS };

#define KERNEL_NOISE_WORDS 65536u
#define KERNEL_MOST_EACH 256u /* threads of one role in a group */

/*
 * Words by which work-groups and host threads keep in step: groups count in the first, each host thread writes the
 * number of its step in one of its own. A hint: a group or thread that waits too long continues.
 */
#define KERNEL_MEETING_STRIDE 32u /* words from one to the next */

/** Writes the source, which the caller frees. Returns NULL without memory. */
char *kernel_source(const struct hrf_program *program, const struct shape *shape);

#endif
