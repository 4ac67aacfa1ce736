/* SPDX-License-Identifier: MIT */
/*
 * Messages of a conformance case, and the serial interpreter. See plan.h.
 */
#include "plan.h"

#include "support.h"

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

/* Draws small multiples of a quarter: sums are exact in any order, in float too. */
static double draw_quarters(uint64_t random)
{
    return ((double)(random % 511) - 255.0) * 0.25;
}

/* Bits of a real that is only stored, never summed: the odd ones as well. */
static uint64_t odd_bits(uint32_t type, uint64_t random)
{
    static const uint32_t floats[] = {0x80000000u, 0x7f800000u, 0xff800000u, 1u, 0x7f7fffffu};
    static const uint64_t doubles[] = {UINT64_C(1) << 63, UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0xfff0000000000000), 1u,
                                       UINT64_C(0x7fefffffffffffff)};
    return type == GRAVEL_FLOAT ? floats[random % 5] : doubles[random % 5];
}

static uint64_t real_bits(uint32_t op, uint32_t type, uint64_t random)
{
    double wide = draw_quarters(random >> 8);
    float narrow = (float)wide;
    uint64_t bits = 0;
    if (op == GRAVEL_PUT && random % 4 == 0)
        return odd_bits(type, random >> 8);
    if (type == GRAVEL_FLOAT)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &wide, sizeof wide);
    return bits;
}

/* The ends of the range, signed and unsigned, and anything between. */
static uint64_t integer_bits(uint32_t type, uint64_t random)
{
    uint64_t sign = GRAVEL_TYPE_BYTES(type) == 4 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    const uint64_t ends[] = {0, 1, UINT64_MAX, sign, sign - 1, sign + 1, random >> 3, random};
    uint64_t bits = ends[random % 8];
    return GRAVEL_TYPE_BYTES(type) == 4 ? (uint32_t)bits : bits;
}

static uint64_t value_bits(uint32_t op, uint32_t type, uint64_t random)
{
    return type >= GRAVEL_FLOAT ? real_bits(op, type, random) : integer_bits(type, random);
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
        /* Stores do not commute, and answers tell the order: each word has one. Of other messages many meet in few words. */
        bool is_alone = test->op == GRAVEL_PUT || test->op >= GRAVEL_PUT_SIGNAL;
        plan->indices[i] =
            is_alone ? origin * N_ITEMS + (i ^ 0x55) : (uint32_t)(draw(test, origin, i, 3) % 48);
    }
}

/* ---- what messages mean ---------------------------------------------------------------------- */

static bool is_less(uint32_t type, uint64_t a, uint64_t b)
{
    uint64_t sign = type == GRAVEL_INT    ? UINT64_C(1) << 31
                    : type == GRAVEL_LONG ? UINT64_C(1) << 63
                                          : 0;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t add_real(uint32_t type, uint64_t a, uint64_t b)
{
    float x, y;
    double u, v;
    uint64_t sum = 0;
    if (type == GRAVEL_FLOAT) {
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        x += y;
        memcpy(&sum, &x, sizeof x);
    } else {
        memcpy(&u, &a, sizeof u);
        memcpy(&v, &b, sizeof v);
        u += v;
        memcpy(&sum, &u, sizeof u);
    }
    return sum;
}

static uint64_t combine(uint32_t op, uint32_t type, uint64_t word, uint64_t value)
{
    switch (op) {
    case GRAVEL_PUT:
        return value;
    case GRAVEL_INC:
        return word + 1;
    case GRAVEL_ADD:
        return type >= GRAVEL_FLOAT ? add_real(type, word, value) : word + value;
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
