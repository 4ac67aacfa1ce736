/* SPDX-License-Identifier: MIT */
/* Rounds of collective calls. See round.h. */
#include "transport/round.h"

#include "gravel/gravel.h"
#include "transport/names.h"

#include <byteswap.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool are_alike(const struct gravel_collective_call *a,
                      const struct gravel_collective_call *b)
{
    return a->kind == b->kind && a->number == b->number &&
           !memcmp(a->arguments, b->arguments, sizeof a->arguments) &&
           !strncmp(a->name, b->name, sizeof a->name);
}

/* Whether two rounds are of one call, whose values are of one number and type: else they cannot be combined. */
static bool fit_together(const struct gravel_round *a, const struct gravel_round *b)
{
    return are_alike(&a->first, &b->first) && a->op == b->op && a->type == b->type &&
           a->n == b->n && a->n <= GRAVEL_ROUND_VALUES;
}

static void merge_calls(struct gravel_round *into, const struct gravel_round *more)
{
    bool is_ours_first = into->first.node < more->first.node;
    const struct gravel_round low = is_ours_first ? *into : *more;
    const struct gravel_round *high = is_ours_first ? more : into;
    const struct gravel_collective_call differs =
        fit_together(&low, high) ? high->other : high->first;
    into->other = low.other.kind == GRAVEL_CALL_NONE ||
                          (differs.kind != GRAVEL_CALL_NONE && differs.node < low.other.node)
                      ? differs
                      : low.other;
    into->first = low.first;
    into->op = low.op, into->type = low.type, into->n = low.n;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t combine_ulongs(uint32_t op, uint64_t a, uint64_t b)
{
    if (op == GRAVEL_ADD)
        return a + b;
    return (op == GRAVEL_MIN) == (a < b) ? a : b;
}

static int64_t combine_longs(uint32_t op, int64_t a, int64_t b)
{
    if (op == GRAVEL_ADD)
        return (int64_t)((uint64_t)a + (uint64_t)b); /* wraps */
    return (op == GRAVEL_MIN) == (a < b) ? a : b;
}

/* It does not matter which comes first: a NaN wins, and -0 is less than 0. */
static double combine_doubles(uint32_t op, double a, double b)
{
    if (op == GRAVEL_ADD)
        return a + b;
    if (isnan(a) || isnan(b))
        return NAN;
    bool is_less = a < b || (a == b && signbit(a));
    return (op == GRAVEL_MIN) == is_less ? a : b;
}

static void merge_values(struct gravel_round *into, const struct gravel_round *more)
{
    for (uint32_t i = 0; i < into->n; i++) {
        uint64_t *place = &into->values[i];
        const uint64_t *value = &more->values[i];
        if (into->type == GRAVEL_ULONG) {
            *place = combine_ulongs(into->op, *place, *value);
        } else if (into->type == GRAVEL_LONG) {
            int64_t result = combine_longs(into->op, (int64_t)*place, (int64_t)*value);
            *place = (uint64_t)result;
        } else {
            double a, b;
            memcpy(&a, place, sizeof a);
            memcpy(&b, value, sizeof b);
            a = combine_doubles(into->op, a, b);
            memcpy(place, &a, sizeof a);
        }
    }
}

void gravel_round_merge(struct gravel_round *into, const struct gravel_round *more)
{
    if (gravel_round_fits(into) && gravel_round_fits(more) && fit_together(into, more))
        merge_values(into, more);
    merge_calls(into, more);
}

/* ---- texts ----------------------------------------------------------------------------------- */

const char *gravel_call_name(uint32_t kind)
{
#define NAME(kind, name) name,
    static const char *const names[] = {GRAVEL_CALLS(NAME)};
#undef NAME
    return kind < GRAVEL_N_CALLS ? names[kind] : "an unknown call";
}

bool gravel_round_is_in_step(const struct gravel_round *round)
{
    return round->first.kind == round->other.kind && round->first.number == round->other.number;
}

static void tell_reduce(const struct gravel_collective_call *call, char *text, size_t bytes)
{
    char type[GRAVEL_NAMED_BYTES];
    uint64_t op = call->arguments[0] >> 8;
    snprintf(text, bytes, "of %" PRIu64 " values of type %s (%s)", call->arguments[1],
             gravel_name_type(type, call->arguments[0] & 0xff),
             op == GRAVEL_ADD   ? "sum"
             : op == GRAVEL_MIN ? "least"
                                : "most");
}

static void tell_alloc(const struct gravel_collective_call *call, const char *unit, char *text,
                       size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "of %" PRIu64 "%s", call->arguments[0], unit);
    if (call->name[0])
        snprintf(text + used, bytes - used, " for %.*s", (int)sizeof call->name, call->name);
}

/* "of 100 blocks of 64 bytes", "of a mirror of uint at offset 4096" */
static void tell_object(const struct gravel_collective_call *call, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "of %.*s", (int)sizeof call->name, call->name);
    if (call->arguments[0])
        snprintf(text + used, bytes - used, " at offset %" PRIu64, call->arguments[0]);
}

/* "of 4096 bytes"; of the second call without the unit */
static void tell_arguments(const struct gravel_collective_call *call, bool is_second, char *text,
                           size_t bytes)
{
    const uint64_t *arguments = call->arguments;
    if (arguments[0] == GRAVEL_CALL_REFUSED && arguments[1] == GRAVEL_CALL_REFUSED) {
        snprintf(text, bytes, "refused");
        return;
    }
    switch (call->kind) {
    case GRAVEL_CALL_ALLOC:
        tell_alloc(call, is_second ? "" : " bytes", text, bytes);
        break;
    case GRAVEL_CALL_FREE:
    case GRAVEL_CALL_POOL_DESTROY:
    case GRAVEL_CALL_MIRROR_DESTROY:
    case GRAVEL_CALL_ACCUMULATOR_DESTROY:
        snprintf(text, bytes, "of offset %" PRIu64, arguments[0]);
        break;
    case GRAVEL_CALL_CONSTANT:
        snprintf(text, bytes, "of number %" PRIu64 ", value %" PRIu64, arguments[0], arguments[1]);
        break;
    case GRAVEL_CALL_POOL:
    case GRAVEL_CALL_MIRROR:
    case GRAVEL_CALL_SLOTS:
    case GRAVEL_CALL_ACCUMULATOR:
        tell_object(call, text, bytes);
        break;
    case GRAVEL_CALL_BARRIER_SUM:
        snprintf(text, bytes, "of %" PRIu64 " counters at offset %" PRIu64, arguments[1],
                 arguments[0]);
        break;
    case GRAVEL_CALL_SHARE: /* offset of its words, and how often it was shared before */
        if (arguments[1] == GRAVEL_SHARE_NONE)
            snprintf(text, bytes, "of the one at offset %" PRIu64 ", which it cannot end",
                     arguments[0]);
        else
            snprintf(text, bytes, "of the one at offset %" PRIu64 ", time %" PRIu64, arguments[0],
                     arguments[1]);
        break;
    default:
        tell_reduce(call, text, bytes);
    }
}

/* A kind is a small number: one that is small when its bytes are swapped is of the other byte order. */
static bool has_other_order(const struct gravel_collective_call *call)
{
    const uint32_t swapped = bswap_32(call->kind);
    return call->kind >= GRAVEL_N_CALLS && swapped != GRAVEL_CALL_NONE && swapped < GRAVEL_N_CALLS;
}

static uint32_t node_of(const struct gravel_collective_call *call)
{
    return has_other_order(call) ? bswap_32(call->node) : call->node;
}

static void tell_orders(const struct gravel_collective_call *first,
                        const struct gravel_collective_call *other, char *text, size_t bytes)
{
    snprintf(text, bytes,
             "nodes differ in byte order: node %u's machine has the other one than node %u's; take "
             "hosts of one kind",
             node_of(other), node_of(first));
}

static void tell_kinds(const struct gravel_collective_call *first,
                       const struct gravel_collective_call *other, char *text, size_t bytes)
{
    snprintf(text, bytes,
             "node %u is in %s, node %u in %s: collective call %" PRIu64
             " since gravel_open, and nodes make different ones, or a node left one out",
             first->node, gravel_call_name(first->kind), other->node, gravel_call_name(other->kind),
             first->number);
}

void gravel_round_tell(const struct gravel_round *round, char *text, size_t bytes)
{
    const struct gravel_collective_call *first = &round->first, *other = &round->other;
    char here[128], there[128];
    if (has_other_order(first) != has_other_order(other)) {
        tell_orders(first, other, text, bytes);
        return;
    }
    if (!gravel_round_is_in_step(round)) {
        tell_kinds(first, other, text, bytes);
        return;
    }
    tell_arguments(first, false, here, sizeof here);
    tell_arguments(other, true, there, sizeof there);
    snprintf(text, bytes, "%s %s at node %u, %s at node %u (collective call %" PRIu64 ")",
             gravel_call_name(first->kind), here, first->node, there, other->node, first->number);
}
