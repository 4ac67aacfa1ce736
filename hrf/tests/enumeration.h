/* SPDX-License-Identifier: MIT */
/*
 * All executions of a program, without any cleverness: every interleaving; and, of a program without branches, those
 * that a model's axioms allow: sources first, then coherence, then what the axioms say.
 *
 * Path:    test_engines.c -> enumeration.c -> hrf/src/checker.
 */
#ifndef HRF_TESTS_ENUMERATION_H
#define HRF_TESTS_ENUMERATION_H

#include "keys.h"

/** Adds the keys of all executions. Returns whether it was short enough to come to its end. */
typedef bool enumerate(const struct hrf_program *program, struct keys *keys);

enumerate enumerate_interleavings;
enumerate enumerate_graphs; /* of the one model of the keys */

#endif
