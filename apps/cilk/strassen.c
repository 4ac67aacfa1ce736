/* SPDX-License-Identifier: MIT */
/*
 * Multiply two matrices, each node its own.
 *
 * Elements are small whole numbers, so that every sum is exact in float, and the check, the product by definition in whole
 * numbers, is for equality.
 *
 * Path: cilk.c -> this -> strassen.cl
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include "cilk.h"
#include "frame/random.h"

#include <stdio.h>
#include <stdlib.h>

extern const char strassen_cl[];

#define TILE 16u  /* rows of a tile, which a work-group multiplies */
#define LARGEST 2 /* magnitude of an element; sums of 4096 products stay below 2^24 */

static struct own {
    struct cilk cilk;   /* n: rows of a matrix */
    uint32_t levels;    /* of divisions: n is TILE * 2^levels */
    float *drawn;       /* [2][n][n] a and b */
    cl_mem all;         /* [3][n][n] a, b and c */
    cl_kernel multiply; /* of the form without a flow */
} own = {.cilk = {.n = 512}};

static const struct app_option options[] = {{"[N]", OPTION_ARGUMENT, NULL,
                                             "Rows of a matrix: 16 times a power of two (512)",
                                             OPTION_NUMBER(struct own, cilk.n, 1, 4096)},
                                            {0}};

static size_t n_elements(void)
{
    return (size_t)own.cilk.n * own.cilk.n;
}

static size_t n_bytes(void)
{
    return n_elements() * sizeof *own.drawn;
}

static void set_up(void)
{
    while (TILE << own.levels < own.cilk.n)
        own.levels++;
    if (TILE << own.levels != own.cilk.n)
        die("[N]: %u is not %u times a power of two", own.cilk.n, TILE);
    node_open(&own.cilk.node, 0);
    const uint64_t key = random_key(own.cilk.options.seed + own.cilk.node.number);
    own.drawn = app_array(2 * n_elements(), sizeof *own.drawn, "elements");
    for (size_t i = 0; i < 2 * n_elements(); i++)
        own.drawn[i] = (float)(random_at(key, i) % (2 * LARGEST + 1)) - LARGEST;
    own.all = node_array(&own.cilk.node, 3 * n_bytes(), NULL);
    node_write(&own.cilk.node, own.all, 0, 2 * n_bytes(), own.drawn);
}

/* Returns the compiler's options, for both forms. */
static const char *defines(void)
{
    static char text[96];
    snprintf(text, sizeof text, "-DSIZE=%uu -DTILE=%uu -DLEVELS=%uu%s", own.cilk.n, TILE,
             own.levels, own.cilk.form ? " -DPLAIN" : "");
    return text;
}

/* ---- as a flow ------------------------------------------------------------------------------- */

static void set_up_flow(void)
{
    const struct gravel_edge product[] = {{"product", 4}, {"leaf", 4}, {"second", 1}};
    const struct gravel_edge second[] = {{"product", 4}, {"leaf", 4}};
    const struct gravel_channel channels[] = {
        {"product", sizeof(struct product), GRAVEL_SPAWN, 0, 3, product},
        {"leaf", sizeof(struct leaf), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL},
        {"second", sizeof(struct second), GRAVEL_AFTER, 0, 2, second}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 3, .depth = own.levels + 1);
    cilk_open_flow(&graph, strassen_cl, defines());
    CILK_SET(2, cl_mem, own.all);
}

static void run_flow(void)
{
    const uint32_t n = (uint32_t)n_elements();
    const struct product whole = {.a = 0, .b = n, .c = 2 * n};
    TRY(gravel_flow_push(own.cilk.flow, own.levels ? "product" : "leaf", &whole, 1));
    TRY(gravel_flow_run(own.cilk.flow));
}

/* ---- with a plain kernel --------------------------------------------------------------------- */

static void set_up_plain(void)
{
    node_build(&own.cilk.node, "strassen.cl", strassen_cl, defines());
    own.multiply = node_kernel(&own.cilk.node, "multiply");
    NODE_SET(own.multiply, 0, ARRAY(own.all));
}

static void run_plain(void)
{
    size_t tiles = own.cilk.n / TILE, group = own.cilk.node.group_items;
    node_enqueue(&own.cilk.node, own.multiply, tiles * tiles * group, group);
    node_finish(&own.cilk.node);
}

/* ---- report and check ------------------------------------------------------------------------ */

/* Writes to c a's elements, of which few are those of the product. */
static void reset(void)
{
    node_write(&own.cilk.node, own.all, 2 * n_bytes(), n_bytes(), own.drawn);
}

static void describe(struct trials *trials)
{
    const double n = own.cilk.n;
    snprintf(trials->input, sizeof trials->input, "%u rows", own.cilk.n);
    trials->work = 2 * n * n * n * own.cilk.node.n_processes;
}

/* Compares with a * b by definition, row by row. */
static uint64_t check(void)
{
    const size_t n = own.cilk.n;
    const float *a = own.drawn, *b = a + n * n;
    float *all = app_array(3 * n * n, sizeof *all, "elements");
    int32_t *sums = app_array(n, sizeof *sums, "elements");
    uint64_t n_wrong = 0;
    node_read(&own.cilk.node, own.all, 3 * n_bytes(), all);
    for (size_t row = 0; row < n; row++) {
        for (size_t column = 0; column < n; column++)
            sums[column] = 0;
        for (size_t k = 0; k < n; k++)
            for (size_t column = 0; column < n; column++)
                sums[column] += (int32_t)a[row * n + k] * (int32_t)b[k * n + column];
        for (size_t column = 0; column < n; column++)
            n_wrong += all[(2 * n + row) * n + column] != (float)sums[column];
    }
    free(sums);
    free(all);
    return n_wrong;
}

const struct cilk_program cilk_program = {.name = "strassen",
                                          .unit = "flop/s",
                                          .doc = "Multiply two matrices, every product a task of a "
                                                 "channel-flow graph, or tile by tile with a plain "
                                                 "kernel. Rates count 2 N^3 operations.",
                                          .options = options,
                                          .cilk = &own.cilk,
                                          .open = set_up,
                                          .flow = {set_up_flow, run_flow},
                                          .plain = {set_up_plain, run_plain},
                                          .reset = reset,
                                          .describe = describe,
                                          .check = check};
