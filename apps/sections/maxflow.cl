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
 * Between launches heights are made exact: the distance to the sink along arcs with room, n where there is none.
 *
 * Path:   maxflow.c -> this.
 * Memory: see swap_flag; neighbours read heights, which only rise, while they change.
 * Source: Goldberg and Tarjan, A New Approach to the Maximum-Flow Problem, JACM 1988; Wang, Fussell, Lin 2019, section
 * 4 (MF).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

/* As maxflow.c has them. Arcs are in the rows of their tails; each has a twin, in the other direction. */
struct arc {
    uint to, twin, capacity;
    volatile uint room, incoming;
};
struct vertex {
    volatile uint height, excess, is_active, lock; /* is_active: of source and sink always */
};

struct view {
    global const uint *offsets;
    global struct arc *arcs;
    global struct vertex *vertices;
    volatile global uint *n_relabels; /* since heights were exact */
    uint n;                           /* vertices */
};

/*
 * What each kernel gets: heap offsets of offsets, arcs, vertices and n_relabels, which are constants 0 to 3 of
 * handlers; n_all, 4, all vertices, of which the first is the source and the last the sink; a list, vertices [n], and
 * room for the next [n_all]; height, of step_back.
 */
#define ARGUMENTS                                                                          \
    GRAVEL_ARENA, uint n, uint stride, ulong offsets_at, ulong arcs_at, ulong vertices_at, \
        ulong n_relabels_at, uint n_all, global const uint *vertices, global uint *next,   \
        volatile global uint *n_next, uint height
#define VIEW(g)                                                                              \
    {                                                                                        \
        gravel_local(g, offsets_at), gravel_local(g, arcs_at), gravel_local(g, vertices_at), \
            gravel_local(g, n_relabels_at), n_all                                            \
    }

/* Swaps a flag: its clearer sees what was left at an arc before the flag was set, or it is found cleared. */
uint swap_flag(volatile global uint *flag, uint value)
{
    DEVICE_FENCE();
    const uint before = atomic_xchg(flag, value);
    DEVICE_FENCE();
    return before;
}

/* ---- served: the vertex is the key -------------------------------------------------------------------- */

void discharge(struct gravel_call call, ulong vertex);

/* Leaves `amount` at the other end of an arc, and wakes the vertex there. */
void leave(struct gravel_call call, struct view view, global const struct arc *arc, uint amount)
{
    atomic_add(&view.arcs[arc->twin].incoming, amount);
    if (swap_flag(&view.vertices[arc->to].is_active, 1) == 0)
        gravel_serve_am1(call, GRAVEL_HANDLER(discharge), arc->to);
}

/* Takes in what neighbours have left, except for what comes from below. @return  excess. */
uint take_in(struct gravel_call call, struct view view, uint own, uint height)
{
    uint excess = view.vertices[own].excess;
    for (uint a = view.offsets[own]; a < view.offsets[own + 1]; a++) {
        global struct arc *arc = view.arcs + a;
        const uint amount = arc->incoming ? atomic_xchg(&arc->incoming, 0u) : 0;
        if (amount && height > view.vertices[arc->to].height + 1) {
            leave(call, view, arc, amount);
        } else {
            arc->room += amount;
            excess += amount;
        }
    }
    return excess;
}

/* Pushes to all lower neighbours. @return  the lowest height of those that room is left to. */
uint push_down(struct gravel_call call, struct view view, uint own, uint height, uint *excess)
{
    uint lowest = view.n;
    for (uint a = view.offsets[own]; *excess && a < view.offsets[own + 1]; a++) {
        global struct arc *arc = view.arcs + a;
        const uint room = arc->room, at = view.vertices[arc->to].height;
        const uint amount = at < height ? min(room, *excess) : 0;
        if (amount) {
            arc->room = room - amount;
            *excess -= amount;
            leave(call, view, arc, amount);
        }
        if (room > amount)
            lowest = min(lowest, at);
    }
    return lowest;
}

void discharge(struct gravel_call call, ulong vertex)
{
    const struct view view = {gravel_call_local(call, call.constants[0]),
                              gravel_call_local(call, call.constants[1]),
                              gravel_call_local(call, call.constants[2]),
                              gravel_call_local(call, call.constants[3]), (uint)call.constants[4]};
    global struct vertex *own = view.vertices + vertex;
    uint height = own->height, n_relabels = 0;
    swap_flag(&own->is_active, 0);
    if (*view.n_relabels >= view.n) /* exact heights are worth their time */
        return;
    uint excess = take_in(call, view, (uint)vertex, height);
    while (excess && height < view.n) {
        const uint lowest = push_down(call, view, (uint)vertex, height, &excess);
        if (excess) {
            height = min(lowest + 1, view.n);
            own->height = height;
            n_relabels++;
        }
    }
    own->excess = excess;
    if (n_relabels)
        atomic_add(view.n_relabels, n_relabels);
}

kernel void discharge_served(ARGUMENTS)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(discharge), vertices[active ? item : 0],
                         gravel_node(g));
    }
}

/* ---- by locks: the active vertices are a list, which makes the next ---------------------------------- */

/* Pushes what may be pushed along an arc, both of whose ends are locked. */
uint push_locked(struct view view, global struct vertex *own, global struct arc *arc)
{
    global struct vertex *other = view.vertices + arc->to;
    const uint amount = other->height < own->height ? min(arc->room, own->excess) : 0;
    arc->room -= amount;
    view.arcs[arc->twin].room += amount;
    own->excess -= amount;
    other->excess += amount;
    return amount;
}

/* Raises a vertex that is locked: one that gives it room to a neighbour has its lock. @return  whether it rose. */
bool relabel_locked(struct view view, uint own)
{
    global struct vertex *vertex = view.vertices + own;
    uint lowest = view.n;
    for (uint a = view.offsets[own]; a < view.offsets[own + 1]; a++)
        if (view.arcs[a].room)
            lowest = min(lowest, view.vertices[view.arcs[a].to].height);
    const bool rises = vertex->excess && lowest >= vertex->height;
    if (rises)
        vertex->height = min(lowest + 1, view.n);
    return rises;
}

kernel void discharge_locked(ARGUMENTS)
{
    GRAVEL_OPEN(g);
    const struct view view = VIEW(g);
    for (uint i = (uint)get_global_id(0); i < n; i += stride) {
        const uint own = vertices[i];
        global struct vertex *vertex = view.vertices + own;
        uint n_relabels = 0;
        swap_flag(&vertex->is_active, 0);
        while (vertex->excess && vertex->height < view.n) {
            for (uint a = view.offsets[own]; a < view.offsets[own + 1]; a++) {
                global struct arc *arc = view.arcs + a;
                const uint to = arc->to;
                uint amount = 0;
                if (arc->room && view.vertices[to].height < vertex->height) {
                    WITH_BOTH_LOCKS(&view.vertices[min(own, to)].lock,
                                    &view.vertices[max(own, to)].lock)
                    amount = push_locked(view, vertex, arc);
                }
                if (amount && swap_flag(&view.vertices[to].is_active, 1) == 0)
                    next[atomic_inc(n_next)] = to;
            }
            WITH_LOCK(&vertex->lock)
            n_relabels += relabel_locked(view, own);
        }
        if (n_relabels)
            atomic_add(view.n_relabels, n_relabels);
    }
}

/* ---- between launches: work-items from n on have no work ------------------------------------------------ */

/* Vertices take in what has been left at their arcs. Heights are not known yet. */
kernel void receive(ARGUMENTS)
{
    GRAVEL_OPEN(g);
    const struct view view = VIEW(g);
    const uint own = (uint)get_global_id(0);
    if (own >= n)
        return;
    global struct vertex *vertex = view.vertices + own;
    for (uint a = view.offsets[own]; a < view.offsets[own + 1]; a++) {
        global struct arc *arc = view.arcs + a;
        arc->room += arc->incoming;
        vertex->excess += arc->incoming;
        arc->incoming = 0;
    }
    vertex->is_active = own == 0 || own == n - 1;
    vertex->height = own == n - 1 ? 0 : n;
    if (own == 0)
        *view.n_relabels = 0;
}

/* One more step away from the sink: who has room to one of n vertices, and is not known to have a way. */
kernel void step_back(ARGUMENTS)
{
    GRAVEL_OPEN(g);
    const struct view view = VIEW(g);
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    const uint own = vertices[i];
    for (uint a = view.offsets[own]; a < view.offsets[own + 1]; a++) {
        const uint to = view.arcs[a].to;
        volatile global uint *its_height = &view.vertices[to].height;
        if (to != 0 && view.arcs[view.arcs[a].twin].room && *its_height == view.n &&
            atomic_cmpxchg(its_height, view.n, height) == view.n)
            next[atomic_inc(n_next)] = to;
    }
}

/* Active vertices with a way to the sink, as a list. */
kernel void collect(ARGUMENTS)
{
    GRAVEL_OPEN(g);
    const struct view view = VIEW(g);
    const uint own = (uint)get_global_id(0);
    global struct vertex *vertex = view.vertices + (own < n ? own : 0);
    if (own >= n || vertex->is_active || vertex->excess == 0 || vertex->height == n)
        return;
    vertex->is_active = 1;
    next[atomic_inc(n_next)] = own;
}
