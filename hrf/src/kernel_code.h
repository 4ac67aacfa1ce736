/* SPDX-License-Identifier: MIT */
/*
 * A thread's code in OpenCL C, instruction by instruction: registers are r[], instance `i` of location l is word(l, i, n),
 * and a thread that waits too long clears `lives`.
 *
 * Path:    kernel.c -> kernel_code.c.
 */
#ifndef HRF_KERNEL_CODE_H
#define HRF_KERNEL_CODE_H

#include "checker/program.h"

#include <stdio.h>

void kernel_put_expression(FILE *out, const struct hrf_program *program, int32_t number);

/** @param end  the label behind the thread's code. */
void kernel_put_instruction(FILE *out, const struct hrf_program *program, uint32_t thread,
                            const struct hrf_instruction *i, const char *end);

#endif
