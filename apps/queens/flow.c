/* SPDX-License-Identifier: MIT */
/*
 * Queens as a flow.
 *
 * Path: queens.c -> this -> queens.cl
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include "parts.h"

#include <gravel/channel.h>

#include "queens.h"

#include <stdio.h>

extern const char queens_cl[];

static void set_up(void *self)
{
    struct app_queens *app = self;
    uint32_t n = app->n, n_tasks = n > app->base ? n - app->base : 1; /* rows filled by tasks */
    const struct gravel_edge edges[] = {{"queens", n}, {"solve", n}, {"total", 1}};
    const struct gravel_channel channels[] = {
        {"queens", sizeof(struct queens), GRAVEL_SPAWN, 0, 3, edges},
        {"solve", sizeof(struct solve), GRAVEL_SPAWN, 0, 0, NULL},
        {"total", sizeof(struct total), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_graph graph = {channels, 3, .depth = n_tasks + 1};
    char options[64];
    snprintf(options, sizeof options, "-DQUEENS_BASE=%u", n - n_tasks);
    app->flow = flow_open(&app->node, &graph);
    flow_build(app->flow, "queens.cl", queens_cl, options, "queens_flow");
    FLOW_SET(app->flow, 2, cl_uint, queens_full_row(app));
    FLOW_SET(app->flow, 3, cl_uint, queens_first_places(app));
}

static void run(void *self)
{
    struct app_queens *app = self;
    struct queens root = {0};
    cl_uint found = 0;
    node_check(gravel_flow_call(app->flow, "queens", &root, offsetof(struct queens, to), &found,
                                sizeof found));
    app->result = node_sum(&app->node, found);
}

const struct flow_form queens_flow = {.name = "flow", .open = set_up, .run = run};
