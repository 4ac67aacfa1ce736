/* SPDX-License-Identifier: MIT */
/*
 * Nodes whose kernels add to words by accumulators, and what is tested of them.
 *
 * Path: test_accumulator.c, accumulator_flushes.c, accumulator_refusals.c -> this -> accumulator_adds.c
 * Threads: main's.
 */
#ifndef TESTS_MPI_ACCUMULATOR_H
#define TESTS_MPI_ACCUMULATOR_H

#include "bodies.h"

#include <gravel/accumulator.h>

/* Words of a node's part: more than two blocks, and not whole ones. */
#define N_WORDS 2500u

extern struct gravel *gravel;
extern uint32_t node, n_nodes, n_adders;

/* ---- kernels ----------------------------------------------------------------------------------- */

/* The kernel of add_one: a value, and where. */
extern cl_kernel one;

void build_adders(void);
void release_adders(void);

/** A value n times, each by a work-item of its own. */
void add_one(const struct gravel_accumulator *accumulator, uint64_t index, uint32_t value,
             uint64_t owner, size_t n);

struct gravel_accumulator *create(uint64_t offset, uint64_t n, uint32_t op, uint32_t type);

/** Whether this node adds, and words have a shadow. */
bool has_shadow(void);

/* ---- tests ------------------------------------------------------------------------------------- */

/* accumulator_flushes.c */
void two_accumulators(void);
void a_word_travels_once(void);
void sums_that_cancel_are_not_sent(void);
void what_does_not_improve_is_not_sent(void);
void words_wait_for_a_flush(void);
void a_flush_begins_behind_kernels(void);
void calls_in_any_order_lose_nothing(void);

/* accumulator_refusals.c */
void kernels_are_refused_what_is_not_there(void);
void create_refuses(void);
void memory_is_limited(void);
void destroy_refuses_while_words_wait(void);
void a_range_is_its_accumulators(void);

#endif
