/* SPDX-License-Identifier: MIT */
/*
 * Held channels as C11 threads under ThreadSanitizer: the cells of grids, each of which runs when its left and upper
 * neighbours have, by several members. Where there are sub-groups, by their calls. Every cell's value is right, and each
 * is freed.
 *
 * Path:    this -> cl/flow.cl.h, compiled as C11 through host_c11.h; flow_launch.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <stdio.h>
#include <stdlib.h>

/* What lib/flow/layout.c writes for this graph; make_flow checks it. */
#define WIDTH 16u /* less than two grids */
#define OUT_WIDTH 64u
#define GRAVELP_FLOW_SIGN flow_sign
#define GRAVELP_FLOW_N_CHANNELS 3u
#define GRAVELP_FLOW_N_FLAT 3u
#define GRAVELP_FLOW_SLOT_STRIDE 0u
#define GRAVELP_FLOW_ROWS_AT flow_rows_at
#define GRAVELP_FLOW_HELD_AT (16 + WIDTH)
#define GRAVELP_FLOW_HELD_WORDS (4 * WIDTH)
#define GRAVELP_FLOW_HELD_STRIDE WIDTH
#define STATES_AT (16 + 5 * WIDTH + 2 * OUT_WIDTH)
#define GRAVELP_FLOW_LEVELS_AT (STATES_AT + 2 * WIDTH)
#define GRAVELP_FLOW_LEVEL_WORDS 1u
#define GRAVELP_FLOW_AFTER_WORDS 0u
#define GRAVELP_FLOW_CHANNELS                                             \
    {GRAVEL_STREAM, 1, WIDTH, 0, 16, 0, 0, 1, 0, 0, 0},                   \
        {GRAVEL_HELD, 4, WIDTH, 0, 16 + WIDTH, 0, 1, 1, 0, STATES_AT, 0}, \
    {                                                                     \
        GRAVEL_OUTPUT, 2, OUT_WIDTH, 0, 16 + 5 * WIDTH, 0, 2, 0, 0, 0, 0  \
    }
#define GRAVELP_FLOW_LOOP
#define GRAVEL_CHANNEL_grid 0u
#define GRAVEL_CHANNEL_cell 1u
#define GRAVEL_CHANNEL_out 2u
#define GRAVELP_RECORD_BYTES_grid 4u
#define GRAVELP_RECORD_BYTES_cell 16u
#define GRAVELP_RECORD_BYTES_out 8u
static unsigned flow_sign, flow_rows_at;

#include "gravel.cl.h"
#include "flow.cl.h"
#include "flow_launch.h"

#define SIDE FLOW_GRID_SIDE
#define N_CELLS (SIDE * SIDE)
#define CELL GRAVEL_CHANNEL(cell)

struct grid {
    uint number;
};
struct cell {
    uint at, left, up, number;
};
struct out {
    uint at, value;
};
GRAVEL_RECORD(grid)
GRAVEL_RECORD(cell)
GRAVEL_RECORD(out)

/* By the sub-group, or the group. */
#ifdef GRAVEL_HAS_SUBGROUPS
#define BY(call, ...) call##_sg_if(__VA_ARGS__)
#define BY_ENQ gravel_enq_sg
#else
#define BY(call, ...) call##_wg_if(__VA_ARGS__)
#define BY_ENQ gravel_enq_wg
#endif

_Static_assert(OUT_WIDTH == FLOW_OUT_WIDTH, "the graph's");
_Static_assert(sizeof(struct gravelp_flow_scratch) <= LANES_FLOW_BYTES, "local memory of a flow");

static void grid_task(struct gravel_flow_group f, uint active, struct grid it)
{
    gravel_ce first = BY(gravel_talloc, f, active, CELL, N_CELLS);
    for (uint at = 0; at < N_CELLS; at++) {
        struct cell cell = {at, 0, 0, it.number};
        BY(gravel_hold_cell, f, active, first + at, (at % SIDE != 0) + (at / SIDE != 0), cell);
    }
    BY_ENQ(f, CELL);
}

static void cell_task(struct gravel_flow_group f, uint active, struct cell it)
{
    gravel_ce own = gravel_deq_wi(f, CELL);
    uint has_right = active && it.at % SIDE != SIDE - 1;
    uint has_lower = active && it.at / SIDE != SIDE - 1;
    uint value = it.at % SIDE && it.at / SIDE ? it.left + it.up : 1;
    struct out out = {it.at, value};
    BY(gravel_return_uint, f, has_right, GRAVEL_SLOT(f, own + 1, cell, left), value);
    BY(gravel_return_uint, f, has_lower, GRAVEL_SLOT(f, own + SIDE, cell, up), value);
    /* Both arrivals of an element in one call: they meet there. */
    uint goes_down = it.at % SIDE % 2;
    BY(gravel_arrive, f, goes_down ? has_lower : has_right, CELL, own + (goes_down ? SIDE : 1));
    BY(gravel_arrive, f, goes_down ? has_right : has_lower, CELL, own + (goes_down ? 1 : SIDE));
    gravel_ce ce = BY(gravel_talloc, f, active, GRAVEL_CHANNEL(out), 1);
    if (active)
        gravel_write_out_wi(f, GRAVEL_CHANNEL(out), ce, out);
    BY_ENQ(f, GRAVEL_CHANNEL(out));
    BY(gravel_tfree, f, active, CELL, own);
}

static void grid_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    struct gravelp_flow *gravel_flow_ = *(struct gravelp_flow *const *)arguments;
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, grid)
            grid_task(f, f.active, gravel_read_grid_wi(f));
        GRAVEL_NODE (f, cell)
            cell_task(f, f.active, gravel_read_cell_wi(f));
    }
}

/* ---- the host's part --------------------------------------------------------------------------- */

/* The paths to a cell along a grid. */
static uint32_t paths_to(uint32_t column, uint32_t row)
{
    return column && row ? paths_to(column - 1, row) + paths_to(column, row - 1) : 1;
}

static void check_outputs(const struct gravelp_flow *flow, uint32_t n_grids)
{
    const uint32_t *rows = (const uint32_t *)flow + GRAVELP_FLOW_ROWS_AT + gravelp_channels[2].base;
    uint32_t n_seen[N_CELLS] = {0};
    for (uint32_t i = 0; i < n_grids * N_CELLS; i++) {
        uint32_t at = rows[i], value = rows[OUT_WIDTH + i];
        if (at >= N_CELLS || value != paths_to(at % SIDE, at / SIDE))
            fail("cell %u has %u", at, value);
        n_seen[at]++;
    }
    for (uint32_t at = 0; at < N_CELLS; at++)
        if (n_seen[at] != n_grids)
            fail("cell %u was processed %u times", at, n_seen[at]);
}

static void run(uint32_t n_grids, uint32_t n_groups, uint32_t local_size)
{
    struct gravelp_flow *flow = make_flow(FLOW_GRID, 0, WIDTH);
    struct gravelp_arena *arena = make_arena();
    struct gravelp_view view = gravelp_view_of(flow);
    struct gravelp_round round;
    view.tails[0] = n_grids;
    while ((round = gravelp_view_choose(view)).n) {
        launch(grid_kernel, flow, arena, round, n_groups, local_size, UINT32_MAX);
        check_faults(flow);
    }
    if (view.heads[1] != view.tails[1] || view.tails[1] != n_grids * N_CELLS)
        fail("%u cells made, %u freed", view.tails[1], view.heads[1]);
    check_outputs(flow, n_grids);
    printf("%u groups of %u: %u grids\n", n_groups, local_size, n_grids);
    free(arena);
    free(flow);
}

int main(void)
{
    run(1, 1, 4);
    run(5, 3, 4);
    run(7, 2, 3);
    return 0;
}
