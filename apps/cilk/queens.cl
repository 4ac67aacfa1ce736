/* SPDX-License-Identifier: MIT */
/*
 * Placements of N queens on a board of N x N, none of which attacks another: a task for each board with some rows
 * filled, the last QUEENS_BASE rows by one work-item. With PLAIN a work-item for each board that the host has begun.
 *
 * Path: queens.c -> this
 * Source: Orr 2016, table 4-3; Richards, Backtracking Algorithms in MCPL, 1997 (solutions).
 */
#include "gravel.cl.h"
#include "records.h"

/* ---- both forms -------------------------------------------------------------------------------- */

/*
 * Counts how the QUEENS_BASE rows that are left can be filled, depth first, with a stack: for each row its free places.
 * A board has a bit for each place of the next row that queens of the rows above attack.
 */
static inline uint solutions(uint all_columns, uint all_left, uint all_right, uint full)
{
    uint columns[QUEENS_BASE], left[QUEENS_BASE], right[QUEENS_BASE];
    uint places[QUEENS_BASE];
    uint row = 0, n = 0;
    columns[0] = all_columns;
    left[0] = all_left;
    right[0] = all_right;
    places[0] = full & ~(all_columns | all_left | all_right);
    while (row < QUEENS_BASE) {
        uint place = places[row] & -places[row];
        places[row] ^= place;
        if (place == 0) {
            row--; /* before the first: ends the loop */
        } else if ((columns[row] | place) == full) {
            n++;
        } else {
            columns[row + 1] = columns[row] | place;
            left[row + 1] = (left[row] | place) << 1;
            right[row + 1] = (right[row] | place) >> 1;
            row++;
            places[row] = full & ~(columns[row] | left[row] | right[row]);
        }
    }
    return n;
}

#ifndef PLAIN
/* ---- as a flow --------------------------------------------------------------------------------- */

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

static inline void solve_task(struct gravel_flow_group f, uint active, struct queens board,
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
            solve_task(f, f.active, gravel_read_solve_wi(f).board, full);
        GRAVEL_NODE (f, total) {
            struct total task = gravel_read_total_wi(f);
            gravel_return_add_uint_wg_if(f, f.active && task.n, task.to, task.n);
        }
    }
}

#else
/* ---- plain ------------------------------------------------------------------------------------- */

/* boards: [n][3] columns, left and right; found: [n] how many solutions each has. */
kernel void solve_boards(const global uint *boards, global uint *found, uint n, uint full)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        found[i] = solutions(boards[3 * i], boards[3 * i + 1], boards[3 * i + 2], full);
}
#endif
