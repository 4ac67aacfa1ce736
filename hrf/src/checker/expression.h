/* SPDX-License-Identifier: MIT */
/*
 * The value of an expression.
 *
 * Path:    machine.c, verdict.c -> expression.h.
 */
#ifndef GRAVEL_HRF_EXPRESSION_H
#define GRAVEL_HRF_EXPRESSION_H

#include "checker/machine.h"

/* What an expression may name: a thread's registers; or, in `exists`, all threads and memory. */
struct hrf_values {
    const uint32_t *registers;
    const struct hrf_locals *locals;
    const uint32_t *memory;
};

/** Returns the sign of a binary operator. */
const char *hrf_operator_sign(enum hrf_operator operator_);
uint32_t hrf_apply(enum hrf_operator operator_, uint32_t a, uint32_t b);
uint32_t hrf_evaluate(const struct hrf_program *program, int32_t expression,
                      const struct hrf_values *values);

#endif
