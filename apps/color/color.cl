/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by random priorities: who is before all neighbours that have no colour takes the least one that
 * is free, and puts it to every node that has a copy.
 *
 * A colour is a number below NO_COLOR_YET; above stand NO_COLOR and, while the own vertices choose, the number of the
 * round in which a vertex gave up.
 *
 * Path:    rounds.c launches choose, counts over all nodes, launches publish, waits for all messages; again.
 * Memory:  words of own vertices are stored by choose only, each by one work-item, and looked at by others of its launch:
 *          relaxed, at the scope of the device, as a colour stands for nothing else. Words of ghosts are stored by
 *          messages only, between two launches of choose.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug et al., Ordering Heuristics for
 *          Parallel Graph Coloring, 2014; Orr 2016, section 5.4.2.
 */
#include "gravel.cl.h"
#ifdef HAS_TASKS
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"
#endif

#define NO_COLOR 0xffffffffu
#define NO_COLOR_YET 0x80000000u
#define GAVE_UP(round) (NO_COLOR_YET | (round)) /* never NO_COLOR: rounds are fewer than vertices */
#define WINDOW 64                               /* colours that are looked at together */
#define N_WINDOWS 4                             /* that a vertex keeps note of */
#define PASSES \
    1024 /* over a group's vertices, at most: some ms, if it waits for others for nothing */

/* ---- words that others look at --------------------------------------------------------------- */

#if __OPENCL_C_VERSION__ >= 200
typedef volatile global atomic_uint shared_uint;
static uint look(global const uint *word)
{
    return atomic_load_explicit((shared_uint *)word, memory_order_relaxed, memory_scope_device);
}
static void show(global uint *word, uint value)
{
    atomic_store_explicit((shared_uint *)word, value, memory_order_relaxed, memory_scope_device);
}
#else
static uint look(global const uint *word)
{
    return *(volatile global const uint *)word;
}
static void show(global uint *word, uint value)
{
    *(volatile global uint *)word = value;
}
#endif

/* ---- colours that neighbours have ------------------------------------------------------------ */

/* The colours of the neighbours that a vertex has looked at, of the first N_WINDOWS * WINDOW. */
typedef ulong4 taken_type;

static void note(taken_type *taken, uint color)
{
    ulong bit = 1UL << color % WINDOW;
    taken->x |= color / WINDOW == 0 ? bit : 0;
    taken->y |= color / WINDOW == 1 ? bit : 0;
    taken->z |= color / WINDOW == 2 ? bit : 0;
    taken->w |= color / WINDOW == 3 ? bit : 0;
}

/* The lowest zero of a window, which is not full. */
static uint lowest_zero(ulong window)
{
    return (uint)popcount((~window & (window + 1)) - 1); /* zeros below it */
}

/* The least colour, from `first` on, that none of some neighbours has. */
static uint free_color_from(uint first, global const uint *colors,
                            global const uint *restrict higher, uint start, uint end)
{
    for (;; first += WINDOW) {
        ulong taken = 0;
        for (uint e = start; e < end; e++) {
            uint place = look(colors + higher[e]) - first;
            taken |= place < WINDOW ? 1UL << place : 0;
        }
        if (~taken)
            return first + lowest_zero(taken);
    }
}

static uint free_color(const taken_type *taken, global const uint *colors,
                       global const uint *restrict higher, uint start, uint end)
{
    return ~taken->x   ? lowest_zero(taken->x)
           : ~taken->y ? WINDOW + lowest_zero(taken->y)
           : ~taken->z ? 2 * WINDOW + lowest_zero(taken->z)
           : ~taken->w ? 3 * WINDOW + lowest_zero(taken->w)
                       : free_color_from(N_WINDOWS * WINDOW, colors, higher, start, end);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/*
 * Own vertices are numbered here as they choose; slots: [vertices] where each one's colour stands.
 *
 * Global size: slots from number `first`, of which n_own are own vertices. starts: [vertices + 1] of their higher
 * neighbours. colors: heap offset of [slots].
 */
kernel void reset(GRAVEL_ARENA, ulong first, ulong colors, uint n_own,
                  global const uint *restrict starts, global uint *restrict cursors,
                  global taken_type *restrict taken, global uint *restrict list)
{
    GRAVEL_OPEN(g);
    size_t i = first + get_global_id(0);
    ((global uint *)gravel_local(g, colors))[i] = NO_COLOR;
    if (i < n_own) {
        cursors[i] = starts[i];
        taken[i] = (taken_type)(0);
        list[i] = (uint)i;
    }
}

/* The rows of higher neighbours, and how far each vertex is in its row. */
struct rows {
    global const uint *starts, *higher; /* [vertices + 1]; slots, as they choose */
    global uint *cursors;               /* [vertices] the first that had no colour when last seen */
    global taken_type *taken;           /* [vertices] */
};

/* Note the colours of a vertex's neighbours up to the first that has none: four at a time, so that they come together.
 * @return  that neighbour's place, or `end`. */
static uint advance(taken_type *taken, global const uint *colors, global const uint *higher,
                    uint cursor, uint end)
{
    for (; cursor + 4 <= end; cursor += 4) {
        uint4 slots = vload4(0, higher + cursor);
        uint4 seen = (uint4)(look(colors + slots.x), look(colors + slots.y), look(colors + slots.z),
                             look(colors + slots.w));
        if (any(seen >= (uint4)(NO_COLOR_YET)))
            break;
        note(taken, seen.x);
        note(taken, seen.y);
        note(taken, seen.z);
        note(taken, seen.w);
    }
    for (; cursor < end; cursor++) {
        uint seen = look(colors + higher[cursor]);
        if (seen >= NO_COLOR_YET)
            break;
        note(taken, seen);
    }
    return cursor;
}

/* A vertex's colour, GAVE_UP in this round, or NO_COLOR: the vertex waits for an own one that is undecided too. */
static uint decide(uint v, struct rows rows, global const uint *colors, uint n_own, uint round)
{
    uint cursor = rows.cursors[v], end = rows.starts[v + 1];
    if (cursor == end || look(colors + rows.higher[cursor]) < NO_COLOR_YET) {
        taken_type taken = rows.taken[v];
        cursor = advance(&taken, colors, rows.higher, cursor, end);
        if (cursor == end)
            return free_color(&taken, colors, rows.higher, rows.starts[v], end);
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
 * far each is. ready: slot and colour. counts: lengths of ready and of waiting.
 */
kernel void choose(GRAVEL_ARENA, ulong first, uint n_listed, ulong colors_offset, uint n_own,
                   uint round, global const uint *restrict list, global const uint *restrict slots,
                   global const uint *starts, global const uint *higher, global uint *cursors,
                   global taken_type *taken, global uint2 *restrict ready,
                   global uint *restrict waiting, global volatile uint *counts)
{
    GRAVEL_OPEN(g);
    local uint n_undecided[3], n_sorted[2], begin[2];
    global uint *colors = gravel_local(g, colors_offset);
    struct rows rows = {starts, higher, cursors, taken};
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

#ifdef HAS_TASKS
/*
 * A round with --schedule, where all vertices are this node's: a task is a stretch of as many vertices as a group has
 * work-items, and each of them that is before all neighbours without a colour takes one.
 *
 * Global size: a deque a group, or a group a task. before, after: [n_own slots] colours of the last round and of this one.
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
#endif
