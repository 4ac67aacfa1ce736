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

/* Rows filled by tasks. */
static uint32_t task_rows(const struct app_queens *app)
{
    return app->n > app->base ? app->n - app->base : 1;
}

/* A board that a node has dealt to this one, whose solutions are added to the caller's result. */
static int take_board(struct gravel *gravel, void *user, uint32_t source,
                      const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    struct app_queens *app = user;
    const struct queens board = {(cl_uint)args[0], (cl_uint)args[1], (cl_uint)args[2], .to = 0};
    (void)gravel, (void)source;
    return gravel_flow_post(app->flow, "queens", &board, 1);
}

static struct gravel_flow *open_flow(struct app_queens *app)
{
    uint32_t n = app->n, n_tasks = task_rows(app), levels = n_tasks - app->deal + 1;
    const struct gravel_edge queens[] = {{"queens", n}, {"solve", n}, {"total", 1}};
    const struct gravel_edge begin[] = {{"begin", n}};
    const struct gravel_channel channels[] = {
        {"queens", sizeof(struct queens), GRAVEL_SPAWN, 0, 3, queens},
        {"solve", sizeof(struct solve), GRAVEL_SPAWN, 0, 0, NULL},
        {"total", sizeof(struct total), GRAVEL_AFTER, 0, 0, NULL},
        {"begin", sizeof(struct begin), GRAVEL_SPAWN, 0, 1, begin}};
    const struct gravel_graph graph =
        GRAVEL_GRAPH(channels, app->deal ? 4 : 3, .depth = levels > app->deal ? levels : app->deal,
                     .n_messages = app->deal ? n : 0);
    return flow_open(&app->node, &graph);
}

/* A dealt board may come once the node is open everywhere, but only the end of this says that its flow is. */
static void set_up(void *self)
{
    struct app_queens *app = self;
    const struct gravel_handler handler = {
        .name = "deal", .n_args = 3, .function = take_board, .user = app};
    char options[64];
    if (app->deal && app->deal >= task_rows(app))
        die("--deal: after %u rows, and tasks fill %u", app->deal, task_rows(app));
    snprintf(options, sizeof options, "-DQUEENS_BASE=%u -DQUEENS_DEAL=%uu", app->n - task_rows(app),
             app->deal);
    app->node.handlers = &handler;
    app->node.n_handlers = app->deal ? 1 : 0;
    node_open(&app->node, 0);
    app->flow = open_flow(app);
    TRY(gravel_flow_build(app->flow, "queens.cl", queens_cl, options, "queens_flow"));
    FLOW_SET(app->flow, 2, cl_uint, queens_full_row(app));
    FLOW_SET(app->flow, 3, cl_uint, queens_first_places(app));
    TRY(gravel_barrier(app->node.gravel));
}

static cl_uint call(struct app_queens *app, const char *channel, struct queens root)
{
    cl_uint found = 0;
    TRY(gravel_flow_call(app->flow, channel, &root, offsetof(struct queens, to), &found,
                         sizeof found));
    return found;
}

/* A second run has what was dealt to this node after its first one: behind the barrier that is all. */
static void run(void *self)
{
    struct app_queens *app = self;
    uint64_t found = call(app, app->deal ? "begin" : "queens", (struct queens){0});
    if (app->deal) {
        TRY(gravel_barrier(app->node.gravel));
        found += call(app, "begin", (struct queens){.columns = queens_full_row(app)});
    }
    app->result = node_sum(&app->node, found);
}

const struct flow_form queens_flow = {.name = "flow", .open = set_up, .run = run};
