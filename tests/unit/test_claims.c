/* SPDX-License-Identifier: MIT */
/*
 * Locks by key: one holder a key, who waits gets it in order, and nothing of a key remains behind its last claim.
 *
 * Path: meson test -> this -> lib/serve/claims.c
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>

#include <cmocka.h>

#include "serve/claims.h"

#define N_CLAIMS 64u
#define N_KEYS 7u
#define N_STEPS 200000u

static struct gravel_claims claims;

static void first_claim_holds_and_the_next_follow_in_order(void **state)
{
    (void)state;
    struct gravel_claim one = {.key = 5}, two = {.key = 5}, three = {.key = 5}, other = {.key = 6};
    assert_true(gravel_claims_take(&claims, &one));
    assert_false(gravel_claims_take(&claims, &two));
    assert_true(gravel_claims_take(&claims, &other));
    assert_false(gravel_claims_take(&claims, &three));
    assert_ptr_equal(gravel_claims_holder(&claims, 5), &one);
    assert_ptr_equal(gravel_claims_release(&claims, &one), &two);
    assert_ptr_equal(gravel_claims_release(&claims, &two), &three);
    assert_null(gravel_claims_release(&claims, &three));
    assert_null(gravel_claims_holder(&claims, 5));
    assert_ptr_equal(gravel_claims_holder(&claims, 6), &other);
    assert_null(gravel_claims_release(&claims, &other));
}

static bool is_odd(void *n_asked, struct gravel_claim *claim)
{
    ++*(uint32_t *)n_asked;
    return claim->owner != NULL;
}

static void withdrawn_claims_are_passed_over(void **state)
{
    (void)state;
    struct gravel_claim all[6];
    uint32_t n_asked = 0;
    for (uint32_t i = 0; i < 6; i++) {
        all[i] = (struct gravel_claim){.key = 5, .owner = i % 2 ? all : NULL};
        assert_int_equal(gravel_claims_take(&claims, &all[i]), i == 0);
    }
    gravel_claims_withdraw(&claims, is_odd, &n_asked);
    assert_int_equal(n_asked, 5); /* not the holder */
    assert_ptr_equal(gravel_claims_release(&claims, &all[0]), &all[2]);
    assert_false(gravel_claims_take(&claims, &all[1]));
    assert_ptr_equal(gravel_claims_release(&claims, &all[2]), &all[4]);
    assert_ptr_equal(gravel_claims_release(&claims, &all[4]), &all[1]);
    assert_null(gravel_claims_release(&claims, &all[1]));
}

/* A line of claims for each key, kept apart. */
struct model {
    struct gravel_claim *line[N_KEYS][N_CLAIMS];
    uint32_t n[N_KEYS];
};

/* Keys that share buckets as well: they differ by what the hash does not see at random. */
static uint64_t key_of(uint32_t number)
{
    return (uint64_t)number << 40;
}

static void claim_or_release(struct model *model, struct gravel_claim *claim, bool *is_claimed)
{
    const uint32_t key = (uint32_t)rand() % N_KEYS;
    if (!*is_claimed) {
        claim->key = key_of(key);
        assert_int_equal(gravel_claims_take(&claims, claim), model->n[key] == 0);
        model->line[key][model->n[key]++] = claim;
        *is_claimed = true;
        return;
    }
    const uint32_t mine = (uint32_t)(claim->key >> 40);
    if (model->line[mine][0] != claim)
        return; /* it waits */
    struct gravel_claim *next = --model->n[mine] ? model->line[mine][1] : NULL;
    assert_ptr_equal(gravel_claims_release(&claims, claim), next);
    for (uint32_t i = 0; i < model->n[mine]; i++)
        model->line[mine][i] = model->line[mine][i + 1];
    *is_claimed = false;
}

static void claims_at_random_are_lines(void **state)
{
    (void)state;
    static struct model model;
    static struct gravel_claim all[N_CLAIMS];
    bool is_claimed[N_CLAIMS] = {false};
    srand(1);
    for (uint32_t step = 0; step < N_STEPS; step++) {
        const uint32_t i = (uint32_t)rand() % N_CLAIMS;
        claim_or_release(&model, &all[i], &is_claimed[i]);
        const uint32_t key = (uint32_t)rand() % N_KEYS;
        assert_ptr_equal(gravel_claims_holder(&claims, key_of(key)),
                         model.n[key] ? model.line[key][0] : NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_claim_holds_and_the_next_follow_in_order),
        cmocka_unit_test(withdrawn_claims_are_passed_over),
        cmocka_unit_test(claims_at_random_are_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
