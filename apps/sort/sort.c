/* SPDX-License-Identifier: MIT */
/*
 * Sort random keys of 32 bits, each node its own.
 *
 * As a flow: Cilk's merge sort, in which a part of the keys is a task until one work-group can sort it, and a merge is
 * a task until one work-group can do it. As plain kernels: passes over all keys. The check is qsort.
 *
 * Path: main -> graph.c, sort.cl or plain.cl
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"
#include "frame/random.h"

#include "graph.h"
#include "sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char sort_cl[], plain_cl[];

struct app_sort {
    struct options options;
    struct node node;
    bool is_plain;
    uint32_t n;
    uint32_t base;   /* keys that a work-group sorts by rank */
    uint32_t *drawn; /* [n] */
    cl_mem input;    /* [n] the same on the device */
    cl_mem keys;     /* [n] the result of a trial */
    cl_mem spare;    /* [n] */
    struct gravel_flow *flow;
    cl_kernel sort_blocks, merge_runs; /* of the form without a flow */
};

static struct sort_size sort_size_of(const struct app_sort *app)
{
    return (struct sort_size){app->n, app->base, app->node.group_items};
}

/* ---- as a flow ------------------------------------------------------------------------------- */

static void set_up_flow(void *self)
{
    struct app_sort *app = self;
    const struct sort_size size = sort_size_of(app);
    const struct gravel_graph graph = sort_graph(&size);
    char options[SORT_OPTIONS_BYTES];
    sort_write_options(&size, options);
    app->flow = flow_open(&app->node, &graph);
    TRY(gravel_flow_build(app->flow, "sort.cl", sort_cl, options, "sort_flow"));
    FLOW_SET(app->flow, 2, cl_mem, app->input);
    FLOW_SET(app->flow, 3, cl_mem, app->keys);
    FLOW_SET(app->flow, 4, cl_mem, app->spare);
}

static void run_flow(void *self)
{
    struct app_sort *app = self;
    struct split all = {0, app->n};
    TRY(gravel_flow_push(app->flow, "split", &all, 1));
    TRY(gravel_flow_run(app->flow));
}

/* ---- with plain kernels ---------------------------------------------------------------------- */

static void set_up_plain(void *self)
{
    struct app_sort *app = self;
    const struct sort_size size = sort_size_of(app);
    char options[SORT_OPTIONS_BYTES];
    sort_write_options(&size, options);
    node_build(&app->node, "plain.cl", plain_cl, options);
    app->sort_blocks = node_kernel_without_arena(&app->node, "sort_blocks");
    app->merge_runs = node_kernel_without_arena(&app->node, "merge_runs");
    NODE_SET(app->sort_blocks, 0, cl_mem, app->input);
    NODE_SET(app->sort_blocks, 2, cl_uint, app->n);
    NODE_SET(app->merge_runs, 2, cl_uint, app->n);
}

static void enqueue_groups(struct app_sort *app, cl_kernel kernel, uint64_t n_groups)
{
    size_t group = app->node.group_items;
    node_enqueue(&app->node, kernel, n_groups * group, group);
}

static void merge_all(struct app_sort *app, cl_mem from, cl_mem to, uint32_t run)
{
    const struct sort_size size = sort_size_of(app);
    uint64_t both = 2 * (uint64_t)run, block = sort_block_keys(&size);
    uint64_t n_pairs = (app->n + both - 1) / both, n_blocks = (both + block - 1) / block;
    NODE_SET_ARRAYS(app->merge_runs, 0, from, to);
    NODE_SET(app->merge_runs, 3, cl_uint, run);
    enqueue_groups(app, app->merge_runs, n_pairs * n_blocks);
}

/* The last pass ends in the array of keys. */
static void run_plain(void *self)
{
    struct app_sort *app = self;
    uint32_t n_passes = 0;
    while ((uint64_t)app->base << n_passes < app->n)
        n_passes++;
    cl_mem arrays[2] = {app->keys, app->spare};
    NODE_SET(app->sort_blocks, 1, cl_mem, arrays[n_passes % 2]);
    enqueue_groups(app, app->sort_blocks, (app->n + app->base - 1) / app->base);
    for (uint32_t pass = 0; pass < n_passes; pass++)
        merge_all(app, arrays[(n_passes - pass) % 2], arrays[(n_passes - pass + 1) % 2],
                  app->base << pass);
    node_finish(&app->node);
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Keys (1000000)", OPTION_COUNT(struct app_sort, n, 1, 1u << 30)},
    {"base", 0, "KEYS", "Keys that one work-group sorts by rank (64)",
     OPTION_COUNT(struct app_sort, base, 1, 1024)},
    FLOW_FORM_OPTION(struct app_sort),
    {0}};

static const struct flow_form *form_of(const struct app_sort *app)
{
    static const struct flow_form forms[] = {{"flow", set_up_flow, run_flow},
                                             {"plain", set_up_plain, run_plain}};
    return &forms[app->is_plain];
}

static void set_up(void *self)
{
    struct app_sort *app = self;
    size_t bytes = app->n * sizeof *app->drawn;
    uint64_t key;
    node_open(&app->node, 0);
    key = random_key(app->options.seed + app->node.number);
    app->drawn = malloc(bytes);
    if (!app->drawn)
        die("no memory for %u keys", app->n);
    for (uint32_t i = 0; i < app->n; i++)
        app->drawn[i] = (uint32_t)random_at(key, i);
    app->input = node_array(&app->node, bytes, app->drawn);
    app->keys = node_array(&app->node, bytes, NULL);
    app->spare = node_array(&app->node, bytes, NULL);
    form_of(app)->open(app);
}

static void reset(void *self)
{
    struct app_sort *app = self;
    node_clear(&app->node, app->keys, app->n < 16 ? 4 * app->n : 64);
}

static void run(void *self)
{
    form_of(self)->run(self);
}

static void describe(void *self, struct trials *trials)
{
    const struct app_sort *app = self;
    snprintf(trials->input, sizeof trials->input, "%u keys, base %u", app->n, app->base);
    snprintf(trials->variant, sizeof trials->variant, "%s", form_of(app)->name);
    trials->work = (double)app->node.n_processes * app->n;
    trials_add_number(trials, "n", app->n);
    trials_add_number(trials, "base", app->base);
    trials_add_word(trials, "form", form_of(app)->name);
    flow_describe(app->flow, trials);
}

static void tell_result(void *self, struct trials *trials)
{
    const struct app_sort *app = self;
    flow_tell(app->flow, trials);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct app_sort *app = self;
    size_t bytes = app->n * sizeof *app->drawn;
    uint32_t *keys = malloc(bytes);
    uint64_t n_wrong = 0;
    if (!keys)
        die("no memory for %u keys", app->n);
    node_read(&app->node, app->keys, bytes, keys);
    double begin = trials_clock();
    qsort(app->drawn, app->n, sizeof *app->drawn, compare);
    flow_tell_serial(trials, trials_clock() - begin, app->n);
    for (uint32_t i = 0; i < app->n; i++)
        n_wrong += keys[i] != app->drawn[i];
    free(keys);
    return n_wrong;
}

static void close_all(void *self)
{
    struct app_sort *app = self;
    free(app->drawn);
    flow_close(app->flow, &app->node);
}

static const struct app app = {.name = "sort",
                               .unit = "keys/s",
                               .doc = "Sort random keys by merging, every part of them a task of a "
                                      "channel-flow graph, or pass by pass with plain kernels.",
                               .group_items = FLOW_GROUP,
                               .groups = {{"Problem:", 1, own_options, 0}},
                               APP_FIELDS(struct app_sort),
                               .open = set_up,
                               .describe = describe,
                               .reset = reset,
                               .run = run,
                               .result = tell_result,
                               .check = check,
                               .checked = "keys",
                               .close = close_all};

int main(int argc, char **argv)
{
    struct app_sort self = {.n = 1000000, .base = 64};
    return app_main(&app, &self, argc, argv);
}
