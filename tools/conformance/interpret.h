/* SPDX-License-Identifier: MIT */
/*
 * What messages mean: one at a time, on bits, by another method than the resolver's typed loops.
 *
 * Path:    plan.c -> interpret.c -> the expected heap.
 */
#ifndef TOOLS_CONFORMANCE_INTERPRET_H
#define TOOLS_CONFORMANCE_INTERPRET_H

#include "plan.h"

/** What message i of CAS expects: every other one is right. */
uint64_t interpret_expected(const struct test_case *test, const struct plan *plan, uint32_t i);

/** Apply to words [N_WORDS] of `node` what `plan` sends there. */
void interpret_plan(const struct test_case *test, const struct plan *plan, uint32_t node,
                    uint64_t *words);

#endif
