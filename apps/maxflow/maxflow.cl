/* SPDX-License-Identifier: MIT */
/*
 * Push-relabel: an active vertex, which has more inflow than outflow, pushes it along arcs with room to lower neighbours, and
 * rises above the lowest of them when none is lower.
 *
 * Served, the vertex is the key and its handler the only one to change its height, its excess and the room of its arcs.
 * What it pushes it leaves at the neighbour's end of the arc, `incoming`, and sends the neighbour a message unless one is
 * under way (`is_active`). The neighbour takes it in, or, if it is higher than the sender by more than 1, pushes it back. So
 * a vertex with room to a neighbour is at most 1 higher than it, always, by any order.
 * With locks a push has those of both ends.
 *
 * Between launches heights are made exact: the distance to the sink along arcs with room, n where there is none.
 *
 * Path: maxflow.c -> this.
 * Memory: see `swap_flag`; heights are looked at by neighbours while they change, by relaxed loads, and only rise.
 * Source: Goldberg and Tarjan, A New Approach to the Maximum-Flow Problem, JACM 1988; Wang, Fussell, Lin 2019, section 4
 * (MF).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

/* As in maxflow.h: what lies where in the heap [bytes], and what all kernels and handlers know. */
struct network {
    ulong offsets, arcs, capacity, room, incoming, heights, excess, is_active, locks;
    uint n_vertices, source, sink, limit, n_relabels, padding;
};

/* ---- words that several work-items change --------------------------------------------------------- */

#if __OPENCL_C_VERSION__ >= 200
typedef volatile global atomic_uint shared_uint;
uint look(global const uint *word)
{
    return atomic_load_explicit((shared_uint *)word, memory_order_relaxed, memory_scope_device);
}
void rise(global uint *height, uint to)
{
    atomic_store_explicit((shared_uint *)height, to, memory_order_relaxed, memory_scope_device);
}
/* Swaps a flag: its clearer sees what was left at an arc before the flag was set, or it is found cleared. */
uint swap_flag(global uint *flag, uint value)
{
    return atomic_exchange_explicit((shared_uint *)flag, value, memory_order_acq_rel,
                                    memory_scope_device);
}
#else
uint look(global const uint *word)
{
    return *(volatile global const uint *)word;
}
void rise(global uint *height, uint to)
{
    *(volatile global uint *)height = to;
}
uint swap_flag(global uint *flag, uint value)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    uint before = atomic_xchg((volatile global uint *)flag, value);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    return before;
}
#endif
#define ADD(word, n) atomic_add((volatile global uint *)(word), (n))

/* ---- the network ----------------------------------------------------------------------------------- */

/* Arcs are in the rows of their tails; each has a twin, in the other direction. */
struct arc {
    uint to, twin;
};
struct view {
    global struct network *network;
    global const uint *offsets;
    global const struct arc *arcs;
    global const uint *capacity;
    global uint *room, *incoming, *heights, *excess, *is_active, *locks;
    uint n_vertices, source, sink;
};

struct view view_of(global uchar *heap, ulong at)
{
    global struct network *network = (global struct network *)(heap + at);
    return (struct view){network,
                         (global const uint *)(heap + network->offsets),
                         (global const struct arc *)(heap + network->arcs),
                         (global const uint *)(heap + network->capacity),
                         (global uint *)(heap + network->room),
                         (global uint *)(heap + network->incoming),
                         (global uint *)(heap + network->heights),
                         (global uint *)(heap + network->excess),
                         (global uint *)(heap + network->is_active),
                         (global uint *)(heap + network->locks),
                         network->n_vertices,
                         network->source,
                         network->sink};
}

bool is_end(struct view view, uint vertex)
{
    return vertex == view.source || vertex == view.sink;
}

/* Enough vertices have risen for exact heights to be worth their time. */
bool is_enough(struct view view)
{
    return look(&view.network->n_relabels) >= view.network->limit;
}
void count_relabels(struct view view, uint n)
{
    if (n)
        ADD(&view.network->n_relabels, n);
}

/* ---- served: the vertex is the key -------------------------------------------------------------------- */

void discharge(struct gravel_call call, ulong vertex);

/* Leave `amount` at the other end of an arc, and wake the vertex there. */
void leave(struct gravel_call call, struct view view, struct arc arc, uint amount)
{
    ADD(&view.incoming[arc.twin], amount);
    if (!is_end(view, arc.to) && swap_flag(&view.is_active[arc.to], 1) == 0)
        gravel_serve_am1(call, GRAVEL_HANDLER(discharge), arc.to);
}

/* Takes in what neighbours have left, except for what comes from below. @return  excess. */
uint take_in(struct gravel_call call, struct view view, uint vertex, uint height)
{
    uint excess = view.excess[vertex];
    for (uint a = view.offsets[vertex]; a < view.offsets[vertex + 1]; a++) {
        const struct arc arc = view.arcs[a];
        const uint amount = look(&view.incoming[a])
                                ? atomic_xchg((volatile global uint *)&view.incoming[a], 0u)
                                : 0;
        if (amount && height > look(&view.heights[arc.to]) + 1) {
            leave(call, view, arc, amount);
        } else {
            view.room[a] += amount;
            excess += amount;
        }
    }
    return excess;
}

/* Push to all lower neighbours. @return  the lowest height of those that room is left to. */
uint push_down(struct gravel_call call, struct view view, uint vertex, uint height, uint *excess)
{
    uint lowest = view.n_vertices;
    for (uint a = view.offsets[vertex]; *excess && a < view.offsets[vertex + 1]; a++) {
        const struct arc arc = view.arcs[a];
        const uint room = view.room[a], at = look(&view.heights[arc.to]);
        const uint amount = at < height ? min(room, *excess) : 0;
        if (amount) {
            view.room[a] = room - amount;
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
    const struct view view = view_of(call.heap, call.constants[0]);
    const uint own = (uint)vertex;
    uint height = view.heights[own], n_relabels = 0;
    swap_flag(&view.is_active[own], 0);
    if (is_enough(view))
        return;
    uint excess = take_in(call, view, own, height);
    while (excess && height < view.n_vertices) {
        const uint lowest = push_down(call, view, own, height, &excess);
        if (excess) {
            height = min(lowest + 1, view.n_vertices);
            rise(&view.heights[own], height);
            n_relabels++;
        }
    }
    view.excess[own] = excess;
    count_relabels(view, n_relabels);
}

/* vertices: [items of the launch], active */
kernel void discharge_served(GRAVEL_ARENA, global const uint *vertices)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(discharge), vertices[active ? item : 0],
                         gravel_node(g));
    }
}

/* ---- by locks: the active vertices are a list, which makes the next -------- */

/* Put a vertex on the next list, unless it is there. */
void wake(struct view view, uint vertex, global uint *next, volatile global uint *n_next)
{
    if (!is_end(view, vertex) && swap_flag(&view.is_active[vertex], 1) == 0)
        next[atomic_inc(n_next)] = vertex;
}

/* Pushes what may be pushed along an arc, both of whose ends are locked. */
uint push_locked(struct view view, uint vertex, uint a)
{
    const struct arc arc = view.arcs[a];
    const uint amount =
        view.heights[arc.to] < view.heights[vertex] ? min(view.room[a], view.excess[vertex]) : 0;
    view.room[a] -= amount;
    view.room[arc.twin] += amount;
    view.excess[vertex] -= amount;
    view.excess[arc.to] += amount;
    return amount;
}

/* Rise, with the vertex locked: a vertex that gives it room to a neighbour has its lock. */
bool relabel_locked(struct view view, uint vertex)
{
    uint lowest = view.n_vertices;
    for (uint a = view.offsets[vertex]; a < view.offsets[vertex + 1]; a++)
        if (view.room[a])
            lowest = min(lowest, look(&view.heights[view.arcs[a].to]));
    const bool rises = view.excess[vertex] && lowest >= view.heights[vertex];
    if (rises)
        rise(&view.heights[vertex], min(lowest + 1, view.n_vertices));
    return rises;
}

kernel void discharge_locked(GRAVEL_ARENA, uint n_items, uint stride, global const uint *vertices,
                             ulong at, global uint *next, volatile global uint *n_next)
{
    GRAVEL_OPEN(g);
    const struct view view = view_of(gravel_local(g, 0), at);
    for (uint i = (uint)get_global_id(0); i < n_items; i += stride) {
        const uint vertex = vertices[i];
        uint n_relabels = 0;
        swap_flag(&view.is_active[vertex], 0);
        while (look(&view.excess[vertex]) && look(&view.heights[vertex]) < view.n_vertices) {
            for (uint a = view.offsets[vertex]; a < view.offsets[vertex + 1]; a++) {
                const uint to = view.arcs[a].to;
                uint amount = 0;
                if (look(&view.room[a]) && look(&view.heights[to]) < look(&view.heights[vertex])) {
                    WITH_BOTH_LOCKS(&view.locks[min(vertex, to)], &view.locks[max(vertex, to)])
                    amount = push_locked(view, vertex, a);
                }
                if (amount)
                    wake(view, to, next, n_next);
            }
            WITH_LOCK(&view.locks[vertex])
            n_relabels += relabel_locked(view, vertex);
        }
        count_relabels(view, n_relabels);
    }
}

/* ---- between launches: work-items from n on have no work ------------------------------------------------ */

/* No flow; the arcs of the source are full. */
kernel void begin(GRAVEL_ARENA, uint n, ulong at)
{
    GRAVEL_OPEN(g);
    const struct view view = view_of(gravel_local(g, 0), at);
    const uint vertex = (uint)get_global_id(0);
    if (vertex >= n)
        return;
    view.excess[vertex] = view.is_active[vertex] = view.locks[vertex] = 0;
    for (uint a = view.offsets[vertex]; a < view.offsets[vertex + 1]; a++) {
        const struct arc arc = view.arcs[a];
        const bool is_full = vertex == view.source;
        view.room[a] = is_full ? 0 : view.capacity[a];
        view.incoming[a] = arc.to == view.source ? view.capacity[arc.twin] : 0;
    }
}

/* Vertices take in what has been left at their arcs. Heights are not known yet. */
kernel void receive(GRAVEL_ARENA, uint n, ulong at)
{
    GRAVEL_OPEN(g);
    const struct view view = view_of(gravel_local(g, 0), at);
    const uint vertex = (uint)get_global_id(0);
    if (vertex >= n)
        return;
    uint excess = view.excess[vertex];
    for (uint a = view.offsets[vertex]; a < view.offsets[vertex + 1]; a++) {
        view.room[a] += view.incoming[a];
        excess += view.incoming[a];
        view.incoming[a] = 0;
    }
    view.excess[vertex] = excess;
    view.is_active[vertex] = 0;
    view.heights[vertex] = vertex == view.sink ? 0 : view.n_vertices;
    if (vertex == view.sink)
        view.network->n_relabels = 0;
}

/* One more step away from the sink: who has room to one of n vertices, and is not known to have a way. */
kernel void step_back(GRAVEL_ARENA, uint n, ulong at, global const uint *vertices, uint height,
                      global uint *next, volatile global uint *n_next)
{
    GRAVEL_OPEN(g);
    const struct view view = view_of(gravel_local(g, 0), at);
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    const uint vertex = vertices[i];
    for (uint a = view.offsets[vertex]; a < view.offsets[vertex + 1]; a++) {
        const struct arc arc = view.arcs[a];
        if (arc.to != view.source && view.room[arc.twin] &&
            look(&view.heights[arc.to]) == view.n_vertices &&
            atomic_cmpxchg((volatile global uint *)&view.heights[arc.to], view.n_vertices,
                           height) == view.n_vertices)
            next[atomic_inc(n_next)] = arc.to;
    }
}

/* Active vertices with a way to the sink, as a list. */
kernel void collect(GRAVEL_ARENA, uint n, ulong at, global uint *next, volatile global uint *n_next)
{
    GRAVEL_OPEN(g);
    const struct view view = view_of(gravel_local(g, 0), at);
    const uint vertex = (uint)get_global_id(0);
    if (vertex >= n || is_end(view, vertex) || view.excess[vertex] == 0 ||
        view.heights[vertex] == view.n_vertices)
        return;
    view.is_active[vertex] = 1;
    next[atomic_inc(n_next)] = vertex;
}
