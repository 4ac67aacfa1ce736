/* SPDX-License-Identifier: MIT */
/*
 * The executions that a search finds, as keys that two searches can be compared by.
 *
 * Path:    test_engines.c, enumeration.c -> keys.c.
 * Memory:  the caller's; keys_free.
 */
#ifndef HRF_TESTS_KEYS_H
#define HRF_TESTS_KEYS_H

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
uint32_t keys_settle(struct keys *keys);

/** Fails unless both have one set of keys, and races in the same models. */
void keys_expect_same(const struct keys *a, const struct keys *b, const char *what,
                      const char *text);

#endif
