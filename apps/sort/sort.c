/* SPDX-License-Identifier: MIT */
/*
 * Sort random keys of 32 bits, each node its own.
 *
 * As a flow: Cilk's merge sort, in which a part of the keys is a task until one work-group can sort it, and a merge is
 * a task until one work-group can do it. As plain kernels: passes over all keys. The check is qsort.
 *
 * Path: main -> flow.c or plain.c
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include "parts.h"

#include "frame/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct app_option own_options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Keys (1000000)", OPTION_COUNT(struct app_sort, n, 1, 1u << 30)},
    {"base", 0, "KEYS", "Keys that one work-group sorts by rank (64)",
     OPTION_COUNT(struct app_sort, base, 1, 1024)},
    FLOW_FORM_OPTION(struct app_sort),
    {0}};

/* ---- steps ----------------------------------------------------------------------------------- */

static const struct flow_form *form_of(const struct app_sort *app)
{
    return app->is_plain ? &sort_plain : &sort_flow;
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

/* ---- report and check ------------------------------------------------------------------------ */

static void describe(void *self, struct trials *trials)
{
    const struct app_sort *app = self;
    snprintf(trials->input, sizeof trials->input, "%u keys, base %u", app->n, app->base);
    snprintf(trials->variant, sizeof trials->variant, "%s", form_of(app)->name);
    trials->work = (double)app->node.n_processes * app->n;
    trials_add_number(trials, "n", app->n);
    trials_add_number(trials, "base", app->base);
    trials_add_word(trials, "form", form_of(app)->name);
    if (app->flow)
        flow_describe(app->flow, trials);
}

static void tell_result(void *self, struct trials *trials)
{
    const struct app_sort *app = self;
    if (app->flow)
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
                               .close = close_all};

int main(int argc, char **argv)
{
    struct app_sort self = {.n = 1000000, .base = 64};
    return app_main(&app, &self, argc, argv);
}
