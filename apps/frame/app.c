/* SPDX-License-Identifier: MIT */
/*
 * From options to trials to a report. See app.h.
 */
#include "frame/app.h"
#include "frame/stats.h"

#include <signal.h>
#include <string.h>

struct running {
    const struct app *app;
    void *self;
    const struct options *options;
    struct node *node;
};

static void parse(const struct app *app, void *self, int argc, char **argv)
{
    const struct option_group groups[] = {
        app->groups[0],
        OPTIONS_RUN_GROUP(app->options),
        app->groups[1],
        {"Device and messages:", 30, options_of_nodes + !app->has_models, app->node}};
    options_parse(groups, sizeof groups / sizeof *groups, app->doc, self, argc, argv);
}

static struct running start(const struct app *app, void *self, int argc, char **argv)
{
    struct options *options = (struct options *)((char *)self + app->options);
    struct node *node = (struct node *)((char *)self + app->node);
    *options = OPTIONS_DEFAULT;
    *node = NODE_DEFAULT;
    if (app->group_items)
        node->group_items = app->group_items;
    parse(app, self, argc, argv);
    return (struct running){app, self, options, node};
}

/* So that the device's compiler has done its work before the clock runs. */
static void warm_up(const struct running *running)
{
    const struct app *app = running->app;
    if (app->warm_up) {
        app->warm_up(running->self);
        return;
    }
    if (app->reset)
        app->reset(running->self);
    app->run(running->self);
}

/* Statistics are the last trial's: they begin when all nodes are ready for it. */
static int prepare(void *user, unsigned trial)
{
    const struct running *running = user;
    (void)trial;
    if (running->app->reset)
        running->app->reset(running->self);
    TRY(gravel_barrier(running->node->gravel));
    TRY(gravel_stats_reset(running->node->gravel));
    return 0;
}

static int run_trial(void *user, unsigned trial)
{
    const struct running *running = user;
    (void)trial;
    running->app->run(running->self);
    return 0;
}

static int measure(struct running *running)
{
    const struct app *app = running->app;
    const struct options *options = running->options;
    struct trials trials = {.name = app->name,
                            .unit = app->unit,
                            .checked = app->checked,
                            .n_nodes = running->node->n_nodes,
                            .node = running->node->number,
                            .n_trials = options->n_trials,
                            .json = options->json,
                            .is_quiet = options->quiet};
    app->describe(running->self, &trials);
    trials_add_number(&trials, "group_items", running->node->group_items);
    trials_add_number(&trials, "seed", options->seed);
    int status = trials_run(&trials, prepare, run_trial, running);
    if (status)
        die("cannot run the trials: %s", strerror(-status));
    if (app->result)
        app->result(running->self, &trials);
    uint64_t n_wrong = options->verify ? app->check(running->self, &trials) : 0;
    status = stats_report(running->node, &trials, options->verify, n_wrong);
    trials_free(&trials);
    return status;
}

int app_main(const struct app *app, void *self, int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* what is written beyond RLIMIT_FSIZE fails, and is named */
    struct running running = start(app, self, argc, argv);
    app->open(self);
    warm_up(&running);
    int status = measure(&running);
    app->close(self);
    return status;
}
