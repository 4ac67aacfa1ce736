/* SPDX-License-Identifier: MIT */
/*
 * The checker of histories: it accepts what nodes do that keep the promises, and rejects what nodes do that break one.
 *
 * Path: meson test -> this -> generate.c, simulate.c -> order.c, check.c, shrink.c
 */
#include "cases.h"
#include "simulate.h"

#include <stdio.h>

static const char *const fault_names[N_FAULTS] = {
    "none",      "overtakes",    "loses",       "twice",        "fence early",   "quiet early",
    "wrong old", "signal early", "answer late", "handled late", "barrier early", "block twice"};

static struct history history;

static void draw(uint64_t seed)
{
    history.seed = seed;
    history.n_nodes = 1 + seed % HISTORY_NODES;
    history.n_origins = seed % 3 ? history.n_nodes : 1;
    history.kernels_wait = seed % 5 != 0;
    history.handlers_look = seed % 7 != 0;
    history.asks = seed % 2;
    generate_history(&history);
}

TEST(promises_kept_are_accepted)
{
    struct simulation simulation = {NO_FAULT, 1};
    uint32_t n_open = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        draw(seed);
        simulate(&history, &simulation);
        struct verdict verdict = check_history(&history);
        if (verdict.is_wrong)
            print_history(&history, &verdict);
        assert_false(verdict.is_wrong);
        n_open += verdict.is_open;
    }
    printf("# 200 histories, %u undecided\n", n_open);
    assert_in_range(n_open, 0, 2);
}

static uint32_t n_circles; /* that were found, each with its reasons */

static uint32_t n_found(enum fault fault, uint32_t n)
{
    struct simulation simulation = {fault, 1};
    uint32_t n_wrong = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        draw(seed);
        simulate(&history, &simulation);
        const struct verdict verdict = check_history(&history);
        n_wrong += verdict.is_wrong;
        n_circles += verdict.n_cycle > 1 && verdict.reasons[0] && verdict.reasons[1];
    }
    return n_wrong;
}

TEST(promises_broken_are_found)
{
    for (uint32_t fault = NO_FAULT + 1; fault < N_FAULTS; fault++) {
        uint32_t n = n_found((enum fault)fault, 100);
        printf("# %s: found in %u of 100 histories\n", fault_names[fault], n);
        assert_in_range(n, 5, 100);
    }
    assert_in_range(n_circles, 50, UINT32_MAX);
}

TEST(what_fails_is_made_small)
{
    struct simulation simulation = {OVERTAKES, 1};
    struct verdict verdict = {.is_wrong = false};
    for (uint64_t seed = 1; !verdict.is_wrong; seed++) {
        draw(seed);
        simulate(&history, &simulation);
        verdict = check_history(&history);
    }
    verdict = shrink_history(&history, verdict, simulate, &simulation);
    print_history(&history, &verdict);
    assert_true(verdict.is_wrong);
    assert_in_range(history.n_events, 2, 4);
}
