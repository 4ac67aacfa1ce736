/* SPDX-License-Identifier: MIT */
/*
 * What tests of deques share: a node of the policy that the environment names, a kernel, and a ledger of its tasks.
 *
 * One kernel does everything, for compiling it takes most of the time.
 *
 * Path: test_steal.c, steal_faults.c -> this -> lib/steal, cl/steal.cl.h
 */
#ifndef GRAVEL_TESTS_STEAL_TESTED_H
#define GRAVEL_TESTS_STEAL_TESTED_H

#include "expect.h"

#include "steal/steal.h"

#define STEAL_GROUP 16u /* work-items */
#define MOST_TASKS 100000u
#define LEDGER_TASKS 10000000u /* of `test_device_steal ledger` */

/* What the kernel does: see kernels/steal.cl. */
enum { TREE, TREE_WI, TREE_LOOK, FLOOD, BREAK, RETURN, PLAIN };

struct steal_tested {
    struct gravel *gravel;
    cl_program program;
    cl_kernel kernel;
    cl_mem ledger;
    cl_uint n_words;           /* of the ledger */
    bool is_list, has_thieves; /* the policy */
};
extern struct steal_tested tested;

/** Of the group of tests. */
void steal_set_up(void);
void steal_tear_down(void);

struct gravel_steal *steal_make(uint32_t n_groups, uint32_t capacity);
void steal_launch(struct gravel_steal *steal, cl_uint n, cl_uint mode);

/** Add tasks first to first + n - 1, evenly. @return as gravel_steal_fill. */
int steal_fill(struct gravel_steal *steal, uint64_t first, uint64_t n);

/** Each of n tasks has run `times` times, and no other has run; and clear the ledger. */
void steal_expect_ledger(cl_uint n, cl_uint times);
void steal_clear_ledger(void);

struct gravel_steal_stats steal_stats_of(struct gravel_steal *steal);

#endif
