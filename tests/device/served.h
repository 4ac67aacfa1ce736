/* SPDX-License-Identifier: MIT */
/*
 * Nodes of this process whose program is kernels/server.cl: its handlers, memory for what they count, and a launch of
 * which every message is looked for.
 *
 * Path:    test_server.c, test_server_refusals.c -> served.h -> gravel/server.h
 * Owner:   the test, behind which they end (scope.h).
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_SERVED_H
#define GRAVEL_TESTS_SERVED_H

#include <gravel/server.h>

#include "expect.h"
#include "witness.h"

#define MOST_NODES \
    (has_argument("resident") ? 1u : 2u) /* resident servers are those of a node alone */
#define MOST_ITEMS (1u << 16)
#define N_KEYS 1000u

extern const char server_cl[]; /* kernels/server.cl */

/** Its handlers, with ids by position. */
enum { WITNESS, KEY_ALONE, FOUR, SLOW };
extern const struct gravel_bindings served_table;

/** A node with its program and memory. */
struct served {
    struct gravel *gravel;
    cl_program program;
    uint64_t keys, ledger, counter; /* heap offsets */
};

/** Open a node in the mode that the program's argument names, `resident` or, without one, phases, its limits times patience, or end with the reason. */
struct served open_with(struct gravel_config config);

/** Makes one of its kernels. */
cl_kernel server_kernel(const struct served *served, const char *name);

/** Each item's message has been run once, at its node, and none of equal keys beside each other. */
void expect_sent(const struct served *served, uint32_t n_items, uint32_t n_keys, uint32_t n_nodes);

/** Launch n_items clients of kernel `send`, and expect_sent. */
void send_and_expect(const struct served *served, uint32_t n_items, uint32_t n_keys,
                     uint32_t n_nodes);

/** The kernel that sends n_calls messages of each client to key 7. */
cl_kernel kernel_of_many(const struct served *served, cl_uint n_calls);

#endif
