/* SPDX-License-Identifier: MIT */
/*
 * What all nodes bring to a round of a collective call, and combine: which call each is in, and the values to reduce.
 *
 * Every round of every call has this one form, so that calls that do not fit together meet, and fail, instead of being
 * added up. Calls fit if kind, number, arguments and name are equal. Of those that do not, two are kept: the
 * call of the lowest node, and of the lowest node whose call differs from it. So the result does not depend on the
 * order in which nodes are combined.
 *
 * Path:    lib/network/collective.c -> transport -> gravel_round_merge -> collective.c.
 */
#ifndef GRAVEL_TRANSPORT_ROUND_H
#define GRAVEL_TRANSPORT_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAVEL_ROUND_VALUES 64u
#define GRAVEL_CALL_NAME_BYTES 48u

/*
 * X(kind, name in texts, its arguments in texts): %0 and %1 are the arguments, %n the name, %f " for " and the name, if
 * there is one, %a " at offset " and argument 0, if it is not 0; %t the type of argument 0, which has an operation too,
 * and %r how values of it are reduced.
 */
#define GRAVEL_CALLS(X)                                                     \
    X(NONE, "no call", "")                                                  \
    X(OPEN, "gravel_open", "")                                              \
    X(CLOSE, "gravel_close", "")                                            \
    X(BARRIER, "gravel_barrier", "")                                        \
    X(REDUCE, "gravel_reduce", "of %1 values of type %t (%r)")              \
    X(ALLOC, "gravel_alloc", "of %0 bytes%f")                               \
    X(FREE, "gravel_free", "of offset %0")                                  \
    X(CONSTANT, "gravel_set_constant", "of number %0, value %1")            \
    X(MIRROR, "gravel_mirror_create", "of %n%a")                            \
    X(SHARE, "gravel_mirror_end", "of the one at offset %0, time %1")       \
    X(ACCUMULATOR, "gravel_accumulator_create", "of %n%a")                  \
    X(ACCUMULATOR_DESTROY, "gravel_accumulator_destroy", "of offset %0")    \
    X(BARRIER_SUM, "gravel_barrier_sum", "of %1 counters at offset %0")     \
    X(POOL, "gravel_block_pool_create", "of %n%a")                          \
    X(POOL_DESTROY, "gravel_block_pool_destroy", "of offset %0")            \
    X(SLOTS, "gravel_mirror_create_slots", "of %n%a")                       \
    X(MIRROR_DESTROY, "gravel_mirror_destroy", "of offset %0")              \
    X(ROUNDS, "gravel_rounds_create", "of %n, text %1")                     \
    X(ROUNDS_RUN, "gravel_rounds_run", "of %0 rounds, until and phases %1") \
    X(ROUNDS_DESTROY, "gravel_rounds_destroy", "of offset %0")

#define GRAVEL_CALL_KIND(kind, name, arguments) GRAVEL_CALL_##kind,
enum gravel_call_kind { GRAVEL_CALLS(GRAVEL_CALL_KIND) GRAVEL_N_CALLS };

/* Both arguments of a call that its node refuses: it fits no other's. */
#define GRAVEL_CALL_REFUSED UINT64_MAX

#define GRAVEL_SHARE_NONE UINT64_MAX /* argument 1 of GRAVEL_CALL_SHARE: the node cannot end it */

/* A collective call as one node makes it. */
struct gravel_collective_call {
    uint32_t kind; /* enum gravel_call_kind */
    uint32_t node;
    uint64_t number;                   /* of the node's calls since gravel_open, from 1 */
    uint64_t arguments[2];             /* by kind: bytes; offset; number and value; see round.c */
    char name[GRAVEL_CALL_NAME_BYTES]; /* of an allocation or an object, or empty */
};

struct gravel_round {
    struct gravel_collective_call first, other; /* other.kind is NONE: all calls fit */
    uint32_t op, type, n;                       /* of the values, as gravel_reduce */
    uint32_t padding;
    uint64_t values[GRAVEL_ROUND_VALUES]; /* [n]; mean nothing unless all calls fit */
};

/** into = what it and `more` are together. Associative and commutative, except for the rounding of sums. */
void gravel_round_merge(struct gravel_round *into, const struct gravel_round *more);

static inline bool gravel_round_fits(const struct gravel_round *round)
{
    return round->other.kind == GRAVEL_CALL_NONE;
}

/** Returns whether calls that do not fit are calls of one kind: the nodes stay in step, and only the call fails. */
bool gravel_round_is_in_step(const struct gravel_round *round);

/** Describes in what the calls differ: "node 0 is in gravel_barrier, node 1 in gravel_reduce ..."; or which machine has
 * the other byte order. */
void gravel_round_describe(const struct gravel_round *round, char *text, size_t bytes);

/** "gravel_barrier" */
const char *gravel_call_name(uint32_t kind);

#endif
