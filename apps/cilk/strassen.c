/* SPDX-License-Identifier: MIT */
/*
 * Multiply two matrices, each node its own.
 *
 * The flow divides a product, which is a task, into seven as Strassen does, or into eight, until one work-group can do
 * it. The plain kernel goes tile by tile. Elements are small whole numbers, so that every sum of either division is
 * exact in float, and the check, the product by definition in whole numbers, is for equality.
 *
 * Path: cilk.c -> this -> seven.cl, eight.cl or tile.cl.h
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include <sys/types.h>

#include "cilk.h"
#include "frame/random.h"

#include <gravel/channel.h>

#include "strassen.h"

#include <stdio.h>
#include <stdlib.h>

extern const char seven_cl[], eight_cl[], tile_cl[];

#define PART 1024u     /* elements whose sums one work-group makes */
#define MOST_PARTS 16u /* that a range divides itself into */

#define LARGEST 2 /* magnitude of an element */
#define OPTIONS_BYTES 128

static struct own {
    struct cilk cilk;   /* n: rows of a matrix */
    uint32_t base;      /* rows of a tile, which a work-group multiplies */
    uint32_t ways;      /* 7 or 8 */
    uint32_t levels;    /* of divisions: n is base * 2^levels */
    float *drawn;       /* [2][n][n] a and b */
    int32_t *expected;  /* [n][n] */
    cl_mem all;         /* a, b, c, and what the form needs */
    cl_kernel multiply; /* of the form without a flow */
} own = {.cilk = {.n = 512}, .base = 16, .ways = 7};

static const struct app_option options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Rows of a matrix: BASE times a power of two (512)",
     OPTION_NUMBER(struct own, cilk.n, 1, 4096)},
    {"base", 0, "ROWS", "Rows of a tile, which one work-group multiplies (16)",
     OPTION_NUMBER(struct own, base, 1, 64)},
    {"ways", 0, "N", "Products that one is divided into: 7, Strassen's, or 8 (7)",
     OPTION_NUMBER(struct own, ways, 7, 8)},
    {0}};

/* ---- input ----------------------------------------------------------------------------------- */

/* Sets `levels`. A sum of either operand is at most 2^levels elements' worth; a float has whole numbers up to 2^24. */
static void divide(void)
{
    const uint32_t n = own.cilk.n;
    if (own.base & (own.base - 1))
        die("--base: %u is not a power of two", own.base);
    while (own.base << own.levels < n)
        own.levels++;
    if (own.base << own.levels != n)
        die("[N]: %u is not %u times a power of two", n, own.base);
    if (UINT64_C(4) * own.base * LARGEST * LARGEST << 2 * own.levels > UINT64_C(1) << 24)
        die("[N]: sums of %u divisions are not exact; a larger --base has fewer", own.levels);
}

/* Counts the elements of sums: seven ways have two matrices for each product below the first level. */
static uint64_t n_sums(void)
{
    uint64_t n = 0, n_products = 7, n_each = (uint64_t)own.cilk.n * own.cilk.n / 4;
    if (own.cilk.form == CILK_PLAIN || own.ways == 8)
        return 0;
    for (uint32_t level = 0; level < own.levels; level++, n_products *= 7, n_each /= 4)
        n += 2 * n_products * n_each;
    return n;
}

static size_t matrix_elements(void)
{
    return (size_t)own.cilk.n * own.cilk.n;
}

static void set_up(void)
{
    divide();
    const size_t n_drawn = 2 * matrix_elements(), n_all = n_drawn + matrix_elements() + n_sums();
    if (n_all > UINT32_MAX)
        die("[N]: more than 2^32 elements in %u divisions; a larger --base has fewer", own.levels);
    node_open(&own.cilk.node, 0);
    const uint64_t key = random_key(own.cilk.options.seed + own.cilk.node.number);
    own.drawn = app_array(n_drawn, sizeof *own.drawn, "elements");
    for (size_t i = 0; i < n_drawn; i++)
        own.drawn[i] = (float)(random_at(key, i) % (2 * LARGEST + 1)) - LARGEST;
    own.all = node_array(&own.cilk.node, n_all * sizeof *own.drawn, NULL);
}

/* Writes the compiler's options, for all programs. */
static void write_options(char defines[OPTIONS_BYTES])
{
    snprintf(defines, OPTIONS_BYTES,
             "-DSIZE=%uu -DTILE=%uu -DLEVELS=%uu -DPART=%uu -DMOST_PARTS=%uu%s", own.cilk.n,
             own.base, own.levels, PART, MOST_PARTS, own.cilk.form == CILK_PLAIN ? " -DPLAIN" : "");
}

/* ---- as a flow ------------------------------------------------------------------------------- */

static void open_eight(const char *defines)
{
    const struct gravel_edge product[] = {{"product", 4}, {"leaf", 4}, {"second", 1}};
    const struct gravel_edge second[] = {{"product", 4}, {"leaf", 4}};
    const struct gravel_channel channels[] = {
        {"product", sizeof(struct product), GRAVEL_SPAWN, 0, 3, product},
        {"leaf", sizeof(struct leaf), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL},
        {"second", sizeof(struct second), GRAVEL_AFTER, 0, 2, second}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 3, .depth = own.levels + 1);
    cilk_open_flow(&graph, "eight.cl", eight_cl, defines, "strassen_flow");
}

static void open_seven(const char *defines)
{
    uint32_t ranges =
        1; /* levels of ranges and parts below the first product, which is the largest */
    for (uint64_t n = matrix_elements() / 4; n > PART; n /= MOST_PARTS)
        ranges++;
    const struct gravel_edge product[] = {{"range", 1}, {"part", 1}, {"multiply", 1}};
    const struct gravel_edge multiply[] = {{"product", 7}, {"leaf", 7}, {"combine", 1}};
    const struct gravel_edge combine[] = {{"range", 1}, {"part", 1}};
    const struct gravel_edge range[] = {{"range", MOST_PARTS}, {"part", MOST_PARTS}};
    const struct gravel_channel channels[] = {
        {"product", sizeof(struct product), GRAVEL_SPAWN, 0, 3, product},
        {"leaf", sizeof(struct leaf), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL},
        {"multiply", sizeof(struct multiply), GRAVEL_AFTER, 0, 3, multiply},
        {"combine", sizeof(struct combine), GRAVEL_AFTER, 0, 2, combine},
        {"range", sizeof(struct range), GRAVEL_SPAWN, 0, 2, range},
        {"part", sizeof(struct part), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 6, .depth = (own.levels > ranges ? own.levels : ranges) + 1);
    cilk_open_flow(&graph, "seven.cl", seven_cl, defines, "strassen_flow");
}

static void set_up_flow(void)
{
    char defines[OPTIONS_BYTES];
    write_options(defines);
    if (own.ways == 7)
        open_seven(defines);
    else
        open_eight(defines);
    CILK_SET(2, cl_mem, own.all);
}

static void run_flow(void)
{
    uint32_t n = own.cilk.n, n_each = n * n;
    struct product whole = {0, n, n_each, n, 2 * n_each, n, 0};
    TRY(gravel_flow_push(own.cilk.flow, own.levels ? "product" : "leaf", &whole, 1));
    TRY(gravel_flow_run(own.cilk.flow));
}

/* ---- with a plain kernel --------------------------------------------------------------------- */

static void set_up_plain(void)
{
    char defines[OPTIONS_BYTES];
    write_options(defines);
    node_build(&own.cilk.node, "tile.cl.h", tile_cl, defines);
    own.multiply = node_kernel(&own.cilk.node, "multiply");
    NODE_SET(own.multiply, 0, ARRAY(own.all));
}

static void run_plain(void)
{
    size_t tiles = own.cilk.n / own.base, group = own.cilk.node.group_items;
    node_enqueue(&own.cilk.node, own.multiply, tiles * tiles * group, group);
    node_finish(&own.cilk.node);
}

/* ---- report and check ------------------------------------------------------------------------ */

/* Writes a and b again; and to c a's elements, of which few are those of the product. */
static void reset(void)
{
    size_t bytes = matrix_elements() * sizeof *own.drawn;
    node_write(&own.cilk.node, own.all, 0, 2 * bytes, own.drawn);
    node_write(&own.cilk.node, own.all, 2 * bytes, bytes, own.drawn);
}

static void describe(struct trials *trials)
{
    const double n = own.cilk.n;
    snprintf(trials->input, sizeof trials->input, "%u rows, base %u", own.cilk.n, own.base);
    if (own.cilk.form == CILK_FLOW)
        snprintf(trials->variant, sizeof trials->variant, "%u-way", own.ways);
    trials->work = 2 * n * n * n * own.cilk.node.n_processes;
    trials_add_number(trials, "base", own.base);
    trials_add_number(trials, "ways", own.ways);
}

/* c = a * b by definition, row by row. */
static void solve(void)
{
    size_t n = own.cilk.n;
    const float *a = own.drawn, *b = a + n * n;
    own.expected = app_array(n * n, sizeof *own.expected, "elements");
    for (size_t row = 0; row < n; row++)
        for (size_t k = 0; k < n; k++) {
            int32_t factor = (int32_t)a[row * n + k];
            for (size_t column = 0; column < n; column++)
                own.expected[row * n + column] += factor * (int32_t)b[k * n + column];
        }
}

static uint64_t count_wrong(void)
{
    size_t n = matrix_elements();
    float *all = app_array(3 * n, sizeof *all, "elements");
    uint64_t n_wrong = 0;
    node_read(&own.cilk.node, own.all, 3 * n * sizeof *all, all);
    for (size_t i = 0; i < n; i++)
        n_wrong += all[2 * n + i] != (float)own.expected[i];
    free(all);
    return n_wrong;
}

static void free_all(void)
{
    free(own.drawn);
    free(own.expected);
}

const struct cilk_program cilk_program = {.name = "strassen",
                                          .unit = "flop/s",
                                          .doc = "Multiply two matrices, every product a task of a "
                                                 "channel-flow graph, or tile by tile with a plain "
                                                 "kernel. Rates count 2 N^3 operations.",
                                          .options = options,
                                          .cilk = &own.cilk,
                                          .open = set_up,
                                          .forms[CILK_FLOW] = {set_up_flow, run_flow},
                                          .forms[CILK_PLAIN] = {set_up_plain, run_plain},
                                          .describe = describe,
                                          .reset = reset,
                                          .solve = solve,
                                          .count_wrong = count_wrong,
                                          .close = free_all};
