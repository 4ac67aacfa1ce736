/* SPDX-License-Identifier: MIT */
/*
 * The serial interpreter. See interpret.h.
 */
#include "interpret.h"

#include "support.h"

#include <string.h>

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

/* The bits of a word after one message. */
static uint64_t interpret(uint32_t op, uint32_t type, uint64_t word, uint64_t value)
{
    uint64_t result = combine(op, type, word, value);
    return GRAVEL_TYPE_BYTES(type) == 4 ? (uint32_t)result : result;
}

uint64_t interpret_expected(const struct test_case *test, const struct plan *plan, uint32_t i)
{
    const uint64_t first = plan_first_bits(test, plan->nodes[i], plan->indices[i]);
    return i % 2 ? first : (uint32_t)(first + 1 + i);
}

/* What a word becomes by message i. */
static uint64_t become(const struct test_case *test, const struct plan *plan, uint32_t i,
                       uint64_t word)
{
    switch (test->op) {
    case GRAVEL_GET:
        return word;
    case GRAVEL_CAS:
        return word == interpret_expected(test, plan, i) ? plan->bits[i] : word;
    case GRAVEL_SWAP:
    case GRAVEL_PUT_SIGNAL:
        return plan->bits[i];
    default:
        return interpret(test->op & ~GRAVEL_FETCH, test->type, word, plan->bits[i]);
    }
}

void interpret_plan(const struct test_case *test, const struct plan *plan, uint32_t node,
                    uint64_t *words)
{
    for (uint32_t i = 0; i < N_ITEMS; i++)
        if (plan->active[i] && plan->nodes[i] == node)
            words[plan->indices[i]] = become(test, plan, i, words[plan->indices[i]]);
}
