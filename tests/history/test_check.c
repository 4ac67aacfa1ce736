/* SPDX-License-Identifier: MIT */
/*
 * The checker of histories: it accepts what nodes do that keep the promises, and rejects what nodes do that break one.
 *
 * Path: meson test -> this -> generate.c, simulate.c -> order.c, check.c, shrink.c
 */
#include "cases.h"
#include "simulate.h"

#include <stdio.h>

/* ---- by hand ----------------------------------------------------------------------------------- */

/* Two nodes; rank 0's group 0 sends to node 1, and rank 1's launch 1 looks. */
static struct history by_hand;

static struct event *add(struct event event)
{
    by_hand.events[by_hand.n_events] = event;
    return &by_hand.events[by_hand.n_events++];
}

static void start(void)
{
    by_hand = (struct history){.n_nodes = 2, .n_origins = 2, .n_launches = 2};
    for (uint32_t node = 0; node < 2; node++)
        for (uint32_t cell = 0; cell < HISTORY_CELLS; cell++)
            by_hand.last[node][cell] = cell_first(cell);
}

static struct event sent(uint32_t step, uint32_t op, uint32_t cell, uint64_t value)
{
    return (struct event){.step = (uint8_t)step,
                          .op = (uint8_t)op,
                          .type = (uint8_t)history_cells[cell].type,
                          .node = 1,
                          .cell = (uint8_t)cell,
                          .value = value};
}

static struct event answered(struct event event, uint64_t seen)
{
    event.seen = seen;
    event.n_seen = 1;
    return event;
}

/* A look at word 0, for the flag that word 1's put raises, behind word 0's. */
static bool is_accepted_if_a_look_sees(uint64_t seen)
{
    start();
    add(sent(0, GRAVEL_PUT, 0, 7));
    add(sent(1, GRAVEL_PUT_SIGNAL, 1, 8));
    struct event look = answered(sent(0, HISTORY_LOOK, 0, 0), seen);
    look.origin = look.launch = 1;
    look.of_step = 1;
    add(look);
    by_hand.last[1][0] = 7;
    by_hand.last[1][1] = 8;
    return !check_history(&by_hand).is_wrong;
}

TEST(a_flag_behind_its_data_is_accepted)
{
    assert_true(is_accepted_if_a_look_sees(7));
}

TEST(a_flag_before_its_data_is_a_circle)
{
    assert_false(is_accepted_if_a_look_sees(0));
    struct verdict verdict = check_history(&by_hand);
    assert_int_equal(verdict.n_cycle, 2);
    assert_string_equal(verdict.reasons[0], "the flag that was waited for");
    assert_string_equal(verdict.reasons[1], "it was not seen");
}

/* ---- many -------------------------------------------------------------------------------------- */

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

static uint32_t n_found(enum fault fault, uint32_t n)
{
    struct simulation simulation = {fault, 1};
    uint32_t n_wrong = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        draw(seed);
        simulate(&history, &simulation);
        n_wrong += check_history(&history).is_wrong;
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
