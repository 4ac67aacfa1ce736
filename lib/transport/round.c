/* SPDX-License-Identifier: MIT */
/* Rounds of collective calls. See round.h. */
#include "transport/round.h"

#include "base/error.h"
#include "gravel/gravel.h"
#include "transport/names.h"

#include <byteswap.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns whether two rounds are of one call, whose values are of one number and type: else they cannot be combined. */
static bool fit_together(const struct gravel_round *a, const struct gravel_round *b)
{
    const struct gravel_collective_call *one = &a->first, *other = &b->first;
    return one->kind == other->kind && one->number == other->number &&
           !memcmp(one->arguments, other->arguments, sizeof one->arguments) &&
           !strncmp(one->name, other->name, sizeof one->name) && a->op == b->op &&
           a->type == b->type && a->n == b->n && a->n <= GRAVEL_ROUND_VALUES;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Combines values in any order: integers of both kinds wrap alike, a NaN wins, and -0 is less than 0. */
static void merge_values(struct gravel_round *into, const struct gravel_round *more)
{
    const bool are_doubles = into->type == GRAVEL_DOUBLE;
    for (uint32_t i = 0; i < into->n; i++) {
        uint64_t *a = &into->values[i], b = more->values[i];
        double x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, &b, sizeof y);
        const bool is_less = are_doubles                  ? x < y || (x == y && signbit(x))
                             : into->type == GRAVEL_ULONG ? *a < b
                                                          : (int64_t)*a < (int64_t)b;
        if (are_doubles && (into->op == GRAVEL_ADD || isnan(x) || isnan(y))) {
            x = into->op == GRAVEL_ADD ? x + y : NAN;
            memcpy(a, &x, sizeof x);
        } else if (into->op == GRAVEL_ADD) {
            *a += b;
        } else if ((into->op == GRAVEL_MIN) != is_less) {
            *a = b;
        }
    }
}

void gravel_round_merge(struct gravel_round *into, const struct gravel_round *more)
{
    if (gravel_round_fits(into) && gravel_round_fits(more) && fit_together(into, more))
        merge_values(into, more);
    const bool is_ours_first = into->first.node < more->first.node;
    const struct gravel_round low = is_ours_first ? *into : *more;
    const struct gravel_round *high = is_ours_first ? more : into;
    const struct gravel_collective_call differs =
        fit_together(&low, high) ? high->other : high->first;
    if (low.other.kind == GRAVEL_CALL_NONE ||
        (differs.kind != GRAVEL_CALL_NONE && differs.node < low.other.node))
        into->other = differs;
    else
        into->other = low.other;
    into->first = low.first;
    into->op = low.op, into->type = low.type, into->n = low.n;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *arguments;
} calls[] = {
#define CALL(kind, name, arguments) {name, arguments},
    GRAVEL_CALLS(CALL)
#undef CALL
};

const char *gravel_call_name(uint32_t kind)
{
    return kind < GRAVEL_N_CALLS ? calls[kind].name : "an unknown call";
}

bool gravel_round_is_in_step(const struct gravel_round *round)
{
    return round->first.kind == round->other.kind && round->first.number == round->other.number;
}

/* Appends what a letter of a call's arguments means. */
static void describe_argument(const struct gravel_collective_call *call, char letter, char *text,
                              size_t bytes)
{
    const uint32_t type = call->arguments[0] & 0xff, op = (uint32_t)(call->arguments[0] >> 8);
    const int name_bytes = (int)sizeof call->name;
    char named[GRAVEL_NAMED_BYTES];
    switch (letter) {
    case 'n':
    case 'f':
        gravel_append(text, bytes, "%s%.*s", letter == 'f' && call->name[0] ? " for " : "",
                      name_bytes, call->name);
        break;
    case 't':
        gravel_append(text, bytes, "%s", gravel_name_type(named, type));
        break;
    case 'a':
        if (call->arguments[0])
            gravel_append(text, bytes, " at offset %" PRIu64, call->arguments[0]);
        break;
    case 'r':
        gravel_append(text, bytes, "%s",
                      op == GRAVEL_ADD   ? "sum"
                      : op == GRAVEL_MIN ? "least"
                                         : "most");
        break;
    default:
        gravel_append(text, bytes, "%" PRIu64, call->arguments[letter - '0']);
    }
}

/* Writes a call's arguments: "of 4096 bytes". */
static void describe_arguments(const struct gravel_collective_call *call, char *text, size_t bytes)
{
    const char *form = call->kind < GRAVEL_N_CALLS ? calls[call->kind].arguments : "";
    if (call->arguments[0] == GRAVEL_CALL_REFUSED && call->arguments[1] == GRAVEL_CALL_REFUSED)
        form = "refused";
    else if (call->kind == GRAVEL_CALL_SHARE && call->arguments[1] == GRAVEL_SHARE_NONE)
        form = "of the one at offset %0, which it cannot end";
    for (text[0] = '\0'; *form; form++)
        if (*form == '%')
            describe_argument(call, *++form, text, bytes);
        else
            gravel_append(text, bytes, "%c", *form);
}

/* Returns whether a kind, a small number, is small only when its bytes are swapped: of the other byte order. */
static bool has_other_order(const struct gravel_collective_call *call)
{
    const uint32_t swapped = bswap_32(call->kind);
    return call->kind >= GRAVEL_N_CALLS && swapped != GRAVEL_CALL_NONE && swapped < GRAVEL_N_CALLS;
}

void gravel_round_describe(const struct gravel_round *round, char *text, size_t bytes)
{
    const struct gravel_collective_call *first = &round->first, *other = &round->other;
    char here[128], there[128];
    const bool is_first_swapped = has_other_order(first), is_swapped = has_other_order(other);
    if (is_first_swapped != is_swapped) {
        snprintf(text, bytes,
                 "nodes differ in byte order: node %u's machine has the other one than node %u's; "
                 "take hosts of one kind",
                 is_swapped ? bswap_32(other->node) : other->node,
                 is_first_swapped ? bswap_32(first->node) : first->node);
        return;
    }
    if (!gravel_round_is_in_step(round)) {
        snprintf(text, bytes,
                 "node %u is in %s, node %u in %s: collective call %" PRIu64
                 " since gravel_open, and nodes make different ones, or a node left one out",
                 first->node, gravel_call_name(first->kind), other->node,
                 gravel_call_name(other->kind), first->number);
        return;
    }
    describe_arguments(first, here, sizeof here);
    describe_arguments(other, there, sizeof there);
    snprintf(text, bytes, "%s %s at node %u, %s at node %u (collective call %" PRIu64 ")",
             gravel_call_name(first->kind), here, first->node, there, other->node, first->number);
}
