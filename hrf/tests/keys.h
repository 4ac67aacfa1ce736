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
    struct hrf_orders orders[HRF_N_MODELS];
    uint32_t races; /* mask of models */
    bool is_full;
};

struct keys *keys_make(const struct hrf_program *program);
void keys_free(struct keys *keys);

/** Sorts, and drops what is there twice. @return how many there were. */
uint32_t keys_settle(struct keys *keys);

/** Fails unless both have one set of keys, and races in the same models. */
void keys_expect_same(const struct keys *a, const struct keys *b, const char *what,
                      const char *text);

#endif
