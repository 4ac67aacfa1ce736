/* SPDX-License-Identifier: MIT */
/*
 * N queens: how many placements there are on a board of N x N so that none attacks another.
 *
 * Path: cilk.c -> this -> queens.cl
 * Source: Orr 2016, section 4.5 and table 4-3; NQU of Bakhoda et al., Analyzing CUDA Workloads Using a Detailed GPU
 * Simulator (GPGPU-Sim), ISPASS 2009.
 */
#include "cilk.h"

#include <stdio.h>

extern const char queens_cl[];

/* Columns and diagonals that the queens of the rows above attack, a bit for each place of the next row. */
struct board {
    cl_uint columns, left, right;
};

static struct own {
    struct cilk cilk; /* base: rows that one work-item fills, of the flow */
    /* The form without a flow has: */
    cl_kernel solve;
    struct board *boards; /* [n_boards] begun */
    uint64_t n_boards, room;
    cl_uint *counts;     /* [n_boards] what was found */
    cl_mem begun, found; /* the same on the device */
} own = {.cilk = {.n = 12, .base = 4}};

static const struct app_option options[] = {{"[N]", OPTION_ARGUMENT, NULL, "Rows of the board (12)",
                                             OPTION_NUMBER(struct own, cilk.n, 2, 18)},
                                            {"base", 0, "ROWS", "Rows that one work-item fills (4)",
                                             OPTION_NUMBER(struct own, cilk.base, 1, 18)},
                                            {0}};

static uint32_t full_row(void)
{
    return (UINT32_C(1) << own.cilk.n) - 1;
}

static uint32_t first_places(void)
{
    uint32_t places = 0;
    for (uint32_t i = own.cilk.node.number; i < own.cilk.n; i += own.cilk.node.n_processes)
        places |= UINT32_C(1) << i;
    return places;
}

/* ---- as a flow ------------------------------------------------------------------------------- */

static void set_up_flow(void)
{
    const uint32_t n = own.cilk.n, base = own.cilk.base;
    const uint32_t n_tasks = n > base ? n - base : 1; /* rows of tasks */
    const struct gravel_edge queens[] = {{"queens", n}, {"solve", n}, {"total", 1}};
    const struct gravel_channel channels[] = {
        {"queens", sizeof(struct queens), GRAVEL_SPAWN, 0, 3, queens},
        {"solve", sizeof(struct solve), GRAVEL_SPAWN, 0, 0, NULL},
        {"total", sizeof(struct total), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 3, .depth = n_tasks + 1);
    char defines[64];
    snprintf(defines, sizeof defines, "-DQUEENS_BASE=%u", n - n_tasks);
    cilk_open_flow(&graph, queens_cl, defines);
    CILK_SET(2, cl_uint, full_row());
    CILK_SET(3, cl_uint, first_places());
}

static void run_flow(void)
{
    struct queens root = {0};
    cl_uint found = 0;
    TRY(gravel_flow_call(own.cilk.flow, "queens", &root, offsetof(struct queens, to), &found,
                         sizeof found));
    own.cilk.result = node_sum(&own.cilk.node, found);
}

/* ---- with a plain kernel ------------------------------------------------------------------------
 *
 * The host places the queens of the first rows, a work-item tries all of the rest of a board, and the host adds up.
 */

#define HOST_ROWS 5u

static uint32_t host_rows(void)
{
    return own.cilk.n - 1 < HOST_ROWS ? own.cilk.n - 1 : HOST_ROWS;
}

/* Fills the rows from `row` to `end` of a board. @return how many boards there are then, which are listed if `is_listed` */
static uint64_t fill(uint32_t row, uint32_t end, struct board board, bool is_listed)
{
    uint32_t places =
        (row ? full_row() : first_places()) & ~(board.columns | board.left | board.right);
    uint64_t n = 0;
    if (row == end) {
        if (is_listed) {
            own.boards = app_room(own.boards, own.n_boards, &own.room, sizeof board, "boards");
            own.boards[own.n_boards++] = board;
        }
        return 1;
    }
    for (; places; places &= places - 1) {
        const uint32_t place = places & -places;
        const struct board next = {board.columns | place, (board.left | place) << 1,
                                   (board.right | place) >> 1};
        n += fill(row + 1, end, next, is_listed);
    }
    return n;
}

static void set_up_plain(void)
{
    struct node *node = &own.cilk.node;
    char defines[64];
    snprintf(defines, sizeof defines, "-DPLAIN -DQUEENS_BASE=%u", own.cilk.n - host_rows());
    node_build(node, "queens.cl", queens_cl, defines);
    fill(0, host_rows(), (struct board){0}, true);
    own.counts = app_array(own.n_boards, sizeof *own.counts, "boards");
    own.begun = node_array(node, own.n_boards * sizeof *own.boards, NULL);
    own.found = node_array(node, own.n_boards * sizeof *own.counts, NULL);
    own.solve = node_kernel(node, "solve_boards");
    NODE_SET(own.solve, 0, ARRAY(own.begun), ARRAY(own.found), UINT(own.n_boards),
             UINT(full_row()));
}

/* A node without boards launches nothing. */
static void run_plain(void)
{
    struct node *node = &own.cilk.node;
    uint64_t sum = 0;
    own.n_boards = 0;
    fill(0, host_rows(), (struct board){0}, true);
    if (own.n_boards) {
        node_write(node, own.begun, 0, own.n_boards * sizeof *own.boards, own.boards);
        node_enqueue(node, own.solve, own.n_boards, node->group_items);
        node_read(node, own.found, own.n_boards * sizeof *own.counts, own.counts);
    }
    for (uint64_t i = 0; i < own.n_boards; i++)
        sum += own.counts[i];
    own.cilk.result = node_sum(node, sum);
}

/* ---- report and check ------------------------------------------------------------------------ */

/* The work is what the warm-up has found. */
static void describe(struct trials *trials)
{
    snprintf(trials->input, sizeof trials->input, "%u queens, base %u", own.cilk.n, own.cilk.base);
    trials->work = (double)own.cilk.result;
}

static uint64_t check(void)
{
    const uint64_t found = fill(0, own.cilk.n, (struct board){0}, false);
    return own.cilk.result != node_sum(&own.cilk.node, found);
}

const struct cilk_program cilk_program = {.name = "queens",
                                          .unit = "solutions/s",
                                          .doc = "Count the placements of N queens on a board of "
                                                 "N x N, every board with some rows filled a task "
                                                 "of a channel-flow graph.",
                                          .options = options,
                                          .cilk = &own.cilk,
                                          .flow = {set_up_flow, run_flow},
                                          .plain = {set_up_plain, run_plain},
                                          .describe = describe,
                                          .check = check};
