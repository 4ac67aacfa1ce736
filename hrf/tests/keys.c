/* SPDX-License-Identifier: MIT */
/*
 * Keys of executions. See keys.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct keys *keys_make(const struct hrf_program *program)
{
    struct keys *keys = calloc(1, sizeof *keys);
    assert_non_null(keys);
    for (int m = 0; m < HRF_N_MODELS; m++)
        assert_int_equal(hrf_orders_init(&keys->orders[m], program, &hrf_rules[m], false), 0);
    return keys;
}

void keys_free(struct keys *keys)
{
    for (int m = 0; m < HRF_N_MODELS; m++)
        hrf_orders_free(&keys->orders[m]);
    free(keys);
}

uint32_t keys_settle(struct keys *keys)
{
    const uint32_t before = keys->n;
    uint32_t n = 0;
    qsort(keys->key, keys->n, sizeof *keys->key, compare_keys);
    for (uint32_t i = 0; i < keys->n; i++)
        if (!n || keys->key[n - 1] != keys->key[i])
            keys->key[n++] = keys->key[i];
    keys->n = n;
    return before;
}

void keys_expect_same(const struct keys *a, const struct keys *b, const char *what,
                      const char *text)
{
    if (a->n != b->n || memcmp(a->key, b->key, a->n * sizeof *a->key) || a->races != b->races)
        fail_msg("%s: %u and %u executions, races %x and %x:\n%s", what, a->n, b->n, a->races,
                 b->races, text);
}
