/* SPDX-License-Identifier: MIT */
/*
 * Sort random keys of 32 bits, each node its own.
 *
 * Path: cilk.c -> this -> sort.cl
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include "cilk.h"
#include "frame/random.h"

#include <stdio.h>
#include <stdlib.h>

extern const char sort_cl[];

#define PER_ITEM 8u /* keys that a work-item merges */

static struct own {
    struct cilk cilk; /* base: keys that a work-group sorts by rank */
    uint32_t levels;  /* of splits */
    uint32_t *drawn;  /* [n] */
    cl_mem input;     /* [n] the same on the device */
    cl_mem keys;      /* [n] the result of a trial */
    cl_mem spare;     /* [n] */
} own = {.cilk = {.n = 1000000, .base = 64}};

static const struct app_option options[] = {{"[N]", OPTION_ARGUMENT, NULL, "Keys (1000000)",
                                             OPTION_NUMBER(struct own, cilk.n, 1, 1u << 30)},
                                            {"base", 0, "KEYS",
                                             "Keys that one work-group sorts by rank (64)",
                                             OPTION_NUMBER(struct own, cilk.base, 1, 1024)},
                                            {0}};

/* Keys that a work-group merges. */
static uint32_t block_keys(void)
{
    return PER_ITEM * own.cilk.node.group_items;
}

static size_t n_bytes(void)
{
    return own.cilk.n * sizeof *own.drawn;
}

static void set_up(void)
{
    struct node *node = &own.cilk.node;
    node_open(node, 0);
    const uint64_t key = random_key(own.cilk.options.seed + node->number);
    own.drawn = app_array(own.cilk.n, sizeof *own.drawn, "keys");
    for (uint32_t i = 0; i < own.cilk.n; i++)
        own.drawn[i] = (uint32_t)random_at(key, i);
    own.input = node_array(node, n_bytes(), own.drawn);
    own.keys = node_array(node, n_bytes(), NULL);
    own.spare = node_array(node, n_bytes(), NULL);
}

/* ---- as a flow ------------------------------------------------------------------------------- */

/* Returns how often n keys are halved until a part has `most`. */
static uint32_t halvings(uint32_t n, uint32_t most)
{
    uint32_t levels = 0;
    for (; n > most; n = n / 2 + n % 2)
        levels++;
    return levels;
}

static void set_up_flow(void)
{
    /* Levels of tasks: of splits and a leaf, or of the merges that follow the first split. */
    const uint32_t merges = 1 + halvings(own.cilk.n, block_keys());
    const uint32_t base = own.cilk.base < block_keys() ? own.cilk.base : block_keys();
    own.levels = halvings(own.cilk.n, base);
    const struct gravel_edge split[] = {{"split", 2}, {"block", 2}, {"both", 1}};
    const struct gravel_edge both[] = {{"merge", 1}, {"join", 1}};
    const struct gravel_edge merge[] = {{"merge", 2}, {"join", 2}};
    const struct gravel_channel channels[] = {
        {"split", sizeof(struct split), GRAVEL_SPAWN, 0, 3, split},
        {"block", sizeof(struct block), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL},
        {"both", sizeof(struct both), GRAVEL_AFTER, 0, 2, both},
        {"merge", sizeof(struct merge), GRAVEL_SPAWN, 0, 2, merge},
        {"join", sizeof(struct join), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 5, .depth = (own.levels > merges ? own.levels : merges) + 2);
    char defines[96];
    snprintf(defines, sizeof defines, "-DPER_ITEM=%u -DBLOCK=%u -DLEVELS=%u", PER_ITEM,
             block_keys(), own.levels);
    cilk_open_flow(&graph, sort_cl, defines);
    CILK_SET(2, cl_mem, own.input);
    CILK_SET(3, cl_mem, own.keys);
    CILK_SET(4, cl_mem, own.spare);
}

static void run_flow(void)
{
    const struct split all = {0, own.cilk.n};
    TRY(gravel_flow_push(own.cilk.flow, own.levels ? "split" : "block", &all, 1));
    TRY(gravel_flow_run(own.cilk.flow));
}

/* ---- report and check ------------------------------------------------------------------------ */

static void reset(void)
{
    node_fill(&own.cilk.node, own.keys, 0, n_bytes() < 64 ? n_bytes() : 64);
}

static void describe(struct trials *trials)
{
    snprintf(trials->input, sizeof trials->input, "%u keys, base %u", own.cilk.n, own.cilk.base);
    trials->work = (double)own.cilk.node.n_processes * own.cilk.n;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint64_t check(void)
{
    uint32_t *keys = app_array(own.cilk.n, sizeof *keys, "keys");
    uint64_t n_wrong = 0;
    qsort(own.drawn, own.cilk.n, sizeof *own.drawn, compare);
    node_read(&own.cilk.node, own.keys, n_bytes(), keys);
    for (uint32_t i = 0; i < own.cilk.n; i++)
        n_wrong += keys[i] != own.drawn[i];
    free(keys);
    return n_wrong;
}

const struct cilk_program cilk_program = {.name = "sort",
                                          .unit = "keys/s",
                                          .doc = "Sort random keys by merging, every part of them "
                                                 "a task of a channel-flow graph.",
                                          .options = options,
                                          .cilk = &own.cilk,
                                          .open = set_up,
                                          .flow = {set_up_flow, run_flow},
                                          .reset = reset,
                                          .describe = describe,
                                          .check = check};
