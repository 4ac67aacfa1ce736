/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring of a graph whose vertices are spread over all nodes.
 *
 * Every vertex has a random priority. Each node colours its vertices in that order, and sends the colours that other nodes
 * look at, a word each; where they clash the later vertex chooses again (guessed.c). With --ordered no node guesses: a round
 * colours those that come before all their neighbours without a colour (ordered.c). With --schedule vertices are tasks of
 * groups' deques (scheduled.c).
 *
 * Path: main -> open_node (this node's part) -> run (a way's rounds) -> guessed.c, ordered.c or scheduled.c -> check.c
 * Owner: open_node makes what close_node frees.
 * Threads: main's.
 * Source: Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Gebremedhin, Manne, Scalable Parallel Graph
 * Coloring Algorithms, 2000; Bozdag et al., A Framework for Scalable Greedy Coloring on Distributed-Memory Parallel
 * Computers, 2008; Che, Beckmann, Reinhardt, Skadron, Pannotia, 2013; Orr et al. 2015, section 5.3; Orr 2016, section 5.4.2.
 */
#include "color.h"

#include <stdio.h>
#include <stdlib.h>

/* Room for what nodes tell each other first: 32 bytes a node [bytes]. */
#define BEGINS_BYTES 65536

/* ---- open and close -------------------------------------------------------------------------- */

static void build(struct color *color)
{
    const struct way *way = color->way;
    char defines[64];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DPASSES=%u", color->node.group_items,
             color->node.n_nodes == 1 ? way->passes_alone : way->passes);
    node_build(&color->node, way->file, way->source, defines);
}

/* A node knows no more vertices than there are. */
static uint64_t heap_bytes(const struct color *color)
{
    return color->part.survey.n_vertices * sizeof(cl_uint) * color->way->heap_words + BEGINS_BYTES;
}

static void open_node(void *self)
{
    struct color *color = self;
    struct node *node = &color->node;
    color->is_ordered |= node->schedule || node->model != model_gravel;
    color->way = node->schedule      ? &color_scheduled
                 : color->is_ordered ? &color_ordered
                                     : &color_guessed;
    part_survey(&color->part, color->options.seed, (struct part_wish){.is_undirected = true});
    node_open(node, heap_bytes(color));
    node_part(node, &color->part);
    color->n_edges = node_sum(node, color->part.rows.n_edges);
    ghosts_open(&color->ghosts, &color->part);
    color->high = node_array(node, (color->part.rows.n_edges / 64 + 1) * sizeof(cl_ulong), NULL);
    color->way->list(color);
    part_forget_edges(&color->part);
    build(color);
    color->way->prepare(color);
}

static void close_node(void *self)
{
    struct color *color = self;
    TRY(gravel_mirror_destroy(color->guessed.mirror));
    tasks_close(&color->scheduled.tasks);
    ghosts_close(&color->ghosts);
    part_close(&color->part);
}

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct color *color = self;
    color->way->reset(color);
}

static void run(void *self)
{
    struct color *color = self;
    color->n_rounds = 0; /* a way's kernels are given the number of their round, from 1 on */
    for (uint64_t n_left = color->part.survey.n_vertices; n_left;) {
        color->n_rounds++;
        n_left = color->way->round(color);
    }
}

uint32_t *color_read(struct color *color, uint32_t node)
{
    const struct block_range own = partition_range(&color->part.partition, node);
    const uint64_t n = own.last - own.first;
    uint32_t *colors = app_array(n, sizeof *colors, "the colours");
    if (color->way->fetch)
        color->way->fetch(color, colors);
    else if (n)
        TRY(gravel_get(color->node.gravel, color->colors, colors, n * sizeof *colors, node));
    return colors;
}

/* How many colours all nodes use. */
static uint64_t count_colors(struct color *color)
{
    uint32_t *own = color_read(color, color->node.number);
    uint64_t most = 0;
    for (uint64_t i = 0; i < color_n_own(color); i++)
        most = own[i] != NO_COLOR && own[i] >= most ? own[i] + (uint64_t)1 : most;
    free(own);
    return node_most(&color->node, most);
}

/* ---- the program ----------------------------------------------------------------------------- */

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
    color->n_colors = count_colors(color);
    trials->work = (double)color->n_edges;
    if (color->node.schedule)
        snprintf(trials->variant, sizeof trials->variant, "%s", color->node.schedule);
    else if (color->is_ordered)
        snprintf(trials->variant, sizeof trials->variant, "ordered");
    part_describe(&color->part, color->options.seed, color->n_edges, trials);
    trials_add_number(trials, "rounds", color->n_rounds);
    trials_add_number(trials, "colors", color->n_colors);
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
    tasks_report(&color->scheduled.tasks, trials);
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
    .open = open_node,
    .reset = reset,
    .run = run,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct color color = {.part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &color, argc, argv);
}
