/* SPDX-License-Identifier: MIT */
/*
 * Placements of N queens on a board of N x N, none of which attacks another: a task for each board with some rows
 * filled, the last QUEENS_BASE rows by one work-item.
 *
 * Path: queens.c -> this -> board.cl.h
 * Source: Orr 2016, table 4-3.
 */
#include "gravel.cl.h"
#include "queens.h"
#include "board.cl.h"

GRAVEL_RECORD(queens)
GRAVEL_RECORD(solve)
GRAVEL_RECORD(total)

/*
 * Makes boards with one queen more, and a continuation that adds up their solutions. @param first  places of the first row.
 */
static inline void queens_task(struct gravel_flow_group f, uint active, struct queens board,
                               uint full, uint first)
{
    uint allowed = f.level ? full : first;
    uint places = active ? allowed & ~(board.columns | board.left | board.right) : 0;
    uint n = popcount(places), n_left = popcount(full) - f.level - 1;
    uint into = n_left > QUEENS_BASE ? GRAVEL_CHANNEL(queens) : GRAVEL_CHANNEL(solve);
    struct gravel_fork fork = gravel_fork_wg(f, GRAVEL_CHANNEL(total), into, n);
    struct total total = {0, board.to};
    gravel_write_total_wg_if(f, n != 0, GRAVEL_CHANNEL(total), fork.after, total);
    gravel_slot to = GRAVEL_SLOT(f, fork.after, total, n);
    for (; places; places &= places - 1, fork.first++) {
        uint place = places & -places;
        struct queens next = {board.columns | place, (board.left | place) << 1,
                              (board.right | place) >> 1, to};
        gravel_write_queens_wi(f, into, fork.first, next);
    }
    gravel_barrier_wg(f.group);
}

static inline void solve_task(struct gravel_flow_group f, uint active, struct solve board,
                              uint full)
{
    uint n = 0;
    if (active)
        n = solutions(board.columns, board.left, board.right, full);
    gravel_barrier_wg(f.group);
    gravel_return_add_uint_wg_if(f, n != 0, board.to, n);
}

kernel void queens_flow(GRAVEL_ARENA, GRAVEL_FLOW, uint full, uint first)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, queens)
            queens_task(f, f.active, gravel_read_queens_wi(f), full, first);
        GRAVEL_NODE (f, solve)
            solve_task(f, f.active, gravel_read_solve_wi(f), full);
        GRAVEL_NODE (f, total) {
            struct total task = gravel_read_total_wi(f);
            gravel_return_add_uint_wg_if(f, f.active && task.n, task.to, task.n);
        }
    }
}
