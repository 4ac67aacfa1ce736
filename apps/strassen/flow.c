/* SPDX-License-Identifier: MIT */
/*
 * Strassen as a flow.
 *
 * Path: strassen.c -> this -> seven.cl or eight.cl
 * Source: Orr 2016, table 4-3.
 */
#include "parts.h"

#include <gravel/channel.h>

#include "strassen.h"

extern const char seven_cl[], eight_cl[];

/* Two matrices for each product below the first level. */
uint64_t strassen_n_sums(const struct app_strassen *app)
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
    for (uint64_t n = (uint64_t)app->n * app->n / 4; n > STRASSEN_PART; n /= STRASSEN_MOST_PARTS)
        levels++;
    return levels;
}

static struct gravel_flow *open_seven(struct app_strassen *app)
{
    uint32_t ranges = range_levels(app);
    const struct gravel_edge product[] = {{"range", 1}, {"part", 1}, {"multiply", 1}};
    const struct gravel_edge multiply[] = {{"product", 7}, {"leaf", 7}, {"combine", 1}};
    const struct gravel_edge combine[] = {{"range", 1}, {"part", 1}};
    const struct gravel_edge range[] = {{"range", STRASSEN_MOST_PARTS},
                                        {"part", STRASSEN_MOST_PARTS}};
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

static void set_up(void *self)
{
    struct app_strassen *app = self;
    bool is_seven = app->ways == 7;
    char options[STRASSEN_OPTIONS_BYTES];
    strassen_write_options(app, options);
    app->flow = is_seven ? open_seven(app) : open_eight(app);
    TRY(gravel_flow_build(app->flow, "strassen.cl", is_seven ? seven_cl : eight_cl, options,
                          "strassen_flow"));
    FLOW_SET(app->flow, 2, cl_mem, app->all);
}

static void run(void *self)
{
    struct app_strassen *app = self;
    uint32_t n = app->n, n_each = n * n;
    struct product whole = {0, n, n_each, n, 2 * n_each, n, 0};
    TRY(gravel_flow_push(app->flow, app->levels ? "product" : "leaf", &whole, 1));
    TRY(gravel_flow_run(app->flow));
}

const struct flow_form strassen_flow = {.name = "flow", .open = set_up, .run = run};
