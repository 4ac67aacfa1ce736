/* SPDX-License-Identifier: MIT */
/*
 * Multiply two matrices, each node its own.
 *
 * As a flow: a product is a task, divided into seven as Strassen does, or into eight, until one work-group can do it. As a
 * plain kernel: tile by tile. Elements are small whole numbers, so that every sum of either division is exact in float,
 * and the check, the product by definition in whole numbers, is for equality.
 *
 * Path: main -> seven.cl, eight.cl or plain.cl
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"
#include "frame/random.h"

#include <gravel/channel.h>

#include "strassen.h"

#include <stdio.h>
#include <stdlib.h>

extern const char seven_cl[], eight_cl[], plain_cl[];

#define PART 1024u     /* elements whose sums one work-group makes */
#define MOST_PARTS 16u /* that a range divides itself into */

#define LARGEST 2 /* magnitude of an element */
#define OPTIONS_BYTES 128

struct app_strassen {
    struct options options;
    struct node node;
    bool is_plain;
    uint32_t n;      /* rows of a matrix */
    uint32_t base;   /* rows of a tile, which a work-group multiplies */
    uint32_t ways;   /* 7 or 8 */
    uint32_t levels; /* of divisions: n is base * 2^levels */
    float *drawn;    /* [2][n][n] a and b */
    cl_mem all;      /* a, b, c, and what the form needs */
    struct gravel_flow *flow;
    cl_kernel multiply; /* of the form without a flow */
};

/* The compiler's, for all programs. */
static void write_options(const struct app_strassen *app, char options[OPTIONS_BYTES])
{
    snprintf(options, OPTIONS_BYTES,
             "-DSIZE=%uu -DTILE=%uu -DLEVELS=%uu -DPART=%uu -DMOST_PARTS=%uu", app->n, app->base,
             app->levels, PART, MOST_PARTS);
}

/* ---- as a flow ------------------------------------------------------------------------------- */

/* Two matrices for each product below the first level. */
static uint64_t n_sums(const struct app_strassen *app)
{
    uint64_t n = 0, n_products = 7, n_each = (uint64_t)app->n * app->n / 4;
    if (app->is_plain || app->ways == 8)
        return 0;
    for (uint32_t level = 0; level < app->levels; level++, n_products *= 7, n_each /= 4)
        n += 2 * n_products * n_each;
    return n;
}

static struct gravel_flow *open_eight(struct app_strassen *app)
{
    const struct gravel_edge product[] = {{"product", 4}, {"leaf", 4}, {"second", 1}};
    const struct gravel_edge second[] = {{"product", 4}, {"leaf", 4}};
    const struct gravel_channel channels[] = {
        {"product", sizeof(struct product), GRAVEL_SPAWN, 0, 3, product},
        {"leaf", sizeof(struct leaf), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL},
        {"second", sizeof(struct second), GRAVEL_AFTER, 0, 2, second}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 3, .depth = app->levels + 1);
    return flow_open(&app->node, &graph);
}

/* Levels of ranges and parts below the first product, which is the largest. */
static uint32_t range_levels(const struct app_strassen *app)
{
    uint32_t levels = 1;
    for (uint64_t n = (uint64_t)app->n * app->n / 4; n > PART; n /= MOST_PARTS)
        levels++;
    return levels;
}

static struct gravel_flow *open_seven(struct app_strassen *app)
{
    uint32_t ranges = range_levels(app);
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
    const struct gravel_graph graph =
        GRAVEL_GRAPH(channels, 6, .depth = (app->levels > ranges ? app->levels : ranges) + 1);
    return flow_open(&app->node, &graph);
}

static void set_up_flow(void *self)
{
    struct app_strassen *app = self;
    bool is_seven = app->ways == 7;
    char options[OPTIONS_BYTES];
    write_options(app, options);
    app->flow = is_seven ? open_seven(app) : open_eight(app);
    TRY(gravel_flow_build(app->flow, "strassen.cl", is_seven ? seven_cl : eight_cl, options,
                          "strassen_flow"));
    FLOW_SET(app->flow, 2, cl_mem, app->all);
}

static void run_flow(void *self)
{
    struct app_strassen *app = self;
    uint32_t n = app->n, n_each = n * n;
    struct product whole = {0, n, n_each, n, 2 * n_each, n, 0};
    TRY(gravel_flow_push(app->flow, app->levels ? "product" : "leaf", &whole, 1));
    TRY(gravel_flow_run(app->flow));
}

/* ---- with a plain kernel --------------------------------------------------------------------- */

static void set_up_plain(void *self)
{
    struct app_strassen *app = self;
    char options[OPTIONS_BYTES];
    write_options(app, options);
    node_build(&app->node, "plain.cl", plain_cl, options);
    app->multiply = node_kernel_without_arena(&app->node, "multiply");
    NODE_SET(app->multiply, 0, cl_mem, app->all);
}

static void run_plain(void *self)
{
    struct app_strassen *app = self;
    size_t tiles = app->n / app->base, group = app->node.group_items;
    node_enqueue(&app->node, app->multiply, tiles * tiles * group, group);
    node_finish(&app->node);
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Rows of a matrix: BASE times a power of two (512)",
     OPTION_COUNT(struct app_strassen, n, 1, 4096)},
    {"base", 0, "ROWS", "Rows of a tile, which one work-group multiplies (16)",
     OPTION_COUNT(struct app_strassen, base, 1, 64)},
    {"ways", 0, "N", "Products that one is divided into: 7, Strassen's, or 8 (7)",
     OPTION_COUNT(struct app_strassen, ways, 7, 8)},
    FLOW_FORM_OPTION(struct app_strassen),
    {0}};

/* A sum of either operand is at most 2^levels elements' worth, and a sum of four products at most this. */
static bool is_exact(const struct app_strassen *app)
{
    uint64_t most = UINT64_C(4) * app->base * LARGEST * LARGEST << 2 * app->levels;
    return most <= UINT64_C(1) << 24;
}

static void divide(struct app_strassen *app)
{
    if (app->base & (app->base - 1))
        die("--base: %u is not a power of two", app->base);
    while (app->base << app->levels < app->n)
        app->levels++;
    if (app->base << app->levels != app->n)
        die("[N]: %u is not %u times a power of two", app->n, app->base);
    if (!is_exact(app))
        die("[N]: sums of %u divisions are not exact; a larger --base has fewer", app->levels);
}

static const struct flow_form *form_of(const struct app_strassen *app)
{
    static const struct flow_form forms[] = {{"flow", set_up_flow, run_flow},
                                             {"plain", set_up_plain, run_plain}};
    return &forms[app->is_plain];
}

static size_t matrix_elements(const struct app_strassen *app)
{
    return (size_t)app->n * app->n;
}

static void set_up(void *self)
{
    struct app_strassen *app = self;
    size_t n_drawn, bytes;
    divide(app);
    n_drawn = 2 * matrix_elements(app);
    if (n_drawn + matrix_elements(app) + n_sums(app) > UINT32_MAX)
        die("[N]: more than 2^32 elements in %u divisions; a larger --base has fewer", app->levels);
    node_open(&app->node, 0);
    uint64_t key = random_key(app->options.seed + app->node.number);
    app->drawn = malloc(n_drawn * sizeof *app->drawn);
    if (!app->drawn)
        die("no memory for matrices of %u rows", app->n);
    for (size_t i = 0; i < n_drawn; i++)
        app->drawn[i] = (float)(random_at(key, i) % (2 * LARGEST + 1)) - LARGEST;
    bytes = sizeof *app->drawn * (3 * matrix_elements(app) + n_sums(app));
    app->all = node_array(&app->node, bytes, NULL);
    form_of(app)->open(app);
}

/* a and b again; and c gets a's elements, of which few are those of the product. */
static void reset(void *self)
{
    struct app_strassen *app = self;
    size_t bytes = matrix_elements(app) * sizeof *app->drawn;
    node_write(&app->node, app->all, 0, 2 * bytes, app->drawn);
    node_write(&app->node, app->all, 2 * bytes, bytes, app->drawn);
}

static void run(void *self)
{
    form_of(self)->run(self);
}

static void describe(void *self, struct trials *trials)
{
    const struct app_strassen *app = self;
    double n = app->n;
    snprintf(trials->input, sizeof trials->input, "%u rows, base %u", app->n, app->base);
    snprintf(trials->variant, sizeof trials->variant, "%s",
             app->is_plain    ? "plain"
             : app->ways == 7 ? "7-way"
                              : "8-way");
    trials->work = 2 * n * n * n * app->node.n_processes;
    trials_add_number(trials, "n", app->n);
    trials_add_number(trials, "base", app->base);
    trials_add_number(trials, "ways", app->ways);
    trials_add_word(trials, "form", form_of(app)->name);
    flow_describe(app->flow, trials);
}

static void tell_result(void *self, struct trials *trials)
{
    const struct app_strassen *app = self;
    flow_tell(app->flow, trials);
}

/* c = a * b by definition, row by row. */
static void multiply(const struct app_strassen *app, int32_t *c)
{
    size_t n = app->n;
    const float *a = app->drawn, *b = a + n * n;
    for (size_t row = 0; row < n; row++)
        for (size_t k = 0; k < n; k++) {
            int32_t factor = (int32_t)a[row * n + k];
            for (size_t column = 0; column < n; column++)
                c[row * n + column] += factor * (int32_t)b[k * n + column];
        }
}

static uint64_t check(void *self, struct trials *trials)
{
    const struct app_strassen *app = self;
    size_t n = matrix_elements(app);
    int32_t *expected = calloc(n, sizeof *expected);
    float *all = malloc(3 * n * sizeof *all);
    uint64_t n_wrong = 0;
    if (!expected || !all)
        die("no memory for matrices of %u rows", app->n);
    node_read(&((struct app_strassen *)self)->node, app->all, 3 * n * sizeof *all, all);
    double begin = trials_clock();
    multiply(app, expected);
    flow_tell_serial(trials, trials_clock() - begin, trials->work / app->node.n_processes);
    for (size_t i = 0; i < n; i++)
        n_wrong += all[2 * n + i] != (float)expected[i];
    free(expected);
    free(all);
    return n_wrong;
}

static void close_all(void *self)
{
    struct app_strassen *app = self;
    free(app->drawn);
    flow_close(app->flow, &app->node);
}

static const struct app app = {.name = "strassen",
                               .unit = "flop/s",
                               .doc = "Multiply two matrices, every product a task of a "
                                      "channel-flow graph, or tile by tile with a plain kernel. "
                                      "Rates count 2 N^3 operations.",
                               .group_items = FLOW_GROUP,
                               .groups = {{"Problem:", 1, own_options, 0}},
                               APP_FIELDS(struct app_strassen),
                               .open = set_up,
                               .describe = describe,
                               .reset = reset,
                               .run = run,
                               .result = tell_result,
                               .check = check,
                               .checked = "elements",
                               .close = close_all};

int main(int argc, char **argv)
{
    struct app_strassen self = {.n = 512, .base = 16, .ways = 7};
    return app_main(&app, &self, argc, argv);
}
