/* SPDX-License-Identifier: MIT */
/*
 * A thread's code in OpenCL C, instruction by instruction, as kernels.cl has its names: registers are r[], instance `i`
 * of location l is word(l, i, n), and a thread that waits too long clears `lives`.
 *
 * Path:    kernel.c -> code.c.
 */
#ifndef HRF_RUN_CODE_H
#define HRF_RUN_CODE_H

#include "checker/program.h"

#include <stdio.h>

/** Returns how many of the locations before `location` are of local memory. */
uint32_t code_n_locals(const struct hrf_program *program, uint32_t location);

/** Writes an expression, which needs no brackets around it. */
void code_put_expression(FILE *out, const struct hrf_program *program, int32_t number);

/** Writes an instruction. @param end  the label behind the thread's code. */
void code_put_instruction(FILE *out, const struct hrf_program *program, uint32_t thread,
                          const struct hrf_instruction *i, const char *end);

#endif
