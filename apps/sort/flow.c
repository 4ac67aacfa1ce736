/* SPDX-License-Identifier: MIT */
/*
 * Sort as a flow.
 *
 * Path: sort.c -> this -> sort.cl
 * Source: Orr 2016, table 4-3.
 */
#include "parts.h"

#include <gravel/channel.h>

#include "sort.h"

extern const char sort_cl[];

static uint32_t halvings(uint32_t n, uint32_t parts, uint32_t most)
{
    uint32_t levels = 0;
    for (; n > most; n = n / parts + (n % parts != 0))
        levels++;
    return levels;
}

/* Levels of tasks: of splits and a leaf, or of the merges that follow the first split. */
static uint32_t depth_of(const struct app_sort *app)
{
    uint32_t splits = halvings(app->n, 4, app->base), block = sort_block_keys(app);
    uint32_t merges = 1 + halvings(app->n, 2, block);
    return 1 + (splits > merges ? splits : merges) + 1;
}

static void set_up(void *self)
{
    struct app_sort *app = self;
    const struct gravel_edge split[] = {{"split", 4}, {"leaf", 4}, {"halves", 1}};
    const struct gravel_edge halves[] = {{"whole", 1}, {"merge", 2}, {"join", 2}};
    const struct gravel_edge whole[] = {{"merge", 1}, {"join", 1}};
    const struct gravel_edge merge[] = {{"merge", 2}, {"join", 2}};
    const struct gravel_channel channels[] = {
        {"split", sizeof(struct split), GRAVEL_SPAWN, 0, 3, split},
        {"leaf", sizeof(struct leaf), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL},
        {"halves", sizeof(struct halves), GRAVEL_AFTER, 0, 3, halves},
        {"whole", sizeof(struct whole), GRAVEL_AFTER, 0, 2, whole},
        {"merge", sizeof(struct merge), GRAVEL_SPAWN, 0, 2, merge},
        {"join", sizeof(struct join), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL}};
    const struct gravel_graph graph = {channels, 6, .depth = depth_of(app)};
    char options[SORT_OPTIONS_BYTES];
    sort_write_options(app, options);
    app->flow = flow_open(&app->node, &graph);
    flow_build(app->flow, "sort.cl", sort_cl, options, "sort_flow");
    FLOW_SET(app->flow, 2, cl_mem, app->input);
    FLOW_SET(app->flow, 3, cl_mem, app->keys);
    FLOW_SET(app->flow, 4, cl_mem, app->spare);
}

static void run(void *self)
{
    struct app_sort *app = self;
    struct split all = {0, app->n};
    node_check(gravel_flow_push(app->flow, "split", &all, 1));
    node_check(gravel_flow_run(app->flow));
}

const struct flow_form sort_flow = {.name = "flow", .open = set_up, .run = run};
