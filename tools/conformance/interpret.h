/* SPDX-License-Identifier: MIT */
/*
 * What messages mean: one at a time, on bits, by another method than the resolver's typed loops.
 *
 * Path:    plan.c -> interpret.c -> the expected heap.
 */
#ifndef TOOLS_CONFORMANCE_INTERPRET_H
#define TOOLS_CONFORMANCE_INTERPRET_H

#include "plan.h"

/** The bits of a word after one message. */
uint64_t interpret(uint32_t op, uint32_t type, uint64_t word, uint64_t value);

/** Apply to words [N_WORDS] of `node` what `plan` sends there. */
void interpret_plan(const struct test_case *test, const struct plan *plan, uint32_t node,
                    uint64_t *words);

#endif
