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

#include "checker/race.h"
#include "keys.h"

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct keys *keys_make(const struct hrf_program *program, uint32_t models)
{
    struct keys *keys = calloc(1, sizeof *keys);
    assert_non_null(keys);
    keys->models = models;
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (models >> m & 1)
            assert_int_equal(hrf_orders_init(&keys->orders[m], program, &hrf_rules[m], false), 0);
    return keys;
}

void keys_free(struct keys *keys)
{
    for (int m = 0; m < HRF_N_MODELS; m++)
        hrf_orders_free(&keys->orders[m]);
    free(keys);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ (value + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Returns a key of what every event reads and where it stores, thread by thread. */
static uint64_t key_of(const struct hrf_execution *execution)
{
    uint64_t key = 1;
    for (uint32_t t = 0; t < execution->program->n_threads; t++)
        for (uint32_t e = 0; e < execution->n; e++) {
            const struct hrf_event *event = &execution->events[e];
            if (event->thread != t)
                continue;
            key = mix(key, t);
            key = mix(key, event->writes ? event->position : 0);
            if (event->reads && event->source >= 0) {
                const struct hrf_event *source = &execution->events[event->source];
                key = mix(key, 1u + source->thread * 64u + source->index);
            } else {
                key = mix(key, 0);
            }
        }
    return key;
}

bool keys_add(struct keys *keys, const struct hrf_execution *execution)
{
    uint32_t pair[2];
    if (keys->n == MAX_KEYS)
        return false;
    keys->key[keys->n++] = key_of(execution);
    for (int m = 0; m < HRF_N_MODELS; m++)
        if ((keys->models & ~keys->races) >> m & 1) {
            hrf_order(&keys->orders[m], execution);
            keys->races |= hrf_find_race(&keys->orders[m], pair) ? 1u << m : 0;
        }
    return true;
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
