/* SPDX-License-Identifier: MIT */
/*
 * Minimum spanning trees by Boruvka's algorithm, with a critical section for each component.
 *
 * Every round each vertex offers its lightest edge to another component, a component takes the lightest offer, and what
 * that joins is one component in the next round.
 *
 * Path: main -> open.c -> rounds.c -> check.c -> report
 * Source: Boruvka 1926; Wang, Fussell, Lin 2019, section 4 (MST).
 */
#include "mst.h"

#include <stdio.h>
#include <stdlib.h>

static void describe(void *self, struct trials *trials)
{
    const struct mst *mst = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", mst->sections.form->name);
    trials->work = (double)mst->edges.n;
    part_describe(&mst->part, mst->options.seed, mst->edges.n, trials);
    trials_add_number(trials, "groups", mst->sections.n_groups);
    trials_add_number(trials, "group_items", mst->node.group_items);
}

static void result(void *self, struct trials *trials)
{
    struct mst *mst = self;
    cl_uint *is_in_tree = mst_read(mst);
    mst->n_tree = 0;
    mst->tree_weight = 0;
    for (uint64_t e = 0; e < mst->edges.n; e++)
        if (is_in_tree[e]) {
            mst->n_tree++;
            mst->tree_weight += mst_weight(mst, e);
        }
    free(is_in_tree);
    trials_add_number(trials, "rounds", mst->n_rounds);
    trials_add_number(trials, "offers", mst->n_offers);
    trials_add_number(trials, "tree_edges", mst->n_tree);
    trials_add_real(trials, "tree_weight", mst->tree_weight);
    trials_add_real(trials, "section_seconds", mst->section_s);
    trials_say(trials,
               "  %llu edges of weight %.10g; %llu offers in %llu rounds, sections %.6f s\n",
               (unsigned long long)mst->n_tree, mst->tree_weight, (unsigned long long)mst->n_offers,
               (unsigned long long)mst->n_rounds, mst->section_s);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct mst *mst = self;
    const uint64_t n_wrong = mst_check(mst);
    trials_add_real(trials, "serial_seconds", mst->serial_s);
    trials_say(trials, "  Kruskal, serial: %.6f s\n", mst->serial_s);
    return n_wrong;
}

static const struct app app = {
    .name = "mst",
    .unit = "edges/s",
    .doc = "Find a graph's minimum spanning tree, or one for each of its parts, with a critical "
           "section for each component. Directions of edges and loops do not count.",
    .group_items = SECTIONS_GROUP,
    .groups = {SECTIONS_OPTIONS_GROUP(offsetof(struct mst, sections)),
               GRAPH_OPTIONS_GROUP(offsetof(struct mst, part.options))},
    APP_FIELDS(struct mst),
    .open = mst_open,
    .reset = mst_reset,
    .run = mst_run,
    .describe = describe,
    .result = result,
    .check = check,
    .close = mst_close};

int main(int argc, char **argv)
{
    struct mst mst = {.sections = SECTIONS_WITHOUT(" nested"),
                      .part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &mst, argc, argv);
}
