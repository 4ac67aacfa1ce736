/* SPDX-License-Identifier: MIT */
/*
 * From options to trials to a report. See app.h.
 *
 * Source: Orr 2016, table 5-4 (remote share, mean network message) and section 5.5 (polling), of the statistics.
 */
#include "frame/app.h"

#include <signal.h>
#include <stdlib.h>

/* ---- what all nodes counted, by a sum in which every node fills only its own row ----------------- */

#define N_FIELDS (sizeof(struct gravel_stats) / sizeof(uint64_t))

/* Fetches every process's counters. Collective. @return [n_processes], the same everywhere; to be freed. */
static struct gravel_stats *gather_stats(struct node *node)
{
    struct gravel_stats *stats = calloc(node->n_processes, sizeof *stats);
    if (!stats)
        die("no memory for the statistics of %u nodes", node->n_processes);
    TRY(gravel_stats_read(node->gravel, &stats[node->number], sizeof stats[node->number],
                          GRAVEL_ALL_NODES));
    node_reduce(node, GRAVEL_ADD, (uint64_t *)stats, node->n_processes * (uint32_t)N_FIELDS);
    return stats;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* Share of the threads' time in polls. The two are read one after the other, so polls may be ahead. */
static double poll_ratio(const struct gravel_stats *stats)
{
    double share = ratio(stats->poll_ns, stats->thread_ns);
    return share < 1 ? share : 1;
}

static double remote_share(const struct gravel_stats *stats)
{
    return ratio(stats->remote_messages, stats->messages + stats->host_messages);
}

/* Prints a line a process: where its messages went, and why its buffers left. */
static void print_stats(FILE *out, const struct gravel_stats *stats, uint32_t n_processes)
{
    fprintf(out, "  %4s  %8s  %17s  %8s  %8s  %8s  %10s  %7s\n", "node", "remote %",
            "mean network B", "full", "timeout", "flush", "queue full", "poll %");
    for (uint32_t i = 0; i < n_processes; i++, stats++)
        fprintf(out, "  %4u  %8.1f  %17.0f  %8llu  %8llu  %8llu  %10llu  %7.1f\n", i,
                100 * remote_share(stats), ratio(stats->network_bytes, stats->network_buffers),
                (unsigned long long)stats->buffers_full, (unsigned long long)stats->buffers_timeout,
                (unsigned long long)stats->buffers_flush,
                (unsigned long long)stats->queue_full_waits, 100 * poll_ratio(stats));
}

/* All counters of a process, and the ratios made of them. */
static json_t *row_json(const struct gravel_stats *stats)
{
    json_t *row = json_pack(
        "{s:f, s:f, s:f}", "remote_share", remote_share(stats), "mean_network_bytes",
        ratio(stats->network_bytes, stats->network_buffers), "poll_ratio", poll_ratio(stats));
#define SET_FIELD(field, unit, help) \
    json_object_set_new(row, #field, json_integer((json_int_t)stats->field));
    GRAVEL_STATS_FIELDS(SET_FIELD)
#undef SET_FIELD
    return row;
}

/* Reports what node 0 has to say: the statistics and the summary. Collective. */
static void report(struct node *node, struct trials *trials)
{
    struct gravel_stats *stats = gather_stats(node);
    if (trials->json || node->model != model_gravel)
        trials->model = node->model->name;
    if (trials->json)
        trials->statistics = json_array();
    for (uint32_t i = 0; trials->json && i < node->n_processes; i++)
        json_array_append_new(trials->statistics, row_json(&stats[i]));
    if (!trials->json && node->number == 0)
        print_stats(stdout, stats, node->n_processes);
    free(stats);
    trials->n_wrong = node_sum(node, trials->n_wrong);
    if (trials->n_wrong)
        trials_add_number(trials, "wrong", trials->n_wrong);
    trials_report(trials);
}

/* ---- from the command line to the report ----------------------------------------------------------- */

static void parse(const struct app *app, void *self, struct options *options, struct node *node,
                  int argc, char **argv)
{
    *options = OPTIONS_DEFAULT;
    *node = NODE_DEFAULT;
    if (app->group_items)
        node->group_items = app->group_items;
    const struct option_group groups[] = {
        app->groups[0],
        OPTIONS_RUN_GROUP(app->options),
        app->groups[1],
        {"Device and messages:", 30, options_of_nodes + !app->has_models, app->node}};
    options_parse(groups, sizeof groups / sizeof *groups, app->doc, self, argc, argv);
}

static void reset(const struct app *app, void *self)
{
    if (app->reset)
        app->reset(self);
}

/* So that the device's compiler has done its work before the clock runs. */
static void warm_up(const struct app *app, void *self)
{
    if (!app->warm_up)
        reset(app, self);
    (app->warm_up ? app->warm_up : app->run)(self);
}

/* Runs the trials. Statistics are the last one's: they begin when all nodes are ready for it. */
static void run(const struct app *app, void *self, struct gravel *gravel, struct trials *trials)
{
    while (trials->n_run < trials->n_trials) {
        reset(app, self);
        TRY(gravel_barrier(gravel));
        TRY(gravel_stats_reset(gravel));
        const double start = trials_clock();
        app->run(self);
        trials_add_time(trials, trials_clock() - start);
    }
}

static int measure(const struct app *app, void *self, const struct options *options,
                   struct node *node)
{
    struct trials trials = {.name = app->name,
                            .unit = app->unit,
                            .checked = app->checked,
                            .n_nodes = node->n_nodes,
                            .node = node->number,
                            .n_trials = options->n_trials,
                            .json = options->json,
                            .is_quiet = options->quiet,
                            .parameters = json_object(),
                            .was_checked = options->verify,
                            .seconds =
                                app_array(options->n_trials, sizeof *trials.seconds, "the trials")};
    app->describe(self, &trials);
    trials_add_number(&trials, "group_items", node->group_items);
    trials_add_number(&trials, "seed", options->seed);
    run(app, self, node->gravel, &trials);
    if (app->result)
        app->result(self, &trials);
    if (options->verify)
        trials.n_wrong = app->check(self, &trials);
    report(node, &trials);
    return trials.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int app_main(const struct app *app, void *self, int argc, char **argv)
{
    struct options *options = (struct options *)((char *)self + app->options);
    struct node *node = (struct node *)((char *)self + app->node);
    signal(SIGXFSZ, SIG_IGN); /* what is written beyond RLIMIT_FSIZE fails, and is named */
    parse(app, self, options, node, argc, argv);
    app->open(self);
    warm_up(app, self);
    const int status = measure(app, self, options, node);
    if (app->close)
        app->close(self);
    node_close(node);
    return status;
}
