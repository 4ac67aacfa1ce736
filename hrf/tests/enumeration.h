/* SPDX-License-Identifier: MIT */
/*
 * All executions of a program, without any cleverness: every interleaving; and, of a program without branches, those
 * that a model's axioms allow: sources first, then coherence, then what the axioms say. Executions are keys, by which what
 * two searches find is compared.
 *
 * Path:    test_engines.c -> enumeration.c -> hrf/src/checker.
 * Memory:  the caller's; keys_free.
 */
#ifndef HRF_TESTS_ENUMERATION_H
#define HRF_TESTS_ENUMERATION_H

#include "checker/consistent.h"
#include "checker/execution.h"

#define MAX_KEYS 65536u

struct keys {
    uint64_t key[MAX_KEYS];
    uint32_t n;
    uint32_t models, races; /* masks: models whose races are looked for, and that have some */
    struct hrf_orders orders[HRF_N_MODELS];
};

struct keys *keys_make(const struct hrf_program *program, uint32_t models);
void keys_free(struct keys *keys);

/** Adds an execution. Returns whether there was room. */
bool keys_add(struct keys *keys, const struct hrf_execution *execution);

/** Sorts, and drops what is there twice. @return how many there were. */
uint32_t keys_sort(struct keys *keys);

/** Fails unless both have one set of keys, and races in the same models. */
void keys_expect_same(const struct keys *a, const struct keys *b, const char *what,
                      const char *text);

/** Adds the keys of all executions. Returns whether it was short enough to come to its end. */
typedef bool enumerate(const struct hrf_program *program, struct keys *keys);

enumerate enumerate_interleavings;
enumerate enumerate_graphs; /* of the one model of the keys */

#endif
