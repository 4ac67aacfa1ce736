/* SPDX-License-Identifier: MIT */
/*
 * Elements that are held.
 *
 * grid: makes SIDE x SIDE cells, or a line of so many. cell: the sum of what its left and upper neighbours have, and 1 at
 * the edges; it gives that to its right and lower neighbours, and frees itself. In a line it reads the cell to its left,
 * which it frees, and its own `value` is what the next one reads.
 *
 * Path: test_flow_held.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

#define SIDE 4u
enum fault { NONE, KEEP, FREE_TWICE, EARLY, ARRIVE_TWICE, MANY, JOINS, HUGE_WG, HUGE_WI, HUGE_SUM };

struct grid {
    uint number, form;
};

struct cell {
    uint number, form, at, first;
    ulong left;
    uint up, value;
};

struct out {
    uint number, at, value;
};

GRAVEL_RECORD(grid)
GRAVEL_RECORD(cell)
GRAVEL_RECORD(out)

#define CELL GRAVEL_CHANNEL(cell)
uint joins_of(uint form, uint at)
{
    return form == 2 ? at != 0 : (at % SIDE != 0) + (at / SIDE != 0);
}

void grid_task(struct gravel_flow_group f, uint active, struct grid it, uint fault)
{
    uint n = fault == MANY ? 2 * SIDE * SIDE : SIDE * SIDE, by_item = active && it.form == 0;
    if (fault == HUGE_WI && active)
        gravel_talloc_wi(f, CELL, 0x80000020u);
    uint huge = fault == HUGE_WG ? 0x80000020u : 1u << 30;
    gravel_talloc_wg_if(f, active && (fault == HUGE_WG || fault == HUGE_SUM), CELL, huge);
    gravel_enq_wg(f, CELL);
    gravel_ce first = gravel_talloc_wg_if(f, active && !by_item, CELL, n);
    for (uint at = 0; at < n; at++)
        gravel_hold_cell_wg_if(f, active && !by_item, first + at, joins_of(it.form, at),
                               (struct cell){it.number, it.form, at, first, 0, 0, 0});
    gravel_enq_wg(f, CELL);
    if (fault == JOINS && active)
        gravel_hold_cell_wi(f, first + 1, GRAVEL_MOST_JOINS + 1, (struct cell){0});
    gravel_barrier_wg(f.group);
    if (by_item) {
        first = gravel_talloc_wi(f, CELL, n);
        for (uint at = 0; at < n; at++)
            gravel_hold_cell_wi(f, first + at, joins_of(it.form, at),
                                (struct cell){it.number, it.form, at, first, 0, 0, 0});
        gravel_enq_wi(f, CELL);
    }
    gravel_barrier_wg(f.group);
}

void cell_task(struct gravel_flow_group f, uint active, struct cell it, uint fault)
{
    gravel_ce own = gravel_deq_wi(f, CELL);
    uint is_line = active && it.form == 2, is_grid = active && !is_line,
         by_item = active && it.form == 0;
    uint is_left = it.at % SIDE == 0, is_top = it.at / SIDE == 0;
    uint is_last = it.at == SIDE * SIDE - 1, gives_right = it.at % SIDE != SIDE - 1,
         gives_down = it.at / SIDE != SIDE - 1;
    uint before = is_line && it.at ? gravel_peek_cell_wi(f, own - 1).value : 0;
    uint value = is_line ? before + it.at : is_left || is_top ? 1 : (uint)(it.left >> 32) + it.up;
    gravel_return_ulong_wg_if(f, is_grid && gives_right, GRAVEL_SLOT(f, own + 1, cell, left),
                              (ulong)value << 32);
    gravel_return_uint_wg_if(f, is_grid && gives_down, GRAVEL_SLOT(f, own + SIDE, cell, up), value);
    gravel_return_uint_wg_if(f, is_line, GRAVEL_SLOT(f, own, cell, value), value);
    gravel_arrive_wg_if(f, (is_grid && !by_item && gives_right) || (is_line && !is_last), CELL,
                        own + 1);
    gravel_arrive_wg_if(f, is_grid && !by_item && gives_down, CELL, own + SIDE);
    gravel_arrive_wg_if(f, active && fault == ARRIVE_TWICE && it.at == 0, CELL, own + 1);
    gravel_tfree_wg_if(f, is_line && it.at, CELL, own - 1);
    gravel_tfree_wg_if(f, active && ((!by_item && is_grid) || is_last) && fault != KEEP, CELL, own);
    gravel_tfree_wg_if(f, active && fault == FREE_TWICE && is_last, CELL, own);
    gravel_tfree_wg_if(f, active && fault == EARLY && it.at == 1, CELL, own + SIDE + 1);
    gravel_push_out_wg_if(f, active, (struct out){it.number, it.at, value});
    if (by_item) {
        if (gives_right)
            gravel_arrive_wi(f, CELL, own + 1);
        if (gives_down)
            gravel_arrive_wi(f, CELL, own + SIDE);
        if (!is_last)
            gravel_tfree_wi(f, CELL, own);
    }
    gravel_barrier_wg(f.group);
}

kernel void held(GRAVEL_ARENA, GRAVEL_FLOW, uint fault)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, grid)
            grid_task(f, f.active, gravel_read_grid_wi(f), fault);
        GRAVEL_NODE (f, cell)
            cell_task(f, f.active, gravel_read_cell_wi(f), fault);
    }
}
