/* SPDX-License-Identifier: MIT */
/*
 * The product with a plain kernel.
 *
 * Path: strassen.c -> this -> plain.cl
 */
#include "parts.h"

extern const char plain_cl[];

static void set_up(void *self)
{
    struct app_strassen *app = self;
    char options[STRASSEN_OPTIONS_BYTES];
    strassen_write_options(app, options);
    node_build(&app->node, "plain.cl", plain_cl, options);
    app->multiply = node_kernel_without_arena(&app->node, "multiply");
    NODE_SET(app->multiply, 0, cl_mem, app->all);
}

static void run(void *self)
{
    struct app_strassen *app = self;
    size_t tiles = app->n / app->base, group = app->node.group_items;
    node_enqueue(&app->node, app->multiply, tiles * tiles * group, group);
    node_finish(&app->node);
}

const struct flow_form strassen_plain = {.name = "plain", .open = set_up, .run = run};
