/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by random priorities: who is before all neighbours that have no colour takes the least one that
 * is free, and puts it to every node that has a copy.
 *
 * Path:    rounds.c launches choose, counts over all nodes, launches publish, waits for all messages; again.
 * Memory:  words of own vertices are stored by publish only, words of ghosts by messages only.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Orr 2016, section 5.4.2.
 */
#include "gravel.cl.h"
#ifdef HAS_TASKS
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"
#endif

#define NO_COLOR 0xffffffffu
#define WINDOW 64 /* colours that are looked at together */

/*
 * Global size: slots from number `first`, of which n_own are own vertices. starts: [vertices + 1] of their higher
 * neighbours. colors: heap offset of [slots].
 */
kernel void reset(GRAVEL_ARENA, ulong first, ulong colors, uint n_own,
                  global const uint *restrict starts, global uint *restrict cursors,
                  global uint *restrict list)
{
    GRAVEL_OPEN(g);
    size_t slot = first + get_global_id(0);
    ((global uint *)gravel_local(g, colors))[slot] = NO_COLOR;
    if (slot < n_own) {
        cursors[slot] = starts[slot];
        list[slot] = (uint)slot;
    }
}

/* The least colour that none of some neighbours has. */
static uint free_color(global const uint *restrict colors, global const uint *restrict higher,
                       uint start, uint end)
{
    for (uint first = 0;; first += WINDOW) {
        ulong taken = 0;
        for (uint e = start; e < end; e++) {
            uint place = colors[higher[e]] - first;
            taken |= place < WINDOW ? 1UL << place : 0;
        }
        if (~taken)
            return first +
                   (uint)popcount((~taken & (taken + 1)) - 1); /* zeros below the lowest 0 */
    }
}

/*
 * Sort the vertices that have no colour into those that may take one now, and those that keep waiting.
 *
 * Global size: n_listed vertices from number `first` of the list, or more. starts, higher: slots of the neighbours that are before
 * each vertex. cursors: [vertices] the first of those that had no colour when last seen. ready: vertex and colour.
 * counts: lengths of ready and of waiting.
 */
kernel void choose(GRAVEL_ARENA, ulong first, uint n_listed, ulong colors_offset,
                   global const uint *restrict list, global const uint *restrict starts,
                   global const uint *restrict higher, global uint *restrict cursors,
                   global uint2 *restrict ready, global uint *restrict waiting,
                   global volatile uint *counts)
{
    GRAVEL_OPEN(g);
    local uint n_sorted[2], begin[2];
    global const uint *restrict colors = gravel_local(g, colors_offset);
    bool is_listed = first + get_global_id(0) < n_listed;
    uint v = list[is_listed ? first + get_global_id(0) : 0];
    uint cursor = is_listed ? cursors[v] : 0, end = starts[v + 1], place = 0;
    if (get_local_id(0) == 0)
        n_sorted[0] = n_sorted[1] = 0;
    while (is_listed && cursor < end && colors[higher[cursor]] != NO_COLOR)
        cursor++;
    uint is_waiting = cursor < end;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_listed) {
        cursors[v] = cursor;
        place = atomic_inc(&n_sorted[is_waiting]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        begin[0] = atomic_add(counts, n_sorted[0]);
        begin[1] = atomic_add(counts + 1, n_sorted[1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_listed && is_waiting)
        waiting[begin[1] + place] = v;
    else if (is_listed)
        ready[begin[0] + place] = (uint2)(v, free_color(colors, higher, starts[v], end));
}

/*
 * Give the vertices their colours, here and where there are copies.
 *
 * Global size: n_ready from number `first`, or more. copy_starts: [vertices + 1]. copies: node, and slot there.
 */
kernel void publish(GRAVEL_ARENA, ulong first, uint n_ready, ulong colors,
                    global const uint2 *restrict ready, global const uint *restrict copy_starts,
                    global const uint2 *restrict copies)
{
    GRAVEL_OPEN(g);
    bool is_ready = first + get_global_id(0) < n_ready;
    uint2 chosen = ready[is_ready ? first + get_global_id(0) : 0];
    uint start = copy_starts[chosen.x], n = is_ready ? copy_starts[chosen.x + 1] - start : 0;
    if (is_ready)
        ((global uint *)gravel_local(g, colors))[chosen.x] = chosen.y;
    GRAVEL_FOR_WG (g, i, active, n) {
        uint2 copy = active ? copies[start + i] : (uint2)(0, 0);
        gravel_put_uint_wg_if(g, active, colors, copy.y, chosen.y, copy.x);
    }
}

#ifdef HAS_TASKS
/*
 * A round with --schedule, where all vertices are this node's: a task is a stretch of as many vertices as a group has
 * work-items, and each of them that is before all neighbours without a colour takes one.
 *
 * Global size: a deque a group, or a group a task. before, after: [n_own] colours of the last round and of this one.
 * n_left: vertices that still wait.
 */
kernel void color_tasks(GRAVEL_STEAL, uint n_own, global const uint *restrict starts,
                        global const uint *restrict higher, global uint *restrict cursors,
                        global const uint *restrict before, global uint *restrict after,
                        global volatile uint *n_left)
{
    GRAVEL_STEAL_OPEN(s);
    uint n_waiting = 0;
    GRAVEL_STEAL_EACH (s, stretch) {
        uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        if (v < n_own) {
            uint color = before[v], end = starts[v + 1];
            if (color == NO_COLOR) {
                uint cursor = cursors[v];
                while (cursor < end && before[higher[cursor]] != NO_COLOR)
                    cursor++;
                cursors[v] = cursor;
                color = cursor < end ? NO_COLOR : free_color(before, higher, starts[v], end);
                n_waiting += cursor < end;
            }
            after[v] = color;
        }
    }
    if (n_waiting)
        atomic_add(n_left, n_waiting);
}
#endif
