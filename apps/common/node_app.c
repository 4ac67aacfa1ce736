/* SPDX-License-Identifier: MIT */
/*
 * From options to trials to a report. See node_app.h.
 */
#include "node_app.h"
#include "node_stats.h"

#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

const struct argp_child node_app_children[] = {
    {&options_run_argp, 0, NULL, 0}, {&node_argp, 0, NULL, 0}, {0}};

const struct argp_child node_app_graph_children[] = {{&options_run_argp, 0, NULL, 0},
                                                     {&options_graph_argp, 0, NULL, 0},
                                                     {&node_argp, 0, NULL, 0},
                                                     {0}};

void node_app_inputs(struct argp_state *state, const struct argp_child *children,
                     struct options *options, struct node *node)
{
    for (unsigned i = 0; children[i].argp; i++)
        state->child_inputs[i] = children[i].argp == &node_argp ? (void *)node : options;
}

/* ---- trials ---------------------------------------------------------------------------------- */

struct run {
    const struct node_app_steps *steps;
    struct node *node;
    void *app;
};

/* Statistics are the last trial's: they begin when all nodes are ready for it. */
static int prepare(void *user, unsigned trial)
{
    struct run *run = user;
    (void)trial;
    run->steps->reset(run->app);
    node_barrier(run->node);
    gravel_stats_reset(run->node->gravel);
    return 0;
}

static int run_trial(void *user, unsigned trial)
{
    struct run *run = user;
    (void)trial;
    run->steps->run(run->app);
    return 0;
}

int node_app_run(struct trials *trials, const struct node_app_steps *steps, struct node *node,
                 const struct options *options, void *app)
{
    struct run run = {steps, node, app};
    trials->n_nodes = node->n_nodes;
    trials->node = node->number;
    trials->n_trials = options->n_trials;
    trials->json = options->json;
    int status = trials_run(trials, prepare, run_trial, &run);
    if (status)
        die("cannot run the trials: %s", strerror(-status));
    if (steps->result)
        steps->result(app, trials);
    uint64_t n_wrong = options->verify ? steps->check(app, trials) : 0;
    status = node_report(node, trials, options->verify, n_wrong);
    trials_free(trials);
    return status;
}
