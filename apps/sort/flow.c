/* SPDX-License-Identifier: MIT */
/*
 * Sort as a flow.
 *
 * Path: sort.c -> this -> graph.c, sort.cl
 * Source: Orr 2016, table 4-3.
 */
#include "parts.h"

#include "sort.h"

extern const char sort_cl[];

static void set_up(void *self)
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

static void run(void *self)
{
    struct app_sort *app = self;
    struct split all = {0, app->n};
    TRY(gravel_flow_push(app->flow, "split", &all, 1));
    TRY(gravel_flow_run(app->flow));
}

const struct flow_form sort_flow = {.name = "flow", .open = set_up, .run = run};
