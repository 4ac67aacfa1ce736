/* SPDX-License-Identifier: MIT */
/*
 * Push-relabel: an active vertex, which has more inflow than outflow, pushes it along arcs with room to lower
 * neighbours, and rises above the lowest of them when none is lower.
 *
 * Served, the vertex is the key and its handler the only one to change its height, its excess and the room of its arcs.
 * It leaves what it pushes at the neighbour's end of the arc, `incoming`, and sends the neighbour a message unless one
 * is under way (`is_active`). The neighbour takes it in, or, if it is higher than the sender by more than 1, pushes it
 * back. So a vertex with room to a neighbour is at most 1 higher than it, in any order. With locks a push has those of
 * both ends.
 *
 * Between launches heights are made exact: the distance to the sink along arcs with room, n + 1 where there is none.
 *
 * Path:   maxflow.c -> this.
 * Memory: see swap_flag; neighbours read heights, which only rise, while they change.
 * Source: Goldberg and Tarjan, A New Approach to the Maximum-Flow Problem, JACM 1988; Wang, Fussell, Lin 2019, section
 * 4 (MF).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

#define NEAREST 3u
#define SIDES \
    6u /* of a vertex: arcs to the nearest three of the next row, and from those of the row before */
#define TWIN(side) (((side) + NEAREST) % SIDES) /* of the other end */

/* Holds a vertex, the same in maxflow.c. The sink is vertex n, where all arcs of the last row end. */
struct vertex {
    volatile uint height, excess, is_active, lock; /* is_active: the sink's always */
    volatile uint room[SIDES], incoming[SIDES];
};

struct view {
    global struct vertex *vertices;   /* [n + 1] */
    volatile global uint *n_relabels; /* since heights were exact */
    uint n, columns;
};

/*
 * What each kernel gets: heap offsets of vertices and n_relabels, which are constants 0 and 1 of handlers; columns, 3, while n
 * is 2; what it counts; height, of step_back. Work-items from n on have no work.
 */
#define ARGUMENTS                                                                            \
    GRAVEL_ARENA, uint n, uint stride, ulong vertices_at, ulong n_relabels_at, uint columns, \
        volatile global uint *count, uint height
#define VIEW(g)                                                                  \
    {                                                                            \
        gravel_local(g, vertices_at), gravel_local(g, n_relabels_at), n, columns \
    }

/* Returns the vertex at the other end of an arc that has room, or had. */
uint neighbour(struct view view, uint own, uint side)
{
    const uint columns = view.columns, column = own % columns, row = own - column;
    if (side >= NEAREST)
        return row - columns + (column + columns + 1 - (side - NEAREST)) % columns;
    return own + columns < view.n ? row + columns + (column + columns - 1 + side) % columns
                                  : view.n;
}

/* Swaps a flag: its clearer sees what was left at an arc before the flag was set, or it is found cleared. */
uint swap_flag(volatile global uint *flag, uint value)
{
    DEVICE_FENCE();
    const uint before = atomic_xchg(flag, value);
    DEVICE_FENCE();
    return before;
}

bool is_active(global const struct vertex *vertex, uint n)
{
    return vertex->excess && vertex->height <= n;
}

/* ---- served: the vertex is the key -------------------------------------------------------------------- */

void discharge(struct gravel_call call, ulong vertex);

/* Leaves `amount` at the other end of an arc, and wakes the vertex there. */
void leave(struct gravel_call call, struct view view, uint own, uint side, uint amount)
{
    const uint to = neighbour(view, own, side);
    atomic_add(&view.vertices[to].incoming[TWIN(side)], amount);
    if (swap_flag(&view.vertices[to].is_active, 1) == 0)
        gravel_serve_am1(call, GRAVEL_HANDLER(discharge), to);
}

/* Takes in what neighbours have left, except for what comes from below. @return  excess. */
uint take_in(struct gravel_call call, struct view view, uint own, uint height)
{
    global struct vertex *vertex = view.vertices + own;
    uint excess = vertex->excess;
    for (uint side = 0; side < SIDES; side++) {
        const uint amount = vertex->incoming[side] ? atomic_xchg(&vertex->incoming[side], 0u) : 0;
        if (amount && height > view.vertices[neighbour(view, own, side)].height + 1) {
            leave(call, view, own, side, amount);
        } else {
            vertex->room[side] += amount;
            excess += amount;
        }
    }
    return excess;
}

/* Pushes to all lower neighbours. @return  the lowest height of those that room is left to. */
uint push_down(struct gravel_call call, struct view view, uint own, uint height, uint *excess)
{
    global struct vertex *vertex = view.vertices + own;
    uint lowest = view.n;
    for (uint side = 0; *excess && side < SIDES; side++) {
        const uint room = vertex->room[side];
        const uint at = room ? view.vertices[neighbour(view, own, side)].height : view.n;
        const uint amount = at < height ? min(room, *excess) : 0;
        if (amount) {
            vertex->room[side] = room - amount;
            *excess -= amount;
            leave(call, view, own, side, amount);
        }
        if (room > amount)
            lowest = min(lowest, at);
    }
    return lowest;
}

void discharge(struct gravel_call call, ulong own)
{
    const struct view view = {gravel_call_local(call, call.constants[0]),
                              gravel_call_local(call, call.constants[1]), (uint)call.constants[2],
                              (uint)call.constants[3]};
    global struct vertex *vertex = view.vertices + own;
    uint height = vertex->height, n_relabels = 0;
    swap_flag(&vertex->is_active, 0);
    if (*view.n_relabels >= view.n) /* exact heights are worth their time */
        return;
    uint excess = take_in(call, view, (uint)own, height);
    while (excess && height <= view.n) {
        const uint lowest = push_down(call, view, (uint)own, height, &excess);
        if (excess) {
            height = lowest + 1;
            vertex->height = height;
            n_relabels++;
        }
    }
    vertex->excess = excess;
    if (n_relabels)
        atomic_add(view.n_relabels, n_relabels);
}

kernel void discharge_served(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    const struct view view = VIEW(g);
    GRAVEL_SERVE(g, item, active)
    {
        global struct vertex *vertex = view.vertices + (active ? item : 0);
        const bool is_sent =
            active && is_active(vertex, n) && swap_flag(&vertex->is_active, 1) == 0;
        if (is_sent)
            atomic_inc(count);
        gravel_am1_wg_if(g, is_sent, GRAVEL_HANDLER(discharge), item, gravel_node(g));
    }
}

/* ---- by locks --------------------------------------------------------------------------------------- */

/* Pushes what may be pushed along an arc, both of whose ends are locked. */
void push_locked(global struct vertex *own, global struct vertex *other, uint side)
{
    const uint amount = other->height < own->height ? min(own->room[side], own->excess) : 0;
    own->room[side] -= amount;
    other->room[TWIN(side)] += amount;
    own->excess -= amount;
    other->excess += amount;
}

/* Raises a vertex that is locked: one that gives it room to a neighbour has its lock. @return  whether it rose. */
bool relabel_locked(struct view view, uint own)
{
    global struct vertex *vertex = view.vertices + own;
    uint lowest = view.n;
    for (uint side = 0; side < SIDES; side++)
        if (vertex->room[side])
            lowest = min(lowest, view.vertices[neighbour(view, own, side)].height);
    const bool rises = vertex->excess && lowest >= vertex->height;
    if (rises)
        vertex->height = lowest + 1;
    return rises;
}

kernel void discharge_locked(ARGUMENTS)
{
    GRAVEL_OPEN(g);
    const struct view view = VIEW(g);
    for (uint own = (uint)get_global_id(0); own < n; own += stride) {
        global struct vertex *vertex = view.vertices + own;
        uint n_relabels = 0;
        if (is_active(vertex, n))
            atomic_inc(count);
        while (is_active(vertex, n)) {
            for (uint side = 0; side < SIDES; side++) {
                const uint to = vertex->room[side] ? neighbour(view, own, side) : own;
                global struct vertex *other = view.vertices + to;
                if (other->height < vertex->height)
                    WITH_BOTH_LOCKS(&view.vertices[min(own, to)].lock,
                                    &view.vertices[max(own, to)].lock)
                push_locked(vertex, other, side);
            }
            WITH_LOCK(&vertex->lock)
            n_relabels += relabel_locked(view, own);
        }
        if (n_relabels)
            atomic_add(view.n_relabels, n_relabels);
    }
}

/* ---- between launches: exact heights -------------------------------------------------------------------- */

/* Vertices take in what has been left at their arcs; the first, for the sink too. Heights are not known yet. */
kernel void receive(ARGUMENTS)
{
    GRAVEL_OPEN(g);
    const struct view view = VIEW(g);
    const uint first = (uint)get_global_id(0);
    for (uint own = first; first < n && own <= n; own += n) {
        global struct vertex *vertex = view.vertices + own;
        for (uint side = 0; side < SIDES; side++) {
            vertex->room[side] += vertex->incoming[side];
            vertex->excess += vertex->incoming[side];
            vertex->incoming[side] = 0;
        }
        vertex->is_active = own == n;
        vertex->height = own == n ? 0 : n + 1;
    }
    if (first == 0)
        *view.n_relabels = 0;
}

/* Gives a height to vertices that have none, and room to one of the height below. */
kernel void step_back(ARGUMENTS)
{
    GRAVEL_OPEN(g);
    const struct view view = VIEW(g);
    const uint own = (uint)get_global_id(0);
    global struct vertex *vertex = view.vertices + (own < n ? own : n);
    for (uint side = 0; side < SIDES && vertex->height > n; side++)
        if (vertex->room[side] && view.vertices[neighbour(view, own, side)].height == height - 1) {
            vertex->height = height;
            atomic_inc(count);
        }
}
