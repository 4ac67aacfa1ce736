/* SPDX-License-Identifier: MIT */
/*
 * N queens: how many placements there are on a board of N x N so that none attacks another.
 *
 * In the flow every board with some rows filled is a task, and makes a task for each place of its next row; one
 * work-item fills the last rows. With a plain kernel the host fills the first rows. Nodes share the places of the first
 * row, and add up what they found. The check is a recursion in C.
 *
 * Path: cilk.c -> this -> queens.cl or board.cl.h
 * Source: Orr 2016, section 4.5 and table 4-3; NQU of Bakhoda et al., Analyzing CUDA Workloads Using a Detailed GPU
 * Simulator (GPGPU-Sim), ISPASS 2009.
 */
#include <sys/types.h>

#include "cilk.h"

#include <gravel/channel.h>

#include "queens.h"

#include <stdio.h>
#include <stdlib.h>

extern const char queens_cl[], board_cl[];

static struct own {
    struct cilk cilk;
    uint32_t base; /* rows that one work-item fills, of the flow */
    /* The form without a flow has: */
    cl_kernel solve;
    uint32_t n_boards;
    uint32_t *boards;    /* [3][n_boards] begun; [n_boards] what was found */
    cl_mem begun, found; /* the same on the device */
} own = {.cilk = {.n = 12}, .base = 4};

static const struct app_option options[] = {{"[N]", OPTION_ARGUMENT, NULL, "Rows of the board (12)",
                                             OPTION_NUMBER(struct own, cilk.n, 2, 18)},
                                            {"base", 0, "ROWS", "Rows that one work-item fills (4)",
                                             OPTION_NUMBER(struct own, base, 1, 18)},
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
    const uint32_t n = own.cilk.n, n_tasks = n > own.base ? n - own.base : 1; /* rows of tasks */
    const struct gravel_edge queens[] = {{"queens", n}, {"solve", n}, {"total", 1}};
    const struct gravel_channel channels[] = {
        {"queens", sizeof(struct queens), GRAVEL_SPAWN, 0, 3, queens},
        {"solve", sizeof(struct solve), GRAVEL_SPAWN, 0, 0, NULL},
        {"total", sizeof(struct total), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 3, .depth = n_tasks + 1);
    char base[64];
    snprintf(base, sizeof base, "-DQUEENS_BASE=%u", n - n_tasks);
    cilk_open_flow(&graph, "queens.cl", queens_cl, base, "queens_flow");
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

/* Makes the boards whose first rows are filled. @param boards  [3][n] or NULL to count. @return how many there are. */
static uint32_t begin_boards(uint32_t rows, const uint32_t board[3], uint32_t *boards, uint32_t n,
                             uint32_t at)
{
    uint32_t allowed = rows == 0 ? first_places() : full_row();
    if (rows == host_rows()) {
        for (uint32_t i = 0; boards && i < 3; i++)
            boards[i * n + at] = board[i];
        return at + 1;
    }
    for (uint32_t places = allowed & ~(board[0] | board[1] | board[2]); places;
         places &= places - 1) {
        uint32_t place = places & -places;
        const uint32_t next[3] = {board[0] | place, (board[1] | place) << 1,
                                  (board[2] | place) >> 1};
        at = begin_boards(rows + 1, next, boards, n, at);
    }
    return at;
}

static const uint32_t empty[3];

static void set_up_plain(void)
{
    struct node *node = &own.cilk.node;
    char base[64];
    snprintf(base, sizeof base, "-DPLAIN -DQUEENS_BASE=%u", own.cilk.n - host_rows());
    node_build(node, "board.cl.h", board_cl, base);
    own.n_boards = begin_boards(0, empty, NULL, 0, 0);
    own.boards = app_array(own.n_boards, 4 * sizeof *own.boards, "boards");
    own.begun = node_array(node, 3 * own.n_boards * sizeof *own.boards, NULL);
    own.found = node_array(node, own.n_boards * sizeof *own.boards, NULL);
    own.solve = node_kernel(node, "solve");
    NODE_SET(own.solve, 0, ARRAY(own.begun), ARRAY(own.found), UINT(own.n_boards),
             UINT(full_row()));
}

/* A node without boards launches nothing. */
static void run_plain(void)
{
    struct node *node = &own.cilk.node;
    const uint32_t n = own.n_boards, *found = own.boards + 3 * (size_t)n;
    const size_t bytes = n * sizeof *own.boards;
    uint64_t sum = 0;
    if (n) {
        begin_boards(0, empty, own.boards, n, 0);
        node_write(node, own.begun, 0, 3 * bytes, own.boards);
        node_enqueue(node, own.solve, n, node->group_items);
        node_read(node, own.found, bytes, own.boards + 3 * (size_t)n);
    }
    for (uint32_t i = 0; i < n; i++)
        sum += found[i];
    own.cilk.result = node_sum(node, sum);
}

static void free_all(void)
{
    free(own.boards);
}

/* ---- report and check ------------------------------------------------------------------------ */

/* The work is what the warm-up has found. */
static void describe(struct trials *trials)
{
    snprintf(trials->input, sizeof trials->input, "%u queens, base %u", own.cilk.n, own.base);
    trials->work = (double)own.cilk.result;
    trials_add_number(trials, "base", own.base);
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

static void solve(void)
{
    own.cilk.expected = solutions(full_row(), 0, 0, 0);
}

const struct cilk_program cilk_program = {.name = "queens",
                                          .unit = "solutions/s",
                                          .doc = "Count the placements of N queens on a board of "
                                                 "N x N, every board with some rows filled a task "
                                                 "of a channel-flow graph.",
                                          .options = options,
                                          .cilk = &own.cilk,
                                          .forms[CILK_FLOW] = {set_up_flow, run_flow},
                                          .forms[CILK_PLAIN] = {set_up_plain, run_plain},
                                          .describe = describe,
                                          .solve = solve,
                                          .close = free_all};
