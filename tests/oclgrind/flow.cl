/* SPDX-License-Identifier: MIT */
/*
 * A flow for oclgrind: fib by a stack, and cells of grids that are held until their neighbours have run.
 *
 * Path: flow.c -> this -> gravel.cl.h.
 */
#define SIDE 3u

struct fib {
    uint n;
    gravel_slot to;
};
struct sum {
    uint x, y;
    gravel_slot to;
};
struct grid {
    uint number;
};
struct cell {
    uint at, left, up;
};
struct out {
    uint at, value;
};
GRAVEL_RECORD(fib)
GRAVEL_RECORD(sum)
GRAVEL_RECORD(grid)
GRAVEL_RECORD(cell)
GRAVEL_RECORD(out)

#define CELL GRAVEL_CHANNEL(cell)

void fib_task(struct gravel_flow_group f, uint active, struct fib task)
{
    uint goes_on = active && task.n >= 2;
    gravel_return_uint_wg_if(f, active && task.n < 2, task.to, task.n);
    gravel_ce s = gravel_sync_sum_wg_if(f, goes_on, (struct sum){0, 0, task.to});
    gravel_spawn_fib_wg_if(f, goes_on, (struct fib){task.n - 1, GRAVEL_SLOT(f, s, sum, x)});
    gravel_spawn_fib_wg_if(f, goes_on, (struct fib){task.n - 2, GRAVEL_SLOT(f, s, sum, y)});
}

void grid_task(struct gravel_flow_group f, uint active)
{
    gravel_ce first = gravel_talloc_wg_if(f, active, CELL, SIDE * SIDE);
    for (uint at = 0; at < SIDE * SIDE; at++)
        gravel_hold_cell_wg_if(f, active, first + at, (at % SIDE != 0) + (at / SIDE != 0),
                               (struct cell){at, 0, 0});
    gravel_enq_wg(f, CELL);
}

void cell_task(struct gravel_flow_group f, uint active, struct cell it)
{
    gravel_ce own = gravel_deq_wi(f, CELL);
    uint has_right = active && it.at % SIDE != SIDE - 1,
         has_lower = active && it.at / SIDE != SIDE - 1;
    uint value = it.at % SIDE && it.at / SIDE ? it.left + it.up : 1;
    gravel_return_uint_wg_if(f, has_right, GRAVEL_SLOT(f, own + 1, cell, left), value);
    gravel_return_uint_wg_if(f, has_lower, GRAVEL_SLOT(f, own + SIDE, cell, up), value);
    gravel_arrive_wg_if(f, has_right, CELL, own + 1);
    if (has_lower)
        gravel_arrive_wi(f, CELL, own + SIDE);
    gravel_push_out_wg_if(f, active, (struct out){it.at, value});
    gravel_tfree_wg_if(f, active, CELL, own);
}

/* Global and local size as a round's launch; the flow's memory. */
kernel void run_flow(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, fib)
            fib_task(f, f.active, gravel_read_fib_wi(f));
        GRAVEL_NODE (f, sum) {
            struct sum task = gravel_read_sum_wi(f);
            gravel_return_uint_wg_if(f, f.active, task.to, task.x + task.y);
        }
        GRAVEL_NODE (f, grid)
            grid_task(f, f.active);
        GRAVEL_NODE (f, cell)
            cell_task(f, f.active, gravel_read_cell_wi(f));
    }
}
