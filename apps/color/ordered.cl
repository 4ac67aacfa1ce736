/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by random priorities, one vertex after the other: who is before all neighbours that have no colour
 * takes the least one that is free. Other nodes' vertices are waited for.
 *
 * Path:    ordered.c launches choose, counts over all nodes, launches publish, waits for all messages; again.
 * Memory:  as in colors.cl.h. Words of ghosts are stored by messages only, between two launches of choose.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug et al., Ordering Heuristics for
 *          Parallel Graph Coloring, 2014; Orr 2016, section 5.4.2.
 */
#include "colors.cl.h"

/*
 * Own vertices are numbered here as they choose; slots: [vertices] where each one's colour stands.
 *
 * Global size: slots from number `first`, of which n_own are own vertices. starts: [vertices + 1] of their higher
 * neighbours. colors: heap offset of [slots]. high: see high_of.
 */
kernel void reset(GRAVEL_ARENA, ulong first, ulong colors, uint n_own,
                  global const uint *restrict starts, global uint *restrict cursors,
                  global taken_type *restrict taken, global uint *restrict list, global ulong *high)
{
    GRAVEL_OPEN(g);
    size_t i = first + get_global_id(0);
    ((global uint *)gravel_local(g, colors))[i] = NO_COLOR;
    if (i < n_own) {
        cursors[i] = starts[i];
        taken[i] = (taken_type)(0);
        clear_high(high_of(high, starts[i], starts[i + 1]));
        list[i] = (uint)i;
    }
}

/* The rows of higher neighbours, and how far each vertex is in its row. */
struct rows {
    global const uint *starts, *higher; /* [vertices + 1]; slots, as they choose */
    global uint *cursors;               /* [vertices] the first that had no colour when last seen */
    global taken_type *taken;           /* [vertices] */
    global ulong *high;                 /* see high_of */
};

/* A vertex's colour, GAVE_UP in this round, or NO_COLOR: the vertex waits for an own one that is undecided too. */
static uint decide(uint v, struct rows rows, global const uint *colors, uint n_own, uint round)
{
    uint cursor = rows.cursors[v], end = rows.starts[v + 1];
    if (cursor == end || look(colors + rows.higher[cursor]) < NO_COLOR_YET) {
        taken_type taken = rows.taken[v];
        struct high high = high_of(rows.high, rows.starts[v], end);
        cursor = advance(&taken, 0, high, colors, rows.higher, cursor, end);
        if (cursor == end)
            return free_color(&taken, high);
        rows.cursors[v] = cursor;
        rows.taken[v] = taken;
    }
    uint slot = rows.higher[cursor];
    return slot >= n_own || look(colors + slot) == GAVE_UP(round) ? GAVE_UP(round) : NO_COLOR;
}

/*
 * Give colours to the vertices of which all higher neighbours have one, also if they get it by this launch, and sort
 * the vertices into those that have taken a colour and those that keep waiting.
 *
 * A vertex gives up for this round if its neighbour is another node's, or has given up. The list is in the order in which
 * vertices choose, so a vertex waits for earlier work-items alone, and a device that begins groups in their order ends the
 * round when nothing more can be coloured here; one that does not ends it after PASSES.
 *
 * Global size: n_listed vertices from number `first` of the list, or more. round: from 1. starts, higher: slots of the
 * neighbours that are before each vertex, as they choose; those from n_own on are other nodes'. cursors, taken: [vertices] how
 * far each is. ready: slot and colour. counts: lengths of ready and of waiting. high: see high_of.
 */
kernel void choose(GRAVEL_ARENA, ulong first, uint n_listed, ulong colors_offset, uint n_own,
                   uint round, global const uint *restrict list, global const uint *restrict slots,
                   global const uint *starts, global const uint *higher, global uint *cursors,
                   global taken_type *taken, global uint2 *restrict ready,
                   global uint *restrict waiting, global volatile uint *counts, global ulong *high)
{
    GRAVEL_OPEN(g);
    local uint n_undecided[3], n_sorted[2], begin[2];
    global uint *colors = gravel_local(g, colors_offset);
    struct rows rows = {starts, higher, cursors, taken, high};
    bool is_listed = first + get_global_id(0) < n_listed, is_undecided = is_listed;
    uint v = list[is_listed ? first + get_global_id(0) : 0];
    uint color = NO_COLOR, place = 0;
    if (get_local_id(0) == 0) {
        n_undecided[0] = n_undecided[1] = n_undecided[2] = 0;
        n_sorted[0] = n_sorted[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint pass = 0, n_left = 1; pass < PASSES && n_left; pass++) {
        if (is_undecided) {
            color = decide(v, rows, colors, n_own, round);
            is_undecided = color == NO_COLOR;
            if (is_undecided)
                atomic_inc(&n_undecided[pass % 3]);
            else
                show(colors + slots[v], color);
        }
        if (get_local_id(0) == 0) /* all have read this one since the last pass but one */
            n_undecided[(pass + 1) % 3] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        n_left = n_undecided[pass % 3];
    }
    bool is_waiting = color >= NO_COLOR_YET;
    if (is_listed)
        place = atomic_inc(&n_sorted[is_waiting]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        begin[0] = atomic_add(counts, n_sorted[0]);
        begin[1] = atomic_add(counts + 1, n_sorted[1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_listed && is_waiting)
        waiting[begin[1] + place] = v;
    else if (is_listed)
        ready[begin[0] + place] = (uint2)(slots[v], color);
}

/*
 * Put the colours that were taken to where there are copies.
 *
 * Global size: n_ready from number `first`, or more. ready: slot and colour. copy_starts: [own slots + 1]. copies: node, and
 * slot there.
 */
kernel void publish(GRAVEL_ARENA, ulong first, uint n_ready, ulong colors,
                    global const uint2 *restrict ready, global const uint *restrict copy_starts,
                    global const uint2 *restrict copies)
{
    GRAVEL_OPEN(g);
    bool is_ready = first + get_global_id(0) < n_ready;
    uint2 chosen = ready[is_ready ? first + get_global_id(0) : 0];
    uint start = copy_starts[chosen.x], n = is_ready ? copy_starts[chosen.x + 1] - start : 0;
    GRAVEL_FOR_WG (g, i, active, n) {
        uint2 copy = active ? copies[start + i] : (uint2)(0, 0);
        gravel_put_uint_wg_if(g, active, colors, copy.y, chosen.y, copy.x);
    }
}
