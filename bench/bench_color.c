/* SPDX-License-Identifier: MIT */
/*
 * bench-color: greedy colouring in plain C, as a peer of apps/color: its graphs and report.
 *
 *     bench-color -g 18 -n 5 -v
 *
 *     speculative   by OpenMP on all cores (OMP_NUM_THREADS)
 *     serial        on one: first fit by number, which apps/color times as "greedy, serial"
 *
 * The check goes through all edges: neighbours differ, and no more colours are in use than the largest degree and one.
 *
 * Path:    main -> apps/graph/part.c -> color_greedy.c -> check -> report.
 * Memory:  the part of the only node is the whole graph, its vertices in their order.
 * Threads: the main thread; in a colouring OpenMP's.
 * Source:  see color_greedy.c.
 */
#include "color_greedy.h"
#include "peer.h"
#include "graph/part.h"

#include <stdio.h>
#include <stdlib.h>

struct color {
    struct options options;
    struct graph_part part;
    enum peer_variant variant;
    struct greedy greedy;
    uint64_t n_colors; /* of the last colouring: one more than the greatest in use */
};

/* ---- options --------------------------------------------------------------------------------- */

#define PARALLEL "speculative" /* the variant by OpenMP */

static error_t take_variant(struct argp_state *state, const struct app_option *option,
                            const char *value, void *field)
{
    return peer_take_variant(state, option, value, PARALLEL, field);
}

static const struct app_option own_options[] = {
    {"variant", 0, "NAME",
     "speculative, on all cores, if the compiler has OpenMP; serial, on one (speculative)",
     take_variant, OPTION_AT(struct color, variant, enum peer_variant), 0, 0},
    {0}};

static const struct option_group groups[] = {
    {"Color:", 1, own_options, 0},
    OPTIONS_RUN_GROUP(offsetof(struct color, options)),
    GRAPH_OPTIONS_GROUP(offsetof(struct color, part.options))};

/* ---- set-up and trials ----------------------------------------------------------------------- */

static void set_up(struct color *self)
{
    part_survey(&self->part, self->options.seed, (struct part_wish){.is_undirected = true});
    part_open(&self->part, 1, 0);
    greedy_open(&self->greedy, &self->part.rows, peer_threads(self->variant));
}

static int reset(void *app, unsigned trial)
{
    struct color *self = app;
    (void)trial;
    greedy_reset(&self->greedy);
    return 0;
}

static int color(void *app, unsigned trial)
{
    struct color *self = app;
    (void)trial;
    greedy_color(&self->greedy);
    return 0;
}

/* ---- result ---------------------------------------------------------------------------------- */

static uint64_t count_colors(const struct color *self)
{
    uint64_t n_colors = 0;
    for (uint64_t v = 0; v < self->part.rows.n_vertices; v++) {
        uint32_t color = greedy_color_of(&self->greedy, v);
        n_colors = color != NO_COLOR && color >= n_colors ? color + UINT64_C(1) : n_colors;
    }
    return n_colors;
}

static bool is_wrong(const struct color *self, uint64_t v)
{
    const struct graph *rows = &self->part.rows;
    uint32_t color = greedy_color_of(&self->greedy, v);
    for (uint64_t e = rows->offsets[v]; e < rows->offsets[v + 1]; e++)
        if (greedy_color_of(&self->greedy, rows->neighbours[e]) == color)
            return true;
    return color > self->greedy.largest_degree; /* NO_COLOR too */
}

/* @return  vertices with a wrong colour [count]. */
static uint64_t check(const struct color *self)
{
    uint64_t n_wrong = 0;
    for (uint64_t v = 0; v < self->part.rows.n_vertices; v++)
        n_wrong += is_wrong(self, v);
    return n_wrong;
}

static void describe(const struct color *self, struct trials *trials)
{
    const struct greedy *greedy = &self->greedy;
    part_describe(&self->part, self->options.seed, self->part.rows.n_edges, trials);
    trials_add_number(trials, "rounds", greedy->n_rounds);
    trials_add_number(trials, "colored_again", greedy->n_again);
    trials_add_number(trials, "colors", self->n_colors);
    trials_add_number(trials, "largest_degree", greedy->largest_degree);
    trials_add_number(trials, "threads", greedy->n_threads);
    trials_say(trials, "  %llu colours in %llu rounds, %llu vertices again; largest degree %llu\n",
               (unsigned long long)self->n_colors, (unsigned long long)greedy->n_rounds,
               (unsigned long long)greedy->n_again, (unsigned long long)greedy->largest_degree);
}

/* ---- main ------------------------------------------------------------------------------------ */

static uint64_t run(struct color *self)
{
    struct trials trials = {.name = "bench-color",
                            .unit = "edges/s",
                            .work = (double)self->part.rows.n_edges,
                            .n_nodes = 1,
                            .n_trials = self->options.n_trials,
                            .json = self->options.json};
    snprintf(trials.variant, sizeof trials.variant, "%s", peer_name(self->variant, PARALLEL));
    graph_options_name(&self->part.options, trials.input, sizeof trials.input);
    peer_run(&trials, reset, color, self);
    self->n_colors = count_colors(self);
    describe(self, &trials);
    return peer_report(&trials, self->options.verify, self->options.verify ? check(self) : 0);
}

int main(int argc, char **argv)
{
    struct color self = {.options = OPTIONS_DEFAULT,
                         .part.options = GRAPH_OPTIONS_DEFAULT,
                         .variant = peer_default()};
    options_parse(groups, sizeof groups / sizeof *groups,
                  "Greedy colouring in plain C, on all cores, or on one.", &self, argc, argv);
    set_up(&self);
    uint64_t n_wrong = run(&self);
    greedy_close(&self.greedy);
    part_close(&self.part);
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
