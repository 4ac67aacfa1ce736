/* SPDX-License-Identifier: MIT */
/*
 * N queens: how many placements there are on a board of N x N so that none attacks another.
 *
 * As a flow every board with some rows filled is a task, and makes a task for each place of its next row; one work-item
 * fills the last rows. With a plain kernel the host fills the first rows. Nodes share the places of the first row, and
 * add up what they found. The check is a recursion in C.
 *
 * Path: main -> flow.c or plain.c
 * Source: Orr 2016, section 4.5 and table 4-3.
 */
#include "parts.h"

#include <stdio.h>

static const struct app_option own_options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Rows of the board (12)",
     OPTION_COUNT(struct app_queens, n, 2, 18)},
    {"base", 0, "ROWS", "Rows that one work-item fills (4)",
     OPTION_COUNT(struct app_queens, base, 1, 18)},
    {"deal", 0, "ROWS", "Rows after which boards are dealt to all nodes by messages (0: none are)",
     OPTION_COUNT(struct app_queens, deal, 0, 17)},
    FLOW_FORM_OPTION(struct app_queens),
    {0}};

/* ---- steps ----------------------------------------------------------------------------------- */

uint32_t queens_full_row(const struct app_queens *app)
{
    return (UINT32_C(1) << app->n) - 1;
}

uint32_t queens_first_places(const struct app_queens *app)
{
    uint32_t places = 0;
    for (uint32_t i = app->node.number; i < app->n; i += app->node.n_processes)
        places |= UINT32_C(1) << i;
    return places;
}

static const struct flow_form *form_of(const struct app_queens *app)
{
    return app->is_plain ? &queens_plain : &queens_flow;
}

static void set_up(void *self)
{
    struct app_queens *app = self;
    form_of(app)->open(app);
}

static void reset(void *self)
{
    struct app_queens *app = self;
    app->result = UINT64_MAX;
}

static void run(void *self)
{
    form_of(self)->run(self);
}

/* ---- report and check ------------------------------------------------------------------------ */

static uint64_t solutions(uint32_t full, uint32_t columns, uint32_t left, uint32_t right)
{
    uint64_t n = 0;
    if (columns == full)
        return 1;
    for (uint32_t places = full & ~(columns | left | right); places; places &= places - 1) {
        uint32_t place = places & -places;
        n += solutions(full, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return n;
}

/* Untimed, before the trials: how much they find. */
static void describe(void *self, struct trials *trials)
{
    struct app_queens *app = self;
    reset(app);
    run(app);
    snprintf(trials->input, sizeof trials->input, "%u queens, base %u", app->n, app->base);
    snprintf(trials->variant, sizeof trials->variant, "%s", form_of(app)->name);
    trials->work = (double)app->result;
    trials_add_number(trials, "n", app->n);
    trials_add_number(trials, "base", app->base);
    trials_add_number(trials, "deal", app->deal);
    trials_add_word(trials, "form", form_of(app)->name);
    if (app->flow)
        flow_describe(app->flow, trials);
}

static void tell_result(void *self, struct trials *trials)
{
    const struct app_queens *app = self;
    trials_say(trials, "  %llu solutions\n", (unsigned long long)app->result);
    trials_add_number(trials, "result", app->result);
    if (app->flow)
        flow_tell(app->flow, trials);
}

static uint64_t serial(const void *self)
{
    return solutions(queens_full_row(self), 0, 0, 0);
}

static uint64_t check(void *self, struct trials *trials)
{
    const struct app_queens *app = self;
    return flow_check(trials, trials->work, app->result, serial, app);
}

static void close_all(void *self)
{
    struct app_queens *app = self;
    flow_close(app->flow, &app->node);
}

static const struct app app = {.name = "queens",
                               .unit = "solutions/s",
                               .doc = "Count the placements of N queens on a board of N x N, every "
                                      "board with some rows filled a task of a channel-flow graph.",
                               .group_items = FLOW_GROUP,
                               .groups = {{"Problem:", 1, own_options, 0}},
                               APP_FIELDS(struct app_queens),
                               .open = set_up,
                               .describe = describe,
                               .reset = reset,
                               .run = run,
                               .result = tell_result,
                               .check = check,
                               .close = close_all};

int main(int argc, char **argv)
{
    struct app_queens self = {.n = 12, .base = 4};
    return app_main(&app, &self, argc, argv);
}
