/* SPDX-License-Identifier: MIT */
/*
 * What the mains of all applications have in common: options that all know, and the way from trials
 * to an exit status.
 *
 * Path: an application's main -> this -> trials.c, node_stats.c
 * Owner: see node_app_run.
 * Threads: main's.
 */
#ifndef APPS_NODE_APP_H
#define APPS_NODE_APP_H

#include "app.h"
#include "node.h"
#include "trials.h"

/* Children of an application's argp: --trials and its like, --group and its like; and the graph's.
 */
extern const struct argp_child node_app_children[];
extern const struct argp_child node_app_graph_children[];

/** At ARGP_KEY_INIT of an application with either list: say where these children leave what they
 * parse. */
void node_app_inputs(struct argp_state *state, const struct argp_child *children,
                     struct options *options, struct node *node);

/* What an application does, all by every node. */
struct node_app_steps {
    void (*reset)(void *app); /* before every trial; not timed */
    void (*run)(void *app);   /* a trial */

    /* After the last trial, if not NULL: print what it came to, and add it to trials->parameters.
     */
    void (*result)(void *app, struct trials *trials);

    /* The same with --verify: check the last trial's result. @return what is wrong here [count]. */
    uint64_t (*check)(void *app, struct trials *trials);
};

/**
 * Run the trials, check, and report. Collective.
 *
 * @param trials  name, variant, input, unit, work and parameters are set; freed here.
 * @return        the exit status.
 */
int node_app_run(struct trials *trials, const struct node_app_steps *steps, struct node *node,
                 const struct options *options, void *app);

#endif
