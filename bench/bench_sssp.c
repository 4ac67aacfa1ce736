/* SPDX-License-Identifier: MIT */
/*
 * bench-sssp: shortest paths in plain C, as a peer of apps/sssp: its graphs, weights, source, report.
 *
 *     bench-sssp -g 18 -n 5 -v
 *
 *     delta    delta-stepping by OpenMP on all cores (OMP_NUM_THREADS)
 *     serial   on one
 *
 * The check is apps/sssp's, Dijkstra's algorithm; every distance must agree in every bit.
 *
 * Path:    main -> apps/graph/part.c -> sssp_delta.c -> apps/sssp/problem.c -> report.
 * Memory:  the part of the only node is the whole graph, its vertices in their order.
 * Threads: the main thread; in a search OpenMP's.
 * Source:  see sssp_delta.c.
 */
#include "peer.h"
#include "sssp_delta.h"
#include "graph/part.h"
#include "graph/weights.h"

#include <stdio.h>
#include <stdlib.h>

struct sssp {
    struct options options;
    struct graph_part part;
    enum peer_variant variant;
    uint64_t source; /* UINT64_MAX: to be drawn */
    double width;    /* 0: to be chosen */
    struct delta delta;
    uint64_t n_reached, n_reached_edges;
    double check_s; /* Dijkstra's time */
};

/* ---- options --------------------------------------------------------------------------------- */

#define PARALLEL "delta" /* the variant by OpenMP */

static error_t take_variant(struct argp_state *state, const struct app_option *option,
                            const char *value, void *field)
{
    return peer_take_variant(state, option, value, PARALLEL, field);
}

static const struct app_option own_options[] = {
    {"source", 'r', "VERTEX", "Start here (a vertex with edges, drawn by --seed)",
     OPTION_NUMBER(struct sssp, source, 0, GRAPH_MAX_VERTICES - 1)},
    {"delta", 'd', "WIDTH",
     "Settle distances in buckets of this width; 0: twice the mean weight over the mean degree (0)",
     OPTION_REAL(struct sssp, width)},
    {"variant", 0, "NAME",
     "delta, on all cores, if the compiler has OpenMP; serial, on one (delta)", take_variant,
     OPTION_AT(struct sssp, variant, enum peer_variant), 0, 0},
    {0}};

static const struct option_group groups[] = {
    {"SSSP:", 1, own_options, 0},
    OPTIONS_RUN_GROUP(offsetof(struct sssp, options)),
    GRAPH_OPTIONS_GROUP(offsetof(struct sssp, part.options))};

/* ---- set-up ---------------------------------------------------------------------------------- */

static void choose_source(struct sssp *self)
{
    const struct graph *rows = &self->part.rows;
    if (self->source == UINT64_MAX)
        self->source = sssp_draw_source_of(rows, self->options.seed);
    sssp_check_source(rows->n_vertices, self->source);
}

static void set_up(struct sssp *self)
{
    struct graph_part *part = &self->part;
    part_survey(part, self->options.seed, (struct part_wish){.refuse_negative = true});
    enum sssp_form form = sssp_choose_form(&part->survey);
    sssp_check_delta(form, self->width);
    part_open(part, 1, 0);
    graph_draw_weights(&part->rows, NULL, self->options.seed);
    choose_source(self);
    delta_open(&self->delta, &part->rows, form,
               self->width > 0 ? self->width : delta_width(&part->rows, form),
               peer_threads(self->variant));
}

/* ---- searches -------------------------------------------------------------------------------- */

static int reset(void *app, unsigned trial)
{
    struct sssp *self = app;
    (void)trial;
    delta_reset(&self->delta, self->source);
    return 0;
}

static int search(void *app, unsigned trial)
{
    struct sssp *self = app;
    (void)trial;
    delta_search(&self->delta);
    return 0;
}

/* As sssp does, search once before the trials: that tells which vertices are reached. */
static void warm_up(struct sssp *self)
{
    const struct graph *rows = &self->part.rows;
    reset(self, 0);
    search(self, 0);
    for (uint64_t v = 0; v < rows->n_vertices; v++)
        if (delta_distance(&self->delta, v) != sssp_far(self->delta.form)) {
            self->n_reached++;
            self->n_reached_edges += graph_degree(rows, v);
        }
}

/* ---- main ------------------------------------------------------------------------------------ */

static void describe(const struct sssp *self, struct trials *trials)
{
    const struct delta *delta = &self->delta;
    part_describe(&self->part, self->options.seed, self->part.survey.n_edges, trials);
    trials_add_number(trials, "source", self->source);
    trials_add_real(trials, "delta", delta->width);
    trials_add_word(trials, "distances", sssp_form_name(delta->form));
    trials_add_number(trials, "rounds", delta->n_rounds);
    trials_add_number(trials, "buckets", delta->n_filled);
    trials_add_number(trials, "fused", delta->n_fused);
    trials_add_number(trials, "relaxed_edges", delta->n_relaxed);
    trials_add_number(trials, "reached_vertices", self->n_reached);
    trials_add_number(trials, "reached_edges", self->n_reached_edges);
    trials_add_number(trials, "threads", delta->n_threads);
}

/* @return  vertices with a wrong distance [count]. */
static uint64_t check(struct sssp *self, struct trials *trials)
{
    const struct graph *rows = &self->part.rows;
    double start = trials_clock();
    uint64_t *distances = sssp_dijkstra(rows, self->delta.form, self->source), n_wrong = 0;
    self->check_s = trials_clock() - start;
    for (uint64_t v = 0; v < rows->n_vertices; v++)
        n_wrong += delta_distance(&self->delta, v) != distances[v];
    free(distances);
    trials_add_real(trials, "serial_seconds", self->check_s);
    trials_say(trials,
               "  source %llu, %llu rounds in %llu buckets of %g, %llu of %llu vertices reached; "
               "Dijkstra, serial: %.6f s\n",
               (unsigned long long)self->source, (unsigned long long)self->delta.n_rounds,
               (unsigned long long)self->delta.n_filled, self->delta.width,
               (unsigned long long)self->n_reached, (unsigned long long)rows->n_vertices,
               self->check_s);
    return n_wrong;
}

static uint64_t run(struct sssp *self)
{
    struct trials trials = {.name = "bench-sssp",
                            .unit = "edges/s",
                            .n_nodes = 1,
                            .n_trials = self->options.n_trials,
                            .json = self->options.json};
    snprintf(trials.variant, sizeof trials.variant, "%s", peer_name(self->variant, PARALLEL));
    graph_options_name(&self->part.options, trials.input, sizeof trials.input);
    warm_up(self);
    trials.work = (double)self->n_reached_edges;
    peer_run(&trials, reset, search, self);
    describe(self, &trials);
    return peer_report(&trials, self->options.verify,
                       self->options.verify ? check(self, &trials) : 0);
}

int main(int argc, char **argv)
{
    struct sssp self = {.options = OPTIONS_DEFAULT,
                        .part.options = GRAPH_OPTIONS_DEFAULT,
                        .variant = peer_default(),
                        .source = UINT64_MAX};
    options_parse(groups, sizeof groups / sizeof *groups,
                  "Shortest paths in plain C, by delta-stepping on all cores, or on one.", &self,
                  argc, argv);
    set_up(&self);
    uint64_t n_wrong = run(&self);
    delta_close(&self.delta);
    part_close(&self.part);
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
