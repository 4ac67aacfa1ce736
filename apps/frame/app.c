/* SPDX-License-Identifier: MIT */
/*
 * From options to trials to a report: lines for people, or one JSON object. See app.h.
 */
#include "frame/app.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct measurement {
    const struct app *app;
    void *self;
    const struct options *options;
    struct node *node;
    struct trials trials;
    json_t *each;    /* trial's seconds, in the order in which they ran */
    double *seconds; /* [options->n_trials], of which n_run have run */
    unsigned n_run;
    uint64_t n_wrong; /* at all nodes */
};

/* ---- what all nodes counted ------------------------------------------------------------------------ */

/* Lists every process's counters, each by a sum to which it alone adds. Collective. */
static json_t *gather_statistics(struct node *node)
{
    struct gravel_stats own, row;
    json_t *rows = json_array();
    TRY(gravel_stats_read(node->gravel, &own, sizeof own, GRAVEL_ALL_NODES));
    for (uint32_t i = 0; i < node->n_processes; i++) {
        row = i == node->number ? own : (struct gravel_stats){0};
        node_reduce(node, GRAVEL_ADD, (uint64_t *)&row, sizeof row / sizeof(uint64_t));
        json_t *object = json_object();
#define SET_FIELD(field, unit, help) \
    json_object_set_new(object, #field, json_integer((json_int_t)row.field));
        GRAVEL_STATS_FIELDS(SET_FIELD)
#undef SET_FIELD
        json_array_append_new(rows, object);
    }
    return rows;
}

/* ---- the report, which node 0 prints --------------------------------------------------------------- */

static void print_head(const struct measurement *run)
{
    const struct trials *trials = &run->trials;
    const uint32_t n_nodes = run->node->n_nodes;
    printf("%s%s%s  %s  %u node%s  ", run->app->name, *trials->variant ? "/" : "", trials->variant,
           trials->input, n_nodes, n_nodes == 1 ? "" : "s");
    if (run->node->model != model_gravel)
        printf("model %s  ", run->node->model->name);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_json(struct measurement *run, double median, json_t *statistics)
{
    struct trials *trials = &run->trials;
    if (run->n_wrong)
        trials_add_number(trials, "wrong", run->n_wrong);
    /* clang-format off */
    json_t *object =
        json_pack("{s:s, s:o?, s:s, s:o?, s:I, s:O, s:O, s:f, s:O, s:f, s:s, s:o}",
                  "name", run->app->name,
                  "variant", *trials->variant ? json_string(trials->variant) : NULL,
                  "model", run->node->model->name,
                  "input", json_string(trials->input), /* NULL: its name is not UTF-8 */
                  "nodes", (json_int_t)run->node->n_nodes,
                  "parameters", trials->parameters,
                  "statistics", statistics,
                  "seconds", median,
                  "seconds_each", run->each,
                  "rate", run->trials.work / median,
                  "unit", run->app->unit,
                  "valid", run->options->verify ? json_boolean(!run->n_wrong) : json_null());
    /* clang-format on */
    if (!object || (json_dumpf(object, stdout, JSON_COMPACT) && !ferror(stdout)))
        die("no memory for the report");
    putchar('\n');
    json_decref(object);
}

static void print_summary(const struct measurement *run, double median)
{
    print_head(run);
    printf("median %.6f s (min %.6f, max %.6f; %u trial%s)  %.4g M %s  ", median, run->seconds[0],
           run->seconds[run->n_run - 1], run->n_run, run->n_run == 1 ? "" : "s",
           1e-6 * run->trials.work / median, run->app->unit);
    if (run->n_wrong)
        printf("FAIL: wrong: %llu\n", (unsigned long long)run->n_wrong);
    else
        puts(run->options->verify ? "PASS" : "not checked");
}

/* Prints what all nodes came to, at node 0. Collective. */
static void report(struct measurement *run)
{
    json_t *statistics = run->options->json ? gather_statistics(run->node) : NULL;
    run->n_wrong = node_sum(run->node, run->n_wrong);
    qsort(run->seconds, run->n_run, sizeof *run->seconds, compare_doubles);
    const double median = (run->seconds[(run->n_run - 1) / 2] + run->seconds[run->n_run / 2]) / 2;
    if (run->trials.has_reader)
        print_summary(run, median);
    else if (run->node->number == 0)
        print_json(run, median, statistics);
    json_decref(statistics);
}

/* ---- from the command line to the report ----------------------------------------------------------- */

#define LINE_S 5

static double said_s; /* when the run began, or has said how far it is */

void app_say_part(const struct options *options, const struct node *node, double part)
{
    if (node->number || options->json || options->quiet || trials_clock() - said_s < LINE_S)
        return;
    printf("  %.1f %% done\n", 100 * part);
    fflush(stdout);
    said_s = trials_clock();
}

/* Runs once. Statistics are the last run's: they begin when all nodes are ready for it. @return  seconds, never 0 */
static double run_once(const struct app *app, void *self, struct node *node)
{
    if (app->reset)
        app->reset(self);
    TRY(gravel_barrier(node->gravel));
    TRY(gravel_stats_reset(node->gravel));
    const double begin_s = said_s = trials_clock();
    app->run(self);
    return trials_clock() - begin_s + 1e-9;
}

static void run_trial(struct measurement *run)
{
    const double seconds = run_once(run->app, run->self, run->node);
    if (run->trials.has_reader && !run->options->quiet) {
        print_head(run);
        printf("%.6f s  %.4g M %s\n", seconds, 1e-6 * run->trials.work / seconds, run->app->unit);
        fflush(stdout);
    }
    json_array_append_new(run->each, json_real(seconds));
    run->seconds[run->n_run++] = seconds;
}

static void measure(struct measurement *run)
{
    const struct app *app = run->app;
    struct trials *trials = &run->trials;
    trials->has_reader = run->node->number == 0 && !run->options->json;
    run->seconds = app_array(run->options->n_trials, sizeof *run->seconds, "the trials");
    app->describe(run->self, trials);
    trials_add_number(trials, "group_items", run->node->group_items);
    trials_add_number(trials, "seed", run->options->seed);
    while (run->n_run < run->options->n_trials)
        run_trial(run);
    if (app->result)
        app->result(run->self, trials);
    const double begin_s = trials_clock();
    if (run->options->verify)
        run->n_wrong = app->check(run->self, trials);
    if (run->options->verify && app->method)
        trials_add_serial(trials, app->method, begin_s);
    report(run);
    json_decref(trials->parameters);
    json_decref(run->each);
    free(run->seconds);
}

int app_main(const struct app *app, void *self, int argc, char **argv)
{
    struct options *options = (struct options *)((char *)self + app->options);
    struct node *node = (struct node *)((char *)self + app->node);
    struct measurement run = {.app = app,
                              .self = self,
                              .options = options,
                              .node = node,
                              .trials.parameters = json_object(),
                              .each = json_array()};
    const struct option_group groups[] = {
        app->groups[0],
        OPTIONS_RUN_GROUP(app->options),
        app->groups[1],
        {"Device and messages:", 30, options_of_nodes + !app->has_models, app->node}};
    *options = OPTIONS_DEFAULT;
    *node = NODE_DEFAULT;
    node->group_items = app->group_items;
    signal(SIGXFSZ, SIG_IGN); /* what is written beyond RLIMIT_FSIZE fails, and is named */
    options_parse(groups, sizeof groups / sizeof *groups, app->doc, self, argc, argv);
    TRY(gravel_config_load(&node->config, sizeof node->config));
    const double begin_s = trials_clock();
    app->open(self);
    trials_add_real(&run.trials, "open_seconds", trials_clock() - begin_s);
    trials_add_number(&run.trials, "array_bytes", node->array_bytes);
    /* The device's compiler has done its work before the clock runs. */
    run_once(app, self, node);
    measure(&run);
    if (app->close)
        app->close(self);
    node_close(node);
    return run.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
