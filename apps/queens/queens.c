/* SPDX-License-Identifier: MIT */
/*
 * N queens: how many placements there are on a board of N x N so that none attacks another.
 *
 * As a flow every board with some rows filled is a task, and makes a task for each place of its next row; one work-item
 * fills the last rows. With a plain kernel the host fills the first rows. Nodes share the places of the first row, and
 * add up what they found. The check is a recursion in C.
 *
 * Path: main -> queens.cl or plain.cl
 * Source: Orr 2016, section 4.5 and table 4-3; NQU of Bakhoda et al., Analyzing CUDA Workloads Using a Detailed GPU
 * Simulator (GPGPU-Sim), ISPASS 2009.
 */
#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"

#include <gravel/channel.h>

#include "queens.h"

#include <stdio.h>
#include <stdlib.h>

extern const char queens_cl[], plain_cl[];

struct app_queens {
    struct options options;
    struct node node;
    bool is_plain;
    uint32_t n;
    uint32_t base; /* rows that one work-item fills, of the flow */
    uint32_t deal; /* rows after which the flow deals boards to all nodes; 0: it does not */
    struct gravel_flow *flow;
    cl_kernel solve; /* of the form without a flow */
    uint64_t result; /* of all nodes */
};

static uint32_t full_row(const struct app_queens *app)
{
    return (UINT32_C(1) << app->n) - 1;
}

static uint32_t first_places(const struct app_queens *app)
{
    uint32_t places = 0;
    for (uint32_t i = app->node.number; i < app->n; i += app->node.n_processes)
        places |= UINT32_C(1) << i;
    return places;
}

/* ---- as a flow ------------------------------------------------------------------------------- */

/* Rows filled by tasks. */
static uint32_t task_rows(const struct app_queens *app)
{
    return app->n > app->base ? app->n - app->base : 1;
}

/* A board that a node has dealt to this one, whose solutions are added to the caller's result. */
static int take_board(struct gravel *gravel, void *user, uint32_t source,
                      const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    struct app_queens *app = user;
    const struct queens board = {(cl_uint)args[0], (cl_uint)args[1], (cl_uint)args[2], .to = 0};
    (void)gravel, (void)source;
    return gravel_flow_post(app->flow, "queens", &board, 1);
}

static struct gravel_flow *open_flow(struct app_queens *app)
{
    uint32_t n = app->n, n_tasks = task_rows(app), levels = n_tasks - app->deal + 1;
    const struct gravel_edge queens[] = {{"queens", n}, {"solve", n}, {"total", 1}};
    const struct gravel_edge begin[] = {{"begin", n}};
    const struct gravel_channel channels[] = {
        {"queens", sizeof(struct queens), GRAVEL_SPAWN, 0, 3, queens},
        {"solve", sizeof(struct solve), GRAVEL_SPAWN, 0, 0, NULL},
        {"total", sizeof(struct total), GRAVEL_AFTER, 0, 0, NULL},
        {"begin", sizeof(struct begin), GRAVEL_SPAWN, 0, 1, begin}};
    const struct gravel_graph graph =
        GRAVEL_GRAPH(channels, app->deal ? 4 : 3, .depth = levels > app->deal ? levels : app->deal,
                     .n_messages = app->deal ? n : 0);
    return flow_open(&app->node, &graph);
}

/* A dealt board may come once the node is open everywhere, but only the end of this says that its flow is. */
static void set_up_flow(void *self)
{
    struct app_queens *app = self;
    const struct gravel_handler handler = {
        .name = "deal", .n_args = 3, .function = take_board, .user = app};
    char options[64];
    if (app->deal && app->deal >= task_rows(app))
        die("--deal: after %u rows, and tasks fill %u", app->deal, task_rows(app));
    snprintf(options, sizeof options, "-DQUEENS_BASE=%u -DQUEENS_DEAL=%uu", app->n - task_rows(app),
             app->deal);
    app->node.handlers = &handler;
    app->node.n_handlers = app->deal ? 1 : 0;
    node_open(&app->node, 0);
    app->flow = open_flow(app);
    TRY(gravel_flow_build(app->flow, "queens.cl", queens_cl, options, "queens_flow"));
    FLOW_SET(app->flow, 2, cl_uint, full_row(app));
    FLOW_SET(app->flow, 3, cl_uint, first_places(app));
    TRY(gravel_barrier(app->node.gravel));
}

static cl_uint call(struct app_queens *app, const char *channel, struct queens root)
{
    cl_uint found = 0;
    TRY(gravel_flow_call(app->flow, channel, &root, offsetof(struct queens, to), &found,
                         sizeof found));
    return found;
}

/* A second run has what was dealt to this node after its first one: behind the barrier that is all. */
static void run_flow(void *self)
{
    struct app_queens *app = self;
    uint64_t found = call(app, app->deal ? "begin" : "queens", (struct queens){0});
    if (app->deal) {
        TRY(gravel_barrier(app->node.gravel));
        found += call(app, "begin", (struct queens){.columns = full_row(app)});
    }
    app->result = node_sum(&app->node, found);
}

/* ---- with a plain kernel ------------------------------------------------------------------------
 *
 * The host places the queens of the first rows, a work-item tries all of the rest of a board, and the host adds up.
 */

#define HOST_ROWS 5u

static uint32_t host_rows(const struct app_queens *app)
{
    return app->n - 1 < HOST_ROWS ? app->n - 1 : HOST_ROWS;
}

/* The boards whose first rows are filled. @param boards  [3][n] or NULL to count. @return how many there are. */
static uint32_t begin_boards(const struct app_queens *app, uint32_t rows, const uint32_t board[3],
                             uint32_t *boards, uint32_t n, uint32_t at)
{
    uint32_t allowed = rows == 0 ? first_places(app) : full_row(app);
    if (rows == host_rows(app)) {
        for (uint32_t i = 0; boards && i < 3; i++)
            boards[i * n + at] = board[i];
        return at + 1;
    }
    for (uint32_t places = allowed & ~(board[0] | board[1] | board[2]); places;
         places &= places - 1) {
        uint32_t place = places & -places;
        const uint32_t next[3] = {board[0] | place, (board[1] | place) << 1,
                                  (board[2] | place) >> 1};
        at = begin_boards(app, rows + 1, next, boards, n, at);
    }
    return at;
}

static void set_up_plain(void *self)
{
    struct app_queens *app = self;
    char options[64];
    if (app->deal)
        die("--deal: of form flow");
    node_open(&app->node, 0);
    snprintf(options, sizeof options, "-DQUEENS_BASE=%u", app->n - host_rows(app));
    node_build(&app->node, "plain.cl", plain_cl, options);
    app->solve = node_kernel_without_arena(&app->node, "solve");
}

/* Of a node without boards nothing is launched. */
static uint64_t solve_all(struct app_queens *app, const uint32_t *boards, uint32_t *found,
                          uint32_t n)
{
    uint64_t sum = 0;
    size_t group = app->node.group_items, bytes = n * sizeof *boards;
    cl_mem on_device = node_array(&app->node, 3 * bytes, boards);
    cl_mem results = node_array(&app->node, bytes, NULL);
    NODE_SET_ARRAYS(app->solve, 0, on_device, results);
    NODE_SET(app->solve, 2, cl_uint, n);
    NODE_SET(app->solve, 3, cl_uint, full_row(app));
    if (n)
        node_enqueue(&app->node, app->solve, (n + group - 1) / group * group, group);
    node_read(&app->node, results, bytes, found);
    for (uint32_t i = 0; i < n; i++)
        sum += found[i];
    node_array_free(&app->node, on_device);
    node_array_free(&app->node, results);
    return sum;
}

static void run_plain(void *self)
{
    struct app_queens *app = self;
    const uint32_t empty[3] = {0};
    uint32_t n = begin_boards(app, 0, empty, NULL, 0, 0);
    uint32_t *boards = malloc((n ? n : 1) * 4 * sizeof *boards);
    if (!boards)
        die("no memory for %u boards", n);
    begin_boards(app, 0, empty, boards, n, 0);
    app->result = node_sum(&app->node, solve_all(app, boards, boards + 3 * (size_t)n, n));
    free(boards);
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Rows of the board (12)",
     OPTION_COUNT(struct app_queens, n, 2, 18)},
    {"base", 0, "ROWS", "Rows that one work-item fills (4)",
     OPTION_COUNT(struct app_queens, base, 1, 18)},
    {"deal", 0, "ROWS", "Rows after which boards are dealt to all nodes by messages (0: none are)",
     OPTION_COUNT(struct app_queens, deal, 0, 17)},
    FLOW_FORM_OPTION(struct app_queens),
    {0}};

static const struct flow_form *form_of(const struct app_queens *app)
{
    static const struct flow_form forms[] = {{"flow", set_up_flow, run_flow},
                                             {"plain", set_up_plain, run_plain}};
    return &forms[app->is_plain];
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
    flow_describe(app->flow, trials);
}

static void tell_result(void *self, struct trials *trials)
{
    const struct app_queens *app = self;
    trials_say(trials, "  %llu solutions\n", (unsigned long long)app->result);
    trials_add_number(trials, "result", app->result);
    flow_tell(app->flow, trials);
}

static uint64_t serial(const void *self)
{
    return solutions(full_row(self), 0, 0, 0);
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
                               .checked = "counts",
                               .close = close_all};

int main(int argc, char **argv)
{
    struct app_queens self = {.n = 12, .base = 4};
    return app_main(&app, &self, argc, argv);
}
