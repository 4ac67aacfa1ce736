/* SPDX-License-Identifier: MIT */
/*
 * The words that a case changes, in the middle of the stage's heap, with guards around them.
 *
 * Path:    plan.c -> words.c -> every node compares its heap with interpret.c.
 */
#ifndef TOOLS_CONFORMANCE_WORDS_H
#define TOOLS_CONFORMANCE_WORDS_H

#include "stage.h"

#define WORDS_HEAP_BYTES ((N_WORDS + 2 * N_GUARDS) * 8u)

/** Where they lie [bytes]. */
uint64_t words_offset(const struct stage *stage);

/** Give every local node its first words, and guards around them. */
void words_prepare(struct stage *stage, const struct test_case *test);

/** Whether every local node has the interpreter's words. */
bool words_hold(struct stage *stage, const struct test_case *test);

#endif
