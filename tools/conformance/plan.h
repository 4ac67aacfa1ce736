/* SPDX-License-Identifier: MIT */
/*
 * A conformance case and its messages: who sends what where, from numbers alone, so that every node knows
 * what every other sends; and what they mean: one at a time, on bits, by another method than the resolver's typed loops.
 *
 * Path:    plan_fill -> kernels (conformance.cl) and interpret_plan -> the expected heap.
 */
#ifndef TOOLS_CONFORMANCE_PLAN_H
#define TOOLS_CONFORMANCE_PLAN_H

#include <gravel/gravel.h>

#define GROUP 64u
#define N_ITEMS 256u   /* of each origin */
#define MAX_ORIGINS 4u /* nodes that send */
#define N_WORDS (MAX_ORIGINS * N_ITEMS)
#define N_GUARDS 32u /* words before and after, that no message addresses */

/* Of a kernel's calls: _wg, _wg_if, _wi; HOST is gravel_update. All but GROUP can leave work-items out. */
enum form { FORM_GROUP, FORM_IF, FORM_WI, FORM_HOST, N_FORMS };

/* To the sender itself, its neighbour, all to the last node, or item by item to another one. */
enum target { TO_SELF, TO_OTHER, TO_ONE, TO_ALL, N_TARGETS };
/* Which work-items of a group send. In SOME, every other group has none. */
enum activity { ACTIVE_FULL, ACTIVE_SOME, ACTIVE_EMPTY, ACTIVE_SINGLE, N_ACTIVITIES };

struct test_case {
    const char *name;   /* "add_int" */
    const char *kernel; /* the name of its kernels without their forms' suffixes */
    uint32_t op, type;
    enum form form;
    enum target target;
    enum activity activity;
    uint32_t n_items; /* N_ITEMS, or less: what is launched */
};

/* A case of every form, target and activity. */
#define TEST_CASE(name, kernel, OP, TYPE)                    \
    {                                                        \
        name, kernel, GRAVEL_##OP, GRAVEL_##TYPE, 0, 0, 0, 0 \
    }

/* The messages of one origin, in arrays as kernels take them. */
struct plan {
    uint32_t active[N_ITEMS], nodes[N_ITEMS], indices[N_ITEMS];
    uint64_t bits[N_ITEMS]; /* the value, in the low bytes */
};

extern const char *const form_suffixes[N_FORMS];
extern const char *const target_names[N_TARGETS];
extern const char *const activity_names[N_ACTIVITIES];

/** Fills in the messages of one origin. */
void plan_fill(struct plan *plan, const struct test_case *test, uint32_t origin, uint32_t n_nodes);

/** Returns what word `index` of `node` holds before the case. */
uint64_t plan_first_bits(const struct test_case *test, uint32_t node, uint32_t index);

/** Returns what message i of CAS expects: every other one is right. */
uint64_t interpret_expected(const struct test_case *test, const struct plan *plan, uint32_t i);

/** Applies to words [N_WORDS] of `node` what `plan` sends there. */
void interpret_plan(const struct test_case *test, const struct plan *plan, uint32_t node,
                    uint64_t *words);

#endif
