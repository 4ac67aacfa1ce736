/* SPDX-License-Identifier: MIT */
/*
 * All executions of a program, without any cleverness: every interleaving; and, of a program without branches, those
 * that a model's axioms allow: sources first, then coherence, then what the axioms say.
 *
 * Path:    test_engines.c -> enumeration.c -> hrf/src/checker.
 */
#ifndef HRF_TESTS_ENUMERATION_H
#define HRF_TESTS_ENUMERATION_H

#include "checker/explore.h"
#include "keys.h"

/** Adds the keys of all executions. @return whether it was short enough to come to its end. */
bool enumerate_graphs(const struct hrf_program *program, enum hrf_model model, struct keys *keys);

/** Shows a search every interleaving. Returns whether the visitor was content until the end. */
bool enumerate_interleavings(struct hrf_search *search);

#endif
