/* SPDX-License-Identifier: MIT */
/*
 * PageRank of a graph whose vertices, and the edges that leave them, are spread over all nodes in
 * blocks.
 *
 * An iteration sums up what a node's vertices give each vertex, and sends the sums for vertices of
 * other nodes, a word each. With --send edges every edge to another node is a message: a work-item
 * adds its source's share of rank to its target's sum. Vertices without edges give their rank to
 * all. The float form is the usual one; the fixed-point form gives the same bits on any number of
 * nodes.
 *
 * Path: main -> iterate.c -> reference.c -> report
 * Source: Page, Brin, Motwani, Winograd 1999; Beamer, Asanovic, Patterson, The GAP Benchmark Suite,
 * 2015 (flags, start, stop); Orr 2016, section 5.4.2.
 */
#include "pagerank.h"

#include <stdio.h>
#include <string.h>

#define MAX_ITERATIONS 1000000

static error_t take_send(struct argp_state *state, const struct app_option *option,
                         const char *value, void *field)
{
    *(const char **)field = value;
    return !strcmp(value, "words") || !strcmp(value, "edges")
               ? 0
               : option_refuse(state, option, "'%s' is neither words nor edges", value);
}

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make at most this many iterations (20)",
     OPTION_NUMBER(struct pagerank, n_iterations, 1, MAX_ITERATIONS)},
    {"tolerance", 't', "SUM",
     "Stop once all ranks together change less than this; 0 never stops (1e-4)",
     OPTION_REAL(struct pagerank, tolerance)},
    {"fixed", 0, NULL, "Add in fixed point: the same bits on any number of nodes",
     OPTION_FLAG(struct pagerank, is_fixed)},
    {"send", 0, "WHAT",
     "What goes to other nodes: words, a sum for each of their vertices; or edges, a message each "
     "(words; edges with --send-own, --per-item or --model)",
     take_send, OPTION_AT(struct pagerank, send, const char *), 0, 0},
    SEND_OWN_OPTION(struct pagerank, sends_own),
    {"per-item", 0, "N",
     "Edges of a work-item that sends (1; on step pump up to 1024, so that a launch is a few "
     "slices)",
     OPTION_NUMBER(struct pagerank, per_item, 1, 1 << 20)},
    TASKS_OPTION(
        struct pagerank, node,
        "Pull ranks instead, by vertices shared out to groups' deques, on one node, by this "
        "policy of GRAVEL_STEAL_POLICY"),
    {0}};

/* All trials make as many iterations as the one that warmed up. */
static void describe(void *self, struct trials *trials)
{
    const struct pagerank *pagerank = self;
    const char *form = pagerank->is_fixed ? "fixed" : "float", *schedule = pagerank->node.schedule;
    snprintf(trials->variant, sizeof trials->variant, "%s%s%s", form, schedule ? "-" : "",
             schedule ? schedule : "");
    trials->work = (double)pagerank->n_edges * (double)pagerank->n_done;
    part_describe(&pagerank->part, pagerank->options.seed, pagerank->n_edges, trials);
    trials_add_number(trials, "iterations", pagerank->n_done);
    trials_add_real(trials, "tolerance", pagerank->tolerance);
    trials_add_word(trials, "send", pagerank->send);
    if (!pagerank->sends_words)
        trials_add_number(trials, "edges_per_item", pagerank->per_item);
    trials_add_number(trials, "group_items", pagerank->node.group_items);
}

static void result(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    if (pagerank->node.schedule)
        tasks_tell(&pagerank->tasks, trials);
}

static const struct app app = {
    .name = "pagerank",
    .unit = "edges/s",
    .doc = "Rank the vertices of a graph: ranks are pulled along its edges, and nodes send each "
           "other sums. Say how many edges a second that were.",
    .groups = {{"PageRank:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct pagerank, part.options))},
    .has_models = true,
    APP_FIELDS(struct pagerank),
    .open = pagerank_open,
    .reset = pagerank_reset,
    .run = pagerank_iterate,
    .describe = describe,
    .result = result,
    .check = pagerank_check,
    .close = pagerank_close};

int main(int argc, char **argv)
{
    struct pagerank pagerank = {
        .part.options = GRAPH_OPTIONS_DEFAULT, .n_iterations = 20, .tolerance = 1e-4};
    return app_main(&app, &pagerank, argc, argv);
}
