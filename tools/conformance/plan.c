/* SPDX-License-Identifier: MIT */
/*
 * Messages of a conformance case, and the serial interpreter. See plan.h.
 */
#include "plan.h"

#include "support.h"

#include <math.h>
#include <string.h>

const char *const form_suffixes[N_FORMS] = {"", "_if", "_wi", " by gravel_update"};
const char *const target_names[N_TARGETS] = {"self", "other", "one", "all"};
const char *const activity_names[N_ACTIVITIES] = {"full", "some", "empty", "single"};

/* A value that differs from case to case. */
static uint64_t draw(const struct test_case *test, uint32_t origin, uint32_t item, uint32_t what)
{
    uint64_t place =
        test->op << 8 | test->type << 4 | (uint32_t)test->target << 2 | (uint32_t)test->activity;
    return mix(mix(place << 32 | origin << 16 | item) + what);
}

static uint64_t sign_of(uint32_t type)
{
    return GRAVEL_TYPE_BYTES(type) == 4 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
}

/* Bits of a real as the type rounds it. */
static uint64_t bits_of(uint32_t type, double real)
{
    const float narrow = (float)real;
    uint64_t bits = 0;
    memcpy(&bits, type == GRAVEL_FLOAT ? (const void *)&narrow : &real, GRAVEL_TYPE_BYTES(type));
    return bits;
}

static double real_of(uint32_t type, uint64_t bits)
{
    float narrow;
    double wide;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return type == GRAVEL_FLOAT ? (double)narrow : wide;
}

/* Small multiples of a quarter: sums are exact in any order, in float too. Of what is only stored, never summed, also -0,
 * both infinities, the least and the greatest number. */
static uint64_t real_bits(uint32_t op, uint32_t type, uint64_t random)
{
    const uint64_t sign = sign_of(type), infinity = bits_of(type, INFINITY),
                   odd[] = {sign, infinity, sign | infinity, 1, infinity - 1};
    if (op == GRAVEL_PUT && random % 4 == 0)
        return odd[(random >> 8) % 5];
    return bits_of(type, ((double)((random >> 8) % 511) - 255.0) * 0.25);
}

/* Draws a value: of an integer the ends of the range, signed and unsigned, and anything between. */
static uint64_t value_bits(uint32_t op, uint32_t type, uint64_t random)
{
    if (type >= GRAVEL_FLOAT)
        return real_bits(op, type, random);
    const uint64_t sign = sign_of(type),
                   ends[] = {0, 1, UINT64_MAX, sign, sign - 1, sign + 1, random >> 3, random};
    return GRAVEL_TYPE_BYTES(type) == 4 ? (uint32_t)ends[random % 8] : ends[random % 8];
}

uint64_t plan_first_bits(const struct test_case *test, uint32_t node, uint32_t index)
{
    return value_bits(GRAVEL_ADD, test->type, draw(test, node, index, 99));
}

static bool is_active(enum activity activity, uint32_t item, uint64_t random)
{
    uint32_t group = item / GROUP, lane = item % GROUP;
    switch (activity) {
    case ACTIVE_FULL:
        return true;
    case ACTIVE_SOME:
        return group % 2 == 0 && random % 2;
    case ACTIVE_SINGLE:
        return lane == (17 + 23 * group) % GROUP;
    default:
        return false;
    }
}

static uint32_t pick_node(enum target target, uint32_t origin, uint32_t n_nodes, uint32_t item)
{
    switch (target) {
    case TO_SELF:
        return origin;
    case TO_OTHER:
        return (origin + 1) % n_nodes;
    case TO_ONE:
        return n_nodes - 1;
    default:
        return (origin + item) % n_nodes;
    }
}

void plan_fill(struct plan *plan, const struct test_case *test, uint32_t origin, uint32_t n_nodes)
{
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        plan->active[i] =
            i < test->n_items && is_active(test->activity, i, draw(test, origin, i, 1));
        plan->nodes[i] = pick_node(test->target, origin, n_nodes, i);
        plan->bits[i] = value_bits(test->op, test->type, draw(test, origin, i, 2));
        /* Stores do not commute, and answers show the order: each word has one. Of other messages many meet in few words. */
        bool is_alone = test->op == GRAVEL_PUT || test->op >= GRAVEL_PUT_SIGNAL;
        plan->indices[i] =
            is_alone ? origin * N_ITEMS + (i ^ 0x55) : (uint32_t)(draw(test, origin, i, 3) % 48);
    }
}

/* ---- what messages mean ---------------------------------------------------------------------- */

static bool is_less(uint32_t type, uint64_t a, uint64_t b)
{
    const uint64_t sign = type == GRAVEL_INT || type == GRAVEL_LONG ? sign_of(type) : 0;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t combine(uint32_t op, uint32_t type, uint64_t word, uint64_t value)
{
    switch (op) {
    case GRAVEL_PUT:
        return value;
    case GRAVEL_INC:
        return word + 1;
    case GRAVEL_ADD:
        return type >= GRAVEL_FLOAT ? bits_of(type, real_of(type, word) + real_of(type, value))
                                    : word + value;
    case GRAVEL_MIN:
        return is_less(type, value, word) ? value : word;
    case GRAVEL_MAX:
        return is_less(type, word, value) ? value : word;
    case GRAVEL_AND:
        return word & value;
    case GRAVEL_OR:
        return word | value;
    case GRAVEL_XOR:
        return word ^ value;
    default:
        die(__FILE__, __LINE__, "operation %u has no meaning here", op);
    }
}

uint64_t interpret_expected(const struct test_case *test, const struct plan *plan, uint32_t i)
{
    const uint64_t first = plan_first_bits(test, plan->nodes[i], plan->indices[i]);
    return i % 2 ? first : (uint32_t)(first + 1 + i);
}

/* Returns what a word becomes by message i. */
static uint64_t become(const struct test_case *test, const struct plan *plan, uint32_t i,
                       uint64_t word)
{
    uint64_t result;
    switch (test->op) {
    case GRAVEL_GET:
        return word;
    case GRAVEL_CAS:
        return word == interpret_expected(test, plan, i) ? plan->bits[i] : word;
    case GRAVEL_SWAP:
    case GRAVEL_PUT_SIGNAL:
        return plan->bits[i];
    default:
        result = combine(test->op & ~GRAVEL_FETCH, test->type, word, plan->bits[i]);
        return GRAVEL_TYPE_BYTES(test->type) == 4 ? (uint32_t)result : result;
    }
}

void interpret_plan(const struct test_case *test, const struct plan *plan, uint32_t node,
                    uint64_t *words)
{
    for (uint32_t i = 0; i < N_ITEMS; i++)
        if (plan->active[i] && plan->nodes[i] == node)
            words[plan->indices[i]] = become(test, plan, i, words[plan->indices[i]]);
}
