/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring of a node's vertices as tasks, by random priorities: who is before all neighbours that had no colour
 * in the last round takes the least one that is free.
 *
 * Path:    scheduled.c launches color_tasks with colours of two rounds by turns, until no vertex waits.
 * Source:  Che et al., Pannotia, 2013; Orr et al. 2015, section 5.3.
 */
#include "colors.cl.h"
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"

/* The least colour, from `first` on, that none of some neighbours has. */
static uint free_color_from(uint first, global const uint *colors,
                            global const uint *restrict higher, uint start, uint end)
{
    for (;; first += WINDOW) {
        ulong taken = window_from(first, colors, higher, start, end);
        if (~taken)
            return first + lowest_zero(taken);
    }
}

/*
 * A round with --schedule, where all vertices are this node's: a task is a stretch of as many vertices as a group has
 * work-items, and each of them that is before all neighbours without a colour takes one.
 *
 * Global size: a group for each deque. before, after: [n_own slots] colours of the last round and of this one.
 * n_left: vertices that still wait.
 */
kernel void color_tasks(GRAVEL_STEAL, uint n_own, global const uint *restrict slots,
                        global const uint *restrict starts, global const uint *restrict higher,
                        global uint *restrict cursors, global const uint *restrict before,
                        global uint *restrict after, global volatile uint *n_left)
{
    GRAVEL_STEAL_OPEN(s);
    uint n_waiting = 0;
    GRAVEL_STEAL_EACH (s, stretch) {
        uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        if (v < n_own) {
            uint slot = slots[v], color = before[slot], end = starts[v + 1];
            if (color == NO_COLOR) {
                uint cursor = cursors[v];
                while (cursor < end && before[higher[cursor]] != NO_COLOR)
                    cursor++;
                cursors[v] = cursor;
                color =
                    cursor < end ? NO_COLOR : free_color_from(0, before, higher, starts[v], end);
                n_waiting += cursor < end;
            }
            after[slot] = color;
        }
    }
    if (n_waiting)
        atomic_add(n_left, n_waiting);
}
