/* SPDX-License-Identifier: MIT */
/*
 * The program of a random graph whose nodes keep books (flow_ledger.c): each element books its number, and splits its
 * fuel among elements of its channel's edges. Elements of held channels wait for none to two arrivals, which their maker
 * makes.
 *
 * Path: flow_ledger.c -> this -> random_graph.h
 */
#ifndef TESTS_FLOW_PROGRAM_H
#define TESTS_FLOW_PROGRAM_H

#include "random_graph.h"

#include <stdbool.h>

/* Words of each record; some have more behind them. */
struct element {
    uint32_t number, check, fuel;
    gravel_slot to;
    uint32_t got;
};
#define ELEMENT_WORDS 5u
#define MOST_WORDS (ELEMENT_WORDS + 3u)

static inline uint32_t kind_of(const struct random_graph *random, uint32_t c)
{
    return random->channels[c].kind;
}

static inline bool is_stack(const struct random_graph *random, uint32_t c)
{
    return kind_of(random, c) == GRAVEL_SPAWN || kind_of(random, c) == GRAVEL_AFTER;
}

static inline uint32_t find_channel(const struct random_graph *random, const char *name)
{
    uint32_t c = 0;
    while (strcmp(random->channels[c].name, name) != 0)
        c++;
    return c;
}

static inline uint32_t n_words(const struct random_graph *random, uint32_t c)
{
    return random->channels[c].record_bytes / 4;
}

/** The text, whose kernel is `ledger`; the caller frees it. */
char *flow_program_write(const struct random_graph *random, uint64_t seed);

#endif
