/* SPDX-License-Identifier: MIT */
/*
 * Queens with a plain kernel: the host places the queens of the first rows, a work-item tries all of the rest of a board,
 * and the host adds up.
 *
 * Path: queens.c -> this -> plain.cl
 * Source: NQU of Bakhoda et al., Analyzing CUDA Workloads Using a Detailed GPU Simulator (GPGPU-Sim), ISPASS 2009.
 */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

extern const char plain_cl[];

#define HOST_ROWS 5u

static uint32_t host_rows(const struct app_queens *app)
{
    return app->n - 1 < HOST_ROWS ? app->n - 1 : HOST_ROWS;
}

/* The boards whose first rows are filled. @param boards  [3][n] or NULL to count. @return how many there are. */
static uint32_t begin_boards(const struct app_queens *app, uint32_t rows, const uint32_t board[3],
                             uint32_t *boards, uint32_t n, uint32_t at)
{
    uint32_t allowed = rows == 0 ? queens_first_places(app) : queens_full_row(app);
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

static void set_up(void *self)
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
    NODE_SET(app->solve, 3, cl_uint, queens_full_row(app));
    if (n)
        node_enqueue(&app->node, app->solve, (n + group - 1) / group * group, group);
    node_read(&app->node, results, bytes, found);
    for (uint32_t i = 0; i < n; i++)
        sum += found[i];
    node_array_free(&app->node, on_device);
    node_array_free(&app->node, results);
    return sum;
}

static void run(void *self)
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

const struct flow_form queens_plain = {.name = "plain", .open = set_up, .run = run};
