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

uint64_t interpret(uint32_t op, uint32_t type, uint64_t word, uint64_t value)
{
    uint64_t result = combine(op, type, word, value);
    return GRAVEL_TYPE_BYTES(type) == 4 ? (uint32_t)result : result;
}

void interpret_plan(const struct test_case *test, const struct plan *plan, uint32_t node,
                    uint64_t *words)
{
    for (uint32_t i = 0; i < N_ITEMS; i++)
        if (plan->active[i] && plan->nodes[i] == node)
            words[plan->indices[i]] =
                interpret(test->op, test->type, words[plan->indices[i]], plan->bits[i]);
}
