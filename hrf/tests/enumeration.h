/* SPDX-License-Identifier: MIT */
/*
 * All executions of a program without branches that a model's axioms allow, without any cleverness: sources first, then
 * coherence, then what the axioms say.
 *
 * Path:    test_engines.c -> enumeration.c -> hrf/src/checker.
 */
#ifndef HRF_TESTS_ENUMERATION_H
#define HRF_TESTS_ENUMERATION_H

#include "keys.h"

/** Add the keys of all executions. @return whether it was short enough to come to its end. */
bool enumerate_graphs(const struct hrf_program *program, enum hrf_model model, struct keys *keys);

#endif
