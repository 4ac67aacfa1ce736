/* SPDX-License-Identifier: MIT */
/*
 * The main of the recursions of MIT Cilk: from the program's table to that of an application. See cilk.h.
 */
#include "cilk.h"

#include <inttypes.h>
#include <stdio.h>

/* Work-items of a group unless --group gives them: a kernel has the code of all nodes, and GPUs may have too few
 * registers for larger groups. */
#define GROUP_ITEMS 256u

static const struct app_option form_options[] = {
    {"form", 0, "flow|plain",
     "Tasks of a channel-flow graph, or kernels that the host launches (flow)",
     OPTION_INDEX(struct cilk, form, uint32_t)},
    {0}};

/* ---- steps ------------------------------------------------------------------------------------- */

void cilk_open_flow(const struct gravel_channel_graph *graph, const char *source,
                    const char *options)
{
    struct cilk *cilk = cilk_program.cilk;
    struct gravel_channel_graph grouped = *graph;
    char file[32], function[32];
    snprintf(file, sizeof file, "%s.cl", cilk_program.name);
    snprintf(function, sizeof function, "%s_flow", cilk_program.name);
    grouped.group_items = cilk->node.group_items;
    TRY(gravel_flow_create(&cilk->flow, cilk->node.gravel, &grouped));
    TRY(gravel_flow_build(cilk->flow, file, source, options, function));
}

static void set_up(void *self)
{
    struct cilk *cilk = self;
    if (cilk_program.open)
        cilk_program.open();
    else
        node_open(&cilk->node, 0);
    (cilk->form ? cilk_program.plain : cilk_program.flow).open();
}

static void reset(void *self)
{
    struct cilk *cilk = self;
    cilk->result = UINT64_MAX;
    if (cilk_program.reset)
        cilk_program.reset();
}

static void run(void *self)
{
    const struct cilk *cilk = self;
    (cilk->form ? cilk_program.plain : cilk_program.flow).run();
}

static void close_flow(void *self)
{
    struct cilk *cilk = self;
    TRY(gravel_flow_destroy(cilk->flow));
}

/* ---- report and check -------------------------------------------------------------------------- */

/* Lets the flow's counts begin: those so far are of the warm-up, in which the device's compiler worked. */
static void describe(void *self, struct trials *trials)
{
    const struct cilk *cilk = self;
    if (cilk_program.plain.open)
        snprintf(trials->variant, sizeof trials->variant, "%s", cilk->form ? "plain" : "flow");
    cilk_program.describe(trials);
    if (cilk->flow)
        TRY(gravel_flow_stats_reset(cilk->flow));
}

static void result(void *self, struct trials *trials)
{
    const struct cilk *cilk = self;
    struct gravel_flow_stats stats;
    if (!cilk_program.reset) {
        trials_say(trials, "  %" PRIu64 " is the result\n", cilk->result);
        trials_add_number(trials, "result", cilk->result);
    }
    if (!cilk->flow)
        return;
    TRY(gravel_flow_stats_read(cilk->flow, &stats, sizeof stats));
    trials_say(trials, "  %" PRIu64 " elements in %" PRIu64 " rounds, %" PRIu64 " of one group\n",
               stats.elements, stats.rounds, stats.small_rounds);
#define ADD_FIELD(field, unit, help) trials_add_number(trials, "flow_" #field, stats.field);
    GRAVEL_FLOW_STATS_FIELDS(ADD_FIELD)
#undef ADD_FIELD
}

static uint64_t check(void *self, struct trials *trials)
{
    (void)self, (void)trials;
    return cilk_program.check();
}

int main(int argc, char **argv)
{
    const struct app app = {
        .name = cilk_program.name,
        .unit = cilk_program.unit,
        .doc = cilk_program.doc,
        .group_items = GROUP_ITEMS,
        .groups = {{"Problem:", 1, cilk_program.options, 0},
                   {"Form:", 2, cilk_program.plain.open ? form_options : NULL, 0}},
        APP_FIELDS(struct cilk),
        .open = set_up,
        .describe = describe,
        .reset = reset,
        .run = run,
        .result = result,
        .check = check,
        .method = "serial",
        .close = close_flow};
    return app_main(&app, cilk_program.cilk, argc, argv);
}
