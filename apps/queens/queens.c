/* SPDX-License-Identifier: MIT */
/*
 * N queens: how many placements there are on a board of N x N so that none attacks another.
 *
 * Every board with some rows filled is a task of a flow, and makes a task for each place of its next row; one work-item
 * fills the last rows. Nodes share the places of the first row, and add up what they found. The check is a recursion in
 * C.
 *
 * Path: main -> queens.cl
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"

#include <gravel/channel.h>

#include "queens.h"

#include <stdio.h>

extern const char queens_cl[];

struct app_queens {
    struct options options;
    struct node node;
    uint32_t n;
    uint32_t base; /* rows that one work-item fills */
    struct gravel_flow *flow;
    uint64_t result; /* of all nodes */
};

static const struct app_option own_options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Rows of the board (12)",
     OPTION_COUNT(struct app_queens, n, 2, 18)},
    {"base", 0, "ROWS", "Rows that one work-item fills (4)",
     OPTION_COUNT(struct app_queens, base, 1, 18)},
    {0}};

/* ---- steps ----------------------------------------------------------------------------------- */

static uint32_t full_row(const struct app_queens *app)
{
    return (UINT32_C(1) << app->n) - 1;
}

/* Places of the first row that are this node's. */
static uint32_t first_places(const struct app_queens *app)
{
    uint32_t places = 0;
    for (uint32_t i = app->node.number; i < app->n; i += app->node.n_processes)
        places |= UINT32_C(1) << i;
    return places;
}

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
    node_open(&app->node, 0);
    app->flow = flow_open(&app->node, &graph);
    flow_build(app->flow, "queens.cl", queens_cl, options, "queens_flow");
    FLOW_SET(app->flow, 2, cl_uint, full_row(app));
    FLOW_SET(app->flow, 3, cl_uint, first_places(app));
}

static void reset(void *self)
{
    struct app_queens *app = self;
    app->result = UINT64_MAX;
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

/* ---- report and check ------------------------------------------------------------------------ */

static uint64_t solutions(uint32_t full, uint32_t columns, uint32_t left, uint32_t right)
{
    uint64_t n = 0;
    if (columns == full)
        return 1;
    for (uint32_t places = full & ~(columns | left | right); places; places &= places - 1) {
        uint32_t place = places & -places;
        n += solutions(full, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return n;
}

/* Untimed, before the trials: how much they find. */
static void describe(void *self, struct trials *trials)
{
    struct app_queens *app = self;
    reset(app);
    run(app);
    snprintf(trials->input, sizeof trials->input, "%u queens, base %u", app->n, app->base);
    trials->work = (double)app->result;
    trials_add_number(trials, "n", app->n);
    trials_add_number(trials, "base", app->base);
    flow_describe(app->flow, trials);
}

static void tell_result(void *self, struct trials *trials)
{
    const struct app_queens *app = self;
    trials_say(trials, "  %llu solutions\n", (unsigned long long)app->result);
    trials_add_number(trials, "result", app->result);
    flow_tell(app->flow, trials);
}

static uint64_t serial(const void *self)
{
    return solutions(full_row(self), 0, 0, 0);
}

static uint64_t check(void *self, struct trials *trials)
{
    const struct app_queens *app = self;
    return flow_check(trials, trials->work, app->result, serial, app);
}

static void close_all(void *self)
{
    struct app_queens *app = self;
    flow_close(app->flow, &app->node);
}

static const struct app app = {.name = "queens",
                               .unit = "solutions/s",
                               .doc = "Count the placements of N queens on a board of N x N, every "
                                      "board with some rows filled a task of a channel-flow graph.",
                               .groups = {{"Problem:", 1, own_options, 0}},
                               APP_FIELDS(struct app_queens),
                               .open = set_up,
                               .describe = describe,
                               .reset = reset,
                               .run = run,
                               .result = tell_result,
                               .check = check,
                               .close = close_all};

int main(int argc, char **argv)
{
    struct app_queens self = {.n = 12, .base = 4};
    return app_main(&app, &self, argc, argv);
}
