/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring of a graph whose vertices are spread over all nodes.
 *
 * Every vertex has a random priority. Each node colours its vertices in that order, and sends the colours that other nodes
 * look at, a word each; where they clash the later vertex chooses again. With --ordered no node guesses: a round colours
 * those that come before all their neighbours without a colour.
 *
 * Path: main -> open.c -> rounds.c, guess.c -> check.c -> report
 * Source: Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Che, Beckmann, Reinhardt,
 * Skadron, Pannotia, 2013; Gebremedhin, Manne 2000; Bozdag et al. 2008; Orr 2016, section 5.4.2.
 */
#include "color.h"

#include <stdio.h>

static const struct app_option own_options[] = {
    {"ordered", 0, NULL,
     "Wait for the colours of other nodes' vertices that choose before, instead of guessing: the "
     "same colours on any number of nodes, in many rounds (given with --schedule and --model)",
     OPTION_FLAG(struct color, is_ordered)},
    TASKS_OPTION(struct color, node,
                 "Share the vertices out to groups' deques, on one node, by this policy of "
                 "GRAVEL_STEAL_POLICY"),
    {0}};

static void describe(void *self, struct trials *trials)
{
    struct color *color = self;
    color->n_colors = color_count(color);
    trials->work = (double)color->n_edges;
    if (color->node.schedule)
        snprintf(trials->variant, sizeof trials->variant, "%s", color->node.schedule);
    else if (color->is_ordered && color->node.n_nodes > 1)
        snprintf(trials->variant, sizeof trials->variant, "ordered");
    part_describe(&color->part, color->options.seed, color->n_edges, trials);
    trials_add_number(trials, "seed", color->options.seed);
    trials_add_number(trials, "rounds", color->n_rounds);
    trials_add_number(trials, "colors", color->n_colors);
    trials_add_number(trials, "group_items", color->node.group_items);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct color *color = self;
    uint64_t n_wrong = color_check(color);
    trials_add_number(trials, "serial_colors", color->n_serial);
    trials_add_real(trials, "serial_seconds", color->serial_s);
    trials_say(trials, "  %llu colours in %llu rounds; greedy, serial: %llu colours in %.6f s\n",
               (unsigned long long)color->n_colors, (unsigned long long)color->n_rounds,
               (unsigned long long)color->n_serial, color->serial_s);
    return n_wrong;
}

static void result(void *self, struct trials *trials)
{
    struct color *color = self;
    if (color->node.schedule)
        tasks_tell(&color->tasks, trials);
}

static const struct app app = {
    .name = "color",
    .unit = "edges/s",
    .doc = "Colour the vertices of a graph so that neighbours differ, and say how many edges a "
           "second that took. Directions of edges, loops and repeated edges do not count.",
    .groups = {{"Color:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct color, part.options))},
    .has_models = true,
    APP_FIELDS(struct color),
    .open = color_open,
    .reset = color_reset,
    .run = color_run,
    .describe = describe,
    .result = result,
    .check = check,
    .close = color_close};

int main(int argc, char **argv)
{
    struct color color = {.part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &color, argc, argv);
}
