/* SPDX-License-Identifier: MIT */
/*
 * Graphs from a seed, sound ones: a few channels of each kind, edges that raise the level or go forward, some that feed
 * themselves.
 *
 * Path: flow_ledger.c -> flow_program.h -> this -> gravel/flow.h
 */
#ifndef TESTS_RANDOM_GRAPH_H
#define TESTS_RANDOM_GRAPH_H

#include "gravel/flow.h"

#include <stdio.h>
#include <string.h>

#define RANDOM_MOST 10u /* channels */

struct random_graph {
    char names[RANDOM_MOST][8];
    struct gravel_edge edges[RANDOM_MOST][RANDOM_MOST];
    struct gravel_channel channels[RANDOM_MOST];
    struct gravel_channel_graph graph;
    uint64_t seed;
};

static inline uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 33) % n);
}

/* Edges of channel c: streams forward to later streams and outputs, all into tasks; stacks also among themselves. */
static inline void random_edges(struct random_graph *random, uint32_t c, uint32_t n)
{
    struct gravel_channel *from = &random->channels[c];
    bool is_stack = from->kind == GRAVEL_SPAWN || from->kind == GRAVEL_AFTER;
    if (from->kind == GRAVEL_OUTPUT)
        return;
    for (uint32_t into = 0; into < n; into++) {
        uint32_t kind = random->channels[into].kind;
        uint32_t most = 1 + random_below(&random->seed, 4);
        bool is_flat = kind == GRAVEL_STREAM || kind == GRAVEL_OUTPUT;
        bool is_sound = kind == GRAVEL_SPAWN         ? is_stack
                        : is_flat                    ? is_stack || into > c
                        : from->kind == GRAVEL_SPAWN ? true
                                                     : is_stack && into > c;
        if (into == c && (kind == GRAVEL_STREAM || kind == GRAVEL_AFTER)) {
            is_sound = true;
            most = 1;
        }
        if (is_sound && random_below(&random->seed, 2))
            random->edges[c][from->n_into++] = (struct gravel_edge){random->names[into], most};
    }
    from->into = random->edges[c];
}

/* @param width  0: to be derived. */
static inline void random_graph_make(struct random_graph *random, uint64_t seed)
{
    memset(random, 0, sizeof *random);
    random->seed = seed * 2 + 1;
    random_below(&random->seed, 2);
    uint32_t n = 1 + random_below(&random->seed, RANDOM_MOST);
    for (uint32_t c = 0; c < n; c++) {
        snprintf(random->names[c], sizeof random->names[c], "c%u", c);
        random->channels[c] =
            (struct gravel_channel){.name = random->names[c],
                                    .record_bytes = 4 + 4 * random_below(&random->seed, 4),
                                    .kind = random_below(&random->seed, 4)};
    }
    for (uint32_t c = 0; c < n; c++)
        random_edges(random, c, n);
    random->graph = (struct gravel_channel_graph)GRAVEL_CHANNEL_GRAPH(
        random->channels, n, .depth = 1 + random_below(&random->seed, 6));
}

/* Some streams that other channels feed are held, by random numbers of their own: all else of the graph is as without. */
static inline void random_holds(struct random_graph *random, uint64_t seed)
{
    uint64_t own = seed * 5 + 3;
    for (uint32_t c = 0; c < random->graph.n_channels; c++) {
        bool is_fed = false, feeds_itself = false;
        for (uint32_t from = 0; from < random->graph.n_channels; from++)
            for (uint32_t e = 0; e < random->channels[from].n_into; e++)
                if (random->edges[from][e].into == random->names[c])
                    *(from == c ? &feeds_itself : &is_fed) = true;
        if (random->channels[c].kind == GRAVEL_STREAM && is_fed && !feeds_itself &&
            random_below(&own, 4))
            random->channels[c].kind = GRAVEL_HELD;
    }
}

#endif
