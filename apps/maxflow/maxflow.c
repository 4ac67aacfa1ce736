/* SPDX-License-Identifier: MIT */
/*
 * Maximum flows by push-relabel, with a critical section for each vertex.
 *
 * Served, the handler of an active vertex wakes its neighbours by messages of its own, so that the messages are the list of
 * what is to be done; with locks or atomic operations a list is made for each launch.
 *
 * Path: main -> open.c -> rounds.c -> check.c -> report
 * Source: Goldberg and Tarjan 1988; Wang, Fussell, Lin 2019, section 4 (MF).
 */
#include "maxflow.h"

#include <stdio.h>

static const struct app_option own_options[] = {
    {"file", 'f', "FILE", "A network in DIMACS' format of maximum flows, plain or gzip",
     OPTION_WORD(struct maxflow, file)},
    {"rows", 0, "N", "Without a file: a mesh of N rows (64)",
     OPTION_NUMBER(struct maxflow, rows, 1, 1 << 20)},
    {"columns", 0, "N", "of N vertices each (64)",
     OPTION_NUMBER(struct maxflow, columns, 1, 1 << 20)},
    {"capacity", 0, "N", "Arcs of a mesh have capacities from 1 to N (1000)",
     OPTION_NUMBER(struct maxflow, most_capacity, 1, 1000000)},
    {"pending", 0, "N", "Vertices that may wait at one server (all)",
     OPTION_NUMBER(struct maxflow, max_pending, 0, 1 << 30)},
    {0}};

static void describe(void *self, struct trials *trials)
{
    const struct maxflow *maxflow = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", maxflow->sections.form->name);
    if (maxflow->file)
        snprintf(trials->input, sizeof trials->input, "%s", maxflow->file);
    else
        snprintf(trials->input, sizeof trials->input, "mesh %llu x %llu",
                 (unsigned long long)maxflow->rows, (unsigned long long)maxflow->columns);
    trials->work = (double)(maxflow->net.n_entries / 2);
    trials_add_number(trials, "vertices", maxflow->net.n_vertices);
    trials_add_number(trials, "arcs", maxflow->net.n_entries / 2);
    trials_add_number(trials, "groups", maxflow->sections.n_groups);
    trials_add_number(trials, "group_items", maxflow->node.group_items);
}

static void reset(void *self)
{
    (void)self; /* the trial's first kernel empties the network */
}

static void result(void *self, struct trials *trials)
{
    struct maxflow *maxflow = self;
    (void)maxflow_look(maxflow);
    trials_add_number(trials, "flow", maxflow->flow);
    trials_add_number(trials, "cut_arcs", maxflow->n_cut);
    trials_add_number(trials, "rounds", maxflow->n_rounds);
    trials_add_number(trials, "levels", maxflow->n_levels);
    trials_add_real(trials, "section_seconds", maxflow->section_s);
    trials_say(trials,
               "  flow %llu, through %llu arcs of a minimum cut; %llu rounds, sections %.6f s\n",
               (unsigned long long)maxflow->flow, (unsigned long long)maxflow->n_cut,
               (unsigned long long)maxflow->n_rounds, maxflow->section_s);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct maxflow *maxflow = self;
    const double begin_s = trials_clock();
    const uint64_t expected = maxflow_serial(&maxflow->net);
    maxflow->serial_s = trials_clock() - begin_s;
    trials_add_real(trials, "serial_seconds", maxflow->serial_s);
    trials_say(trials, "  Dinic, serial: %.6f s\n", maxflow->serial_s);
    return maxflow_look(maxflow) + (maxflow->flow != expected);
}

static const struct app app = {
    .name = "maxflow",
    .unit = "arcs/s",
    .doc = "Find the maximum flow of a network and a minimum cut by push-relabel, with a critical "
           "section for each vertex.",
    .group_items = SECTIONS_GROUP,
    .groups = {{"Network:", 1, own_options, 0},
               SECTIONS_OPTIONS_GROUP(offsetof(struct maxflow, sections))},
    APP_FIELDS(struct maxflow),
    .open = maxflow_open,
    .reset = reset,
    .run = maxflow_run,
    .describe = describe,
    .result = result,
    .check = check,
    .close = maxflow_close};

int main(int argc, char **argv)
{
    struct maxflow maxflow = {
        .sections = SECTIONS_WITHOUT(" nested"), .rows = 64, .columns = 64, .most_capacity = 1000};
    return app_main(&app, &maxflow, argc, argv);
}
