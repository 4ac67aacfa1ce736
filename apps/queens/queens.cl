/* SPDX-License-Identifier: MIT */
/*
 * Placements of N queens on a board of N x N, none of which attacks another: a task for each board with some rows
 * filled, the last BASE rows by one work-item.
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
#if QUEENS_DEAL
GRAVEL_RECORD(begin)
#endif

static inline struct queens with_queen(struct queens board, uint place, gravel_slot to)
{
    return (struct queens){board.columns | place, (board.left | place) << 1,
                           (board.right | place) >> 1, to};
}

static inline uint free_places(struct queens board, uint allowed)
{
    return allowed & ~(board.columns | board.left | board.right);
}

/*
 * Boards with one queen more, and a continuation that adds up their solutions. @param first  places of the first row.
 */
static inline void queens_task(struct gravel_flow_group f, uint active, struct queens board,
                               uint full, uint first)
{
    uint rows = f.level + QUEENS_DEAL, allowed = rows ? full : first;
    uint places = active ? free_places(board, allowed) : 0, n = popcount(places);
    uint n_left = popcount(full) - rows - 1;
    uint into = n_left > QUEENS_BASE ? GRAVEL_CHANNEL(queens) : GRAVEL_CHANNEL(solve);
    struct gravel_fork fork = gravel_fork_wg(f, GRAVEL_CHANNEL(total), into, n);
    struct total total = {0, board.to};
    gravel_write_total_wg_if(f, n != 0, GRAVEL_CHANNEL(total), fork.after, total);
    gravel_slot to = GRAVEL_SLOT(f, fork.after, total, n);
    for (; places; places &= places - 1, fork.first++)
        gravel_write_queens_wi(f, into, fork.first, with_queen(board, places & -places, to));
    gravel_barrier_wg(f.group);
}

#if QUEENS_DEAL
/* Any node may get any board. */
static inline uint node_of(struct gravel_flow_group f, struct queens board)
{
    return (board.columns * 7 + board.left * 31 + board.right * 127) % gravel_n_nodes(f.group);
}

static inline void deal(struct gravel_flow_group f, struct queens board)
{
    gravel_am3_wi(f.group, GRAVEL_HANDLER(deal), board.columns, board.left, board.right,
                  node_of(f, board));
}

/* Boards with one queen more: tasks, or messages once they are to be dealt. */
static inline void begin_task(struct gravel_flow_group f, uint active, struct queens board,
                              uint full, uint first)
{
    uint places = active ? free_places(board, f.level == 0 ? first : full) : 0;
    uint is_dealt = f.level + 1 == QUEENS_DEAL;
    gravel_ce ce = gravel_talloc_wg_if(f, !is_dealt, GRAVEL_CHANNEL(begin), popcount(places));
    for (; places; places &= places - 1, ce++) {
        struct queens next = with_queen(board, places & -places, board.to);
        if (is_dealt)
            deal(f, next);
        else
            gravel_write_queens_wi(f, GRAVEL_CHANNEL(begin), ce, next);
    }
    gravel_enq_wg(f, GRAVEL_CHANNEL(begin));
}
#endif

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
#if QUEENS_DEAL
        GRAVEL_NODE (f, begin) {
            struct begin board = gravel_read_begin_wi(f);
            struct queens same = {board.columns, board.left, board.right, board.to};
            begin_task(f, f.active, same, full, first);
        }
#endif
    }
}
