/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by random priorities: an own vertex that is before all own neighbours without a colour takes the
 * least one that is free. Other nodes' vertices are guessed to get another one; where that is wrong, the later vertex
 * chooses again.
 *
 * The host defines GROUP_ITEMS, work-items of a full group.
 *
 * Path:    guessed.c launches survey and guess, shares colours, launches mend; again.
 * Memory:  as in colors.cl.h; mend looks at no other own vertex. Words of ghosts are stored by messages only, between
 *          two launches of these.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug et al., Ordering Heuristics for
 *          Parallel Graph Coloring, 2014.
 */
#include "colors.cl.h"

/* A vertex's neighbours, from each of these places on to the next: own ones that choose before it, ghosts that do, ghosts
 * that choose after it, own ones that do. */
struct row {
    uint own_before, ghosts_before, ghosts_after, own_after, end;
};

static struct row row_of(global const uint4 *rows, uint v)
{
    uint4 kinds = rows[v];
    return (struct row){kinds.x, kinds.y, kinds.z, kinds.w, rows[v + 1].x};
}

/* What vertices have been coloured before, or elsewhere. */
struct known {
    global const uint *colors, *copies,
        *neighbours; /* of own vertices, of ghosts; numbers of either */
};

/* The least colour that no neighbour is known to have, from the second round on.
 * taken: what survey noted, from colour `base` on, below which none is free, and what own ones have chosen in this round. */
static uint free_color_known(taken_type taken, uint base, struct known known, struct row row)
{
    uint color = least_noted_free(&taken);
    if (color != NO_COLOR)
        return base + color;
    for (uint first = base + N_NOTED; color == NO_COLOR; first += WINDOW) {
        ulong window =
            window_from(first, known.colors, known.neighbours, row.own_before, row.ghosts_before) |
            window_from(first, known.copies, known.neighbours, row.ghosts_before, row.own_after) |
            window_from(first, known.colors, known.neighbours, row.own_after, row.end);
        color = ~window ? first + lowest_zero(window) : NO_COLOR;
    }
    return color;
}

/* Own vertices that choose before one, and may have no colour, from place `start` to `end`. */
struct awaited {
    global const uint *slots;
    uint start, end;
};

/* As decide; a vertex waits for own ones alone. base: 0 in the first round, which alone needs `high`. */
static uint decide_known(uint v, struct row row, struct awaited awaited, struct known known,
                         global uint *cursors, global taken_type *noted, uint base,
                         struct high high, uint round)
{
    uint cursor = cursors[v];
    if (cursor == awaited.end || look(known.colors + awaited.slots[cursor]) < NO_COLOR_YET) {
        taken_type taken = noted[v];
        cursor = advance(&taken, base, high, known.colors, awaited.slots, cursor, awaited.end);
        if (cursor == awaited.end)
            return round == 1 ? free_color(&taken, high)
                              : free_color_known(taken, base, known, row);
        cursors[v] = cursor;
        noted[v] = taken;
    }
    return look(known.colors + awaited.slots[cursor]) == GAVE_UP(round) ? GAVE_UP(round) : NO_COLOR;
}

#define GUESS_ARGUMENTS                                                                          \
    GRAVEL_ARENA, ulong first, uint n_own, uint round, ulong copies_offset, ulong colors_offset, \
        global const uint *restrict slots, global const uint4 *rows,                             \
        global const uint *neighbours, global uint *waited, global uint *ends,                   \
        global uint *cursors, global taken_type *noted, global uint *bases,                      \
        global uint *restrict rounds, global volatile uint *n_left, global ulong *high_words

/* A row that has more is looked at by the whole group. */
#define LONG_ROW 64
/* Windows that it looks at, of which a vertex keeps note of N_WINDOWS from the first that has a free colour on. */
#define SURVEYED 32

/* Of the windows of two words each, the first that is not full, or the last that a vertex may keep note from. */
static uint first_window(local const uint *taken)
{
    uint window = 0;
    while (window < SURVEYED - N_WINDOWS && !~(taken[2 * window] & taken[2 * window + 1]))
        window++;
    return window;
}

static ulong window_at(local const uint *taken, uint window)
{
    return upsample(taken[2 * window + 1], taken[2 * window]);
}

/* A neighbour's colour, or none. */
static uint color_of(struct known known, struct row row, uint e)
{
    bool is_ghost = e >= row.ghosts_before && e < row.own_after;
    return look((is_ghost ? known.copies : known.colors) + known.neighbours[e]);
}

/*
 * For vertices without a colour, note those of their neighbours, and list the own ones that choose before and have none:
 * guess looks at these alone, and no vertex waits while another one goes through its long row.
 *
 * Arguments as of guess; round: from 2.
 */
kernel void survey(GUESS_ARGUMENTS)
{
    GRAVEL_OPEN(g);
    local uint n_long, long_rows[GROUP_ITEMS], taken[2 * SURVEYED], n_waited;
    global uint *colors = gravel_local(g, colors_offset);
    struct known known = {colors, gravel_local(g, copies_offset), neighbours};
    size_t i = first + get_global_id(0);
    const uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint v = i < n_own ? (uint)i : 0;
    struct row row = row_of(rows, v);
    if (lane == 0)
        n_long = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n_own && colors[slots[v]] >= NO_COLOR_YET) {
        if (row.end - row.own_before > LONG_ROW) {
            long_rows[atomic_inc(&n_long)] = v;
        } else {
            taken_type seen = (taken_type)(0);
            uint end = row.own_before;
            for (uint e = row.own_before; e < row.end; e++) {
                uint color = color_of(known, row, e);
                if (color < NO_COLOR_YET)
                    note(&seen, color);
                else if (e < row.ghosts_before)
                    waited[end++] = neighbours[e];
            }
            noted[v] = seen;
            bases[v] = 0; /* so few neighbours have no more colours */
            ends[v] = end;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n_long; k++) {
        v = long_rows[k];
        row = row_of(rows, v);
        for (uint word = lane; word < 2 * SURVEYED; word += n_lanes)
            taken[word] = 0;
        if (lane == 0)
            n_waited = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint e = row.own_before + lane; e < row.end; e += n_lanes) {
            uint color = color_of(known, row, e);
            if (color < SURVEYED * WINDOW)
                atomic_or(&taken[color / 32], 1u << color % 32);
            else if (color >= NO_COLOR_YET && e < row.ghosts_before)
                waited[row.own_before + atomic_inc(&n_waited)] = neighbours[e];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0) {
            ends[v] = row.own_before + n_waited;
            uint w = first_window(taken);
            bases[v] = w * WINDOW;
            noted[v] = (taken_type)(window_at(taken, w), window_at(taken, w + 1),
                                    window_at(taken, w + 2), window_at(taken, w + 3));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/*
 * Give colours to the own vertices that have none, which others' vertices may get too.
 *
 * A vertex waits for own ones that choose before it, as in choose; one that gives up is left for the next round.
 *
 * Global size: n_own vertices, as they choose, from number `first`, or more. round: from 1. copies_offset: heap offset of the
 * ghosts' colours, unless the round is the first. colors_offset: that of the own ones, [n_own slots]. slots: [n_own]. rows:
 * [n_own + 1]. neighbours: slots, or numbers of ghosts. waited, ends: from round 2 on, those of each row that a vertex
 * waits for, which survey lists, up to the place in ends. cursors, noted: [n_own] how far each is. bases: [n_own] from
 * round 2 on, the first colour that noted tells of. rounds: [n_own] in which each was coloured. high_words: see high_of.
 */
kernel void guess(GUESS_ARGUMENTS)
{
    GRAVEL_OPEN(g);
    local uint n_undecided[3];
    global uint *colors = gravel_local(g, colors_offset);
    struct known known = {colors, gravel_local(g, copies_offset), neighbours};
    size_t i = first + get_global_id(0);
    uint v = i < n_own ? (uint)i : 0, slot = slots[v], color = NO_COLOR;
    bool is_undecided = i < n_own && look(colors + slot) >= NO_COLOR_YET;
    struct row row = row_of(rows, v);
    struct awaited awaited = round == 1
                                 ? (struct awaited){neighbours, row.own_before, row.ghosts_before}
                                 : (struct awaited){waited, row.own_before, ends[v]};
    uint base = round == 1 ? 0 : bases[v];
    struct high high = round == 1 ? high_of(high_words, row.own_before, row.ghosts_before)
                                  : (struct high){high_words, 0};
    if (get_local_id(0) == 0)
        n_undecided[0] = n_undecided[1] = n_undecided[2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint pass = 0, n_waiting = 1; pass < PASSES && n_waiting; pass++) {
        if (is_undecided) {
            color = decide_known(v, row, awaited, known, cursors, noted, base, high, round);
            is_undecided = color == NO_COLOR;
            if (is_undecided)
                atomic_inc(&n_undecided[pass % 3]);
            else
                show(colors + slot, color);
        }
        if (get_local_id(0) == 0) /* all have read this one since the last pass but one */
            n_undecided[(pass + 1) % 3] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        n_waiting = n_undecided[pass % 3];
    }
    if (color < NO_COLOR_YET)
        rounds[v] = round;
}

/* Whether one of some ghosts, each step-th from place `e` on, has a colour. */
static bool clashes(global const uint *copies, global const uint *neighbours, uint e, uint end,
                    uint step, uint color)
{
    for (; e < end; e += step)
        if (copies[neighbours[e]] == color)
            return true;
    return false;
}

/*
 * Take back colours of this round that clash with those of ghosts that choose before, and count the vertices that have
 * none. Two vertices that were coloured in different rounds do not clash: the later one has seen the colour of the other.
 *
 * Arguments as of guess; round 0 takes all colours back. n_left: the count is added to it.
 */
kernel void mend(GUESS_ARGUMENTS)
{
    GRAVEL_OPEN(g);
    local uint n_here, n_long, long_rows[GROUP_ITEMS], has_clashed[GROUP_ITEMS];
    global uint *colors = gravel_local(g, colors_offset);
    global const uint *copies = gravel_local(g, copies_offset);
    size_t i = first + get_global_id(0);
    const uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    const uint mine = i < n_own ? (uint)i : 0;
    uint color = round ? colors[slots[mine]] : NO_COLOR;
    struct row row = row_of(rows, mine);
    bool is_new = i < n_own && color < NO_COLOR_YET && rounds[mine] == round;
    bool is_long = is_new && row.ghosts_after - row.ghosts_before > LONG_ROW;
    has_clashed[lane] = is_new && !is_long &&
                        clashes(copies, neighbours, row.ghosts_before, row.ghosts_after, 1, color);
    if (lane == 0)
        n_here = n_long = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_long)
        long_rows[atomic_inc(&n_long)] = lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n_long; k++) {
        uint v = (uint)i - lane + long_rows[k];
        struct row its = row_of(rows, v);
        if (clashes(copies, neighbours, its.ghosts_before + lane, its.ghosts_after, n_lanes,
                    colors[slots[v]]))
            atomic_or(&has_clashed[long_rows[k]], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n_own && (color >= NO_COLOR_YET || has_clashed[lane])) {
        if (round == 0)
            clear_high(high_of(high_words, row.own_before, row.ghosts_before));
        colors[slots[mine]] = NO_COLOR;
        cursors[mine] = row.own_before;
        noted[mine] = (taken_type)(0);
        atomic_inc(&n_here);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && n_here)
        atomic_add(n_left, n_here);
}
