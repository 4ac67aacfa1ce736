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
#include "pagerank.h"
#include "node_app.h"

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
        node_app_inputs(state, node_app_graph_children, &pagerank->options, &pagerank->node);
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

static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "Rank the vertices of a graph by pushing ranks along its "
                                        "edges, and say how many edges a second were pushed.",
                                 .children = node_app_graph_children};

static void reset(void *app)
{
    pagerank_reset(app);
}

static void iterate(void *app)
{
    pagerank_iterate(app);
}

static uint64_t check(void *app, struct trials *trials)
{
    (void)trials;
    return pagerank_check(app);
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
    app_add_number(object, "iterations", pagerank->n_done);
    json_object_set_new(object, "tolerance", json_real(pagerank->tolerance));
    app_add_number(object, "edges_per_item", pagerank->per_item);
    app_add_number(object, "group_items", pagerank->node.group_items);
    return object;
}

static int run(struct pagerank *pagerank)
{
    static const struct node_app_steps steps = {.reset = reset, .run = iterate, .check = check};
    char input[256];
    app_graph_name(input, sizeof input, &pagerank->options);
    struct trials trials = {.name = "pagerank",
                            .variant = pagerank->is_fixed ? "fixed" : "float",
                            .input = input,
                            .unit = "edges/s",
                            .work = (double)pagerank->n_edges * (double)pagerank->n_done,
                            .parameters = parameters(pagerank)};
    return node_app_run(&trials, &steps, &pagerank->node, &pagerank->options, pagerank);
}

int main(int argc, char **argv)
{
    struct pagerank pagerank = {
        .options = OPTIONS_DEFAULT, .node = NODE_DEFAULT, .n_iterations = 20, .tolerance = 1e-4};
    options_parse(&argp, argc, argv, &pagerank);
    part_survey(&pagerank.part, &pagerank.options, (struct part_wish){.no_weights = true});
    pagerank_open(&pagerank);
    warm_up(&pagerank);
    int status = run(&pagerank);
    pagerank_close(&pagerank);
    return status;
}
