/* SPDX-License-Identifier: MIT */
/*
 * PageRank of a graph whose vertices, and the edges that leave them, are spread over all nodes in
 * blocks.
 *
 * Every edge is a message a iteration: a work-item adds its source's share of rank to its target's
 * sum, wherever that is. Vertices without edges give their rank to all. The float form is the usual
 * one; the fixed-point form gives the same bits on any number of nodes.
 *
 * Path: main -> iterate.c -> reference.c -> report
 * Source: Page, Brin, Motwani, Winograd 1999; Beamer, Asanovic, Patterson, The GAP Benchmark Suite,
 * 2015 (flags, start, stop); Orr 2016, section 5.4.2.
 */
#include "app.h"
#include "node_stats.h"
#include "pagerank.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ITERATIONS 1000000

enum { KEY_FIXED = 0x3000, KEY_PER_ITEM };

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "PageRank:", 1},
    {"iterations", 'i', "N", 0, "Make at most this many iterations (20)", 0},
    {"tolerance", 't', "SUM", 0,
     "Stop once all ranks together change less than this; 0 never stops (1e-4)", 0},
    {"fixed", KEY_FIXED, NULL, 0, "Add in fixed point: the same bits on any number of nodes", 0},
    {"per-item", KEY_PER_ITEM, "N", 0,
     "Edges of a work-item (1; on step pump up to 1024, so that a launch is a few slices)", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct pagerank *pagerank = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &pagerank->options;
        state->child_inputs[2] = &pagerank->node;
        return 0;
    case 'i':
        return options_number(state, "-i", value, 1, MAX_ITERATIONS, &pagerank->n_iterations);
    case 't':
        return options_real(state, "-t", value, &pagerank->tolerance);
    case KEY_FIXED:
        pagerank->is_fixed = true;
        return 0;
    case KEY_PER_ITEM:
        return options_number(state, "--per-item", value, 1, 1 << 20, &pagerank->per_item);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_run_argp, 0, NULL, 0},
                                             {&options_graph_argp, 0, NULL, 0},
                                             {&node_argp, 0, NULL, 0},
                                             {0}};
static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "Rank the vertices of a graph by pushing ranks along its "
                                        "edges, and say how many edges a second were pushed.",
                                 .children = children};

static int reset(void *app, unsigned trial)
{
    struct pagerank *pagerank = app;
    (void)trial;
    pagerank_reset(pagerank);
    node_barrier(&pagerank->node);
    gravel_stats_reset(pagerank->node.gravel);
    return 0;
}

static int iterate(void *app, unsigned trial)
{
    (void)trial;
    pagerank_iterate(app);
    return 0;
}

/* One trial, so that the device's compiler has done its work before the clock runs. It also
 * tells how many iterations the trials will take, since all are alike. */
static void warm_up(struct pagerank *pagerank)
{
    pagerank_reset(pagerank);
    pagerank_iterate(pagerank);
}

static json_t *parameters(const struct pagerank *pagerank)
{
    json_t *object =
        app_graph_parameters(&pagerank->options, pagerank->n_vertices, pagerank->n_edges);
    json_object_set_new(object, "iterations", json_integer((json_int_t)pagerank->n_done));
    json_object_set_new(object, "tolerance", json_real(pagerank->tolerance));
    json_object_set_new(object, "edges_per_item", json_integer((json_int_t)pagerank->per_item));
    json_object_set_new(object, "group_items", json_integer(pagerank->node.group_items));
    return object;
}

static int run(struct pagerank *pagerank)
{
    const struct options *options = &pagerank->options;
    char input[256];
    app_graph_name(input, sizeof input, options);
    struct trials trials = {.name = "pagerank",
                            .variant = pagerank->is_fixed ? "fixed" : "float",
                            .input = input,
                            .unit = "edges/s",
                            .work = (double)pagerank->n_edges * (double)pagerank->n_done,
                            .n_nodes = pagerank->node.n_nodes,
                            .node = pagerank->node.number,
                            .n_trials = options->n_trials,
                            .json = options->json,
                            .parameters = parameters(pagerank)};
    int status = trials_run(&trials, reset, iterate, pagerank);
    if (status)
        die("cannot run the trials: %s", strerror(-status));
    uint64_t n_wrong = options->verify ? pagerank_check(pagerank) : 0;
    status = node_report(&pagerank->node, &trials, options->verify, n_wrong);
    trials_free(&trials);
    return status;
}

int main(int argc, char **argv)
{
    struct pagerank pagerank = {
        .options = OPTIONS_DEFAULT, .node = NODE_DEFAULT, .n_iterations = 20, .tolerance = 1e-4};
    argp_parse(&argp, argc, argv, 0, NULL, &pagerank);
    part_survey(&pagerank.part, &pagerank.options, (struct part_wish){0});
    pagerank_open(&pagerank);
    warm_up(&pagerank);
    int status = run(&pagerank);
    pagerank_close(&pagerank);
    return status;
}
