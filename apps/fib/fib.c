/* SPDX-License-Identifier: MIT */
/*
 * Fibonacci numbers by the recursion: what a task costs, and nothing else.
 *
 * Every node computes the number on its own, every call of the function a task of a flow. The check is the plain
 * recursion in C.
 *
 * Path: main -> fib.cl
 * Source: Orr 2016, section 4.3 and table 4-3.
 */
#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"

#include <gravel/channel.h>

#include "fib.h"

#include <stdio.h>
#include <string.h>

extern const char fib_cl[];

struct app_fib {
    struct options options;
    struct node node;
    uint32_t n;
    bool by_item; /* each work-item reserves for itself */
    struct gravel_flow *flow;
    uint32_t result;
};

static error_t take_reserve(struct argp_state *state, const struct app_option *option,
                            const char *value, void *field)
{
    bool *by_item = field;
    *by_item = strcmp(value, "item") == 0;
    return *by_item || strcmp(value, "group") == 0
               ? 0
               : option_refuse(state, option, "there is no '%s', but group and item", value);
}

static const struct app_option own_options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Which Fibonacci number (30)",
     OPTION_COUNT(struct app_fib, n, 0, 47)},
    {"reserve", 0, "WHO", "Who reserves channel elements: group, once for all, or item (group)",
     take_reserve, OPTION_AT(struct app_fib, by_item, bool), 0, 0},
    {0}};

/* ---- steps ----------------------------------------------------------------------------------- */

static void set_up(void *self)
{
    struct app_fib *app = self;
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_channel channels[] = {
        {"fib", sizeof(struct fib), GRAVEL_SPAWN, 0, 2, edges},
        {"sum", sizeof(struct sum), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = app->n + 1);
    node_open(&app->node, 0);
    app->flow = flow_open(&app->node, &graph);
    TRY(gravel_flow_build(app->flow, "fib.cl", fib_cl, app->by_item ? "-DBY_ITEM" : NULL,
                          "fib_flow"));
}

static void reset(void *self)
{
    struct app_fib *app = self;
    app->result = UINT32_MAX;
}

static void call(struct app_fib *app, uint32_t n)
{
    struct fib root = {.n = n};
    TRY(gravel_flow_call(app->flow, "fib", &root, offsetof(struct fib, to), &app->result,
                         sizeof app->result));
}

static void run(void *self)
{
    struct app_fib *app = self;
    call(app, app->n);
}

/* So that the clock sees no compiler: both nodes run, if there are two. */
static void warm_up(void *self)
{
    struct app_fib *app = self;
    call(app, app->n < 2 ? app->n : 2);
}

/* ---- report and check ------------------------------------------------------------------------ */

static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Calls of the function: those that return a number of its own 0 or 1 are one more than the sums. */
static double n_calls(uint32_t n)
{
    double before = 1, at = 1; /* calls of n - 1 and n */
    for (uint32_t i = 1; i < n; i++) {
        double next = before + at + 1;
        before = at;
        at = next;
    }
    return at;
}

static void describe(void *self, struct trials *trials)
{
    const struct app_fib *app = self;
    snprintf(trials->input, sizeof trials->input, "fib(%u)", app->n);
    trials->work = (double)app->node.n_processes * n_calls(app->n);
    trials_add_number(trials, "n", app->n);
    flow_describe(app->flow, trials);
}

static void tell_result(void *self, struct trials *trials)
{
    const struct app_fib *app = self;
    trials_say(trials, "  fib(%u) = %u\n", app->n, app->result);
    trials_add_number(trials, "result", app->result);
    flow_tell(app->flow, trials);
}

static uint64_t serial(const void *self)
{
    const struct app_fib *app = self;
    return fib(app->n);
}

static uint64_t check(void *self, struct trials *trials)
{
    const struct app_fib *app = self;
    return flow_check(trials, n_calls(app->n), app->result, serial, app);
}

static void close_all(void *self)
{
    struct app_fib *app = self;
    flow_close(app->flow, &app->node);
}

static const struct app app = {.name = "fib",
                               .unit = "calls/s",
                               .doc = "Compute a Fibonacci number by the recursion, every call a "
                                      "task of a channel-flow graph.",
                               .group_items = FLOW_GROUP,
                               .groups = {{"Problem:", 1, own_options, 0}},
                               APP_FIELDS(struct app_fib),
                               .open = set_up,
                               .warm_up = warm_up,
                               .describe = describe,
                               .reset = reset,
                               .run = run,
                               .result = tell_result,
                               .check = check,
                               .checked = "numbers",
                               .close = close_all};

int main(int argc, char **argv)
{
    struct app_fib self = {.n = 30};
    return app_main(&app, &self, argc, argv);
}
