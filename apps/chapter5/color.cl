/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by a message to each later neighbour; or, with HAS_TASKS, by stretches of vertices, as tasks of groups'
 * deques.
 *
 * A vertex has a word for each earlier neighbour, where that neighbour's colour arrives, or NONE.
 *
 * Path:    color.c has one of both launched, and what all nodes send waited for, until no vertex is without a colour.
 * Memory:  words may arrive while they are read: a vertex that misses one waits for another round.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Orr 2016, section 5.4.2; of the tasks Orr et
 *          al. 2015, section 5.3.
 */
#include "gravel.cl.h"

#define NONE 0xffffffffu
#define WINDOW 64 /* colours that are looked at together */

/* Returns the least colour that no word from `start` on has; NONE if one of them is NONE. */
static uint choose(volatile global const uint *words, uint start, uint end)
{
    for (uint first = 0;; first += WINDOW) {
        ulong taken = 0;
        for (uint e = start; e < end; e++) {
            const uint color = words[e];
            if (color == NONE)
                return NONE;
            taken |= color - first < WINDOW ? 1ul << (color - first) : 0;
        }
        if (~taken)
            return first + (uint)popcount((~taken & (taken + 1)) - 1);
    }
}

#ifndef HAS_TASKS
/*
 * Gives colours to the vertices that have none, and whose words have all arrived, and sends them on, to own vertices too.
 *
 * Global size: this node's vertices from number `first`. words: heap offset of uint [edges]. offsets: [vertices + 1] of rows,
 * of which the first splits[v] neighbours are earlier. targets: [edges] node and word of each later one. n_left: vertices
 * that wait.
 */
kernel void color(GRAVEL_ARENA, ulong first, ulong words, global const uint *restrict offsets,
                  global const uint *restrict splits, global const uint2 *restrict targets,
                  global uint *restrict colors, volatile global uint *n_left)
{
    GRAVEL_OPEN(g);
    const size_t v = first + get_global_id(0);
    const bool is_new = colors[v] == NONE;
    const uint split = offsets[v] + splits[v];
    const uint color = is_new ? choose(gravel_local(g, words), offsets[v], split) : colors[v];
    if (is_new && color == NONE)
        atomic_inc(n_left);
    colors[v] = color;
    const uint n = is_new && color != NONE ? offsets[v + 1] - split : 0;
    GRAVEL_FOR_WG (g, i, active, n) {
        const uint2 word = active ? targets[split + i] : (uint2)(0, 0);
        gravel_put_uint_wg_if(g, active, words, word.y, color, word.x);
    }
}
#else
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"

/*
 * A round on one node, as `color`; a task is as many vertices as a group has work-items.
 *
 * Global size: a group for each deque. words: [edges of all n].
 */
kernel void color_tasks(GRAVEL_STEAL, uint n, global const uint *restrict offsets,
                        global const uint *restrict splits, global const uint2 *restrict targets,
                        volatile global uint *words, global uint *restrict colors,
                        volatile global uint *n_left)
{
    GRAVEL_STEAL_OPEN(s);
    uint n_waiting = 0;
    GRAVEL_STEAL_EACH (s, stretch) {
        const uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        if (v < n && colors[v] == NONE) {
            const uint split = offsets[v] + splits[v], color = choose(words, offsets[v], split);
            colors[v] = color;
            n_waiting += color == NONE;
            for (uint e = split; color != NONE && e < offsets[v + 1]; e++)
                words[targets[e].y] = color;
        }
    }
    if (n_waiting)
        atomic_add(n_left, n_waiting);
}
#endif
