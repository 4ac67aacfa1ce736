/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by random priorities: who is before all neighbours that have no colour takes the least one that
 * is free. Other nodes' vertices are guessed to get another one, or waited for.
 *
 * A colour is a number below NO_COLOR_YET; above stand NO_COLOR and, while the own vertices choose, the number of the
 * round in which a vertex gave up.
 *
 * Path:    color.c launches survey and guess, shares colours, launches mend; again. With --ordered it launches choose,
 *          counts over all nodes, launches publish, waits for all messages; again.
 * Memory:  words of own vertices are stored by guess or choose, each by one work-item, and looked at by others of its
 *          launch: relaxed, at the scope of the device, as a colour stands for nothing else. mend looks at no other own
 *          vertex. Words of ghosts are stored by messages only, between two launches of these.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug et al., Ordering Heuristics for
 *          Parallel Graph Coloring, 2014; Orr 2016, section 5.4.2.
 */
/* The host defines GROUP_ITEMS, work-items of a full group. */
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
#define N_NOTED (N_WINDOWS * WINDOW)            /* colours of these */
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

/* The colours of the neighbours that a vertex has looked at, of the first N_NOTED. */
typedef ulong4 taken_type;

/* @param place  the colour's, from the first one that is kept note of. */
static void note(taken_type *taken, uint place)
{
    ulong bit = 1UL << place % WINDOW;
    taken->x |= place / WINDOW == 0 ? bit : 0;
    taken->y |= place / WINDOW == 1 ? bit : 0;
    taken->z |= place / WINDOW == 2 ? bit : 0;
    taken->w |= place / WINDOW == 3 ? bit : 0;
}

/* The lowest zero of a window, which is not full. */
static uint lowest_zero(ulong window)
{
    return (uint)popcount((~window & (window + 1)) - 1); /* zeros below it */
}

/* The colours from N_NOTED on that the neighbours of one vertex have, of as many as it may need: fewer than it has
 * neighbours. Their bits are those whole words that have places of its row. */
struct high {
    global ulong *words;
    uint n; /* colours; 0: the row is too short for any */
};

/* @param words  [places / WINDOW + 1] of all vertices. start, end: places of the row. */
static struct high high_of(global ulong *words, uint start, uint end)
{
    uint n = end - start;
    return (struct high){words + (start + WINDOW - 1) / WINDOW, n > N_NOTED ? n - N_NOTED : 0};
}

static void note_high(struct high high, uint color)
{
    uint place = color - N_NOTED; /* of a lower colour a number too large */
    if (place < high.n)
        high.words[place / WINDOW] |= 1UL << place % WINDOW;
}

/* The least of those that was not noted, or the one behind all, which no neighbour can have then. */
static uint least_high_free(struct high high)
{
    uint first = 0;
    while (first < high.n && !~high.words[first / WINDOW])
        first += WINDOW;
    return N_NOTED + first + (first < high.n ? lowest_zero(high.words[first / WINDOW]) : 0);
}

static void clear_high(struct high high)
{
    for (uint first = 0; first < high.n; first += WINDOW)
        high.words[first / WINDOW] = 0;
}

/* Of the colours from `first` on, those that some neighbours have. */
static ulong window_from(uint first, global const uint *colors, global const uint *neighbours,
                         uint start, uint end)
{
    ulong taken = 0;
    for (uint e = start; e < end; e++) {
        uint place = look(colors + neighbours[e]) - first;
        taken |= place < WINDOW ? 1UL << place : 0;
    }
    return taken;
}

/* The least colour that was not noted; NO_COLOR if all of these were. */
static uint least_noted_free(const taken_type *taken)
{
    return ~taken->x   ? lowest_zero(taken->x)
           : ~taken->y ? WINDOW + lowest_zero(taken->y)
           : ~taken->z ? 2 * WINDOW + lowest_zero(taken->z)
           : ~taken->w ? 3 * WINDOW + lowest_zero(taken->w)
                       : NO_COLOR;
}

static uint free_color(const taken_type *taken, struct high high)
{
    uint color = least_noted_free(taken);
    return color != NO_COLOR ? color : least_high_free(high);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

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

/* Note the colours of a vertex's neighbours up to the first that has none: four at a time, so that they come together.
 * @param base  the first colour that is kept note of.
 * @return      that neighbour's place, or `end`. */
static uint advance(taken_type *taken, uint base, struct high high, global const uint *colors,
                    global const uint *higher, uint cursor, uint end)
{
    for (; cursor + 4 <= end; cursor += 4) {
        uint4 slots = vload4(0, higher + cursor);
        uint4 seen = (uint4)(look(colors + slots.x), look(colors + slots.y), look(colors + slots.z),
                             look(colors + slots.w));
        if (any(seen >= (uint4)(NO_COLOR_YET)))
            break;
        note(taken, seen.x - base);
        note(taken, seen.y - base);
        note(taken, seen.z - base);
        note(taken, seen.w - base);
        if (high.n && any(seen >= (uint4)(N_NOTED))) {
            note_high(high, seen.x);
            note_high(high, seen.y);
            note_high(high, seen.z);
            note_high(high, seen.w);
        }
    }
    for (; cursor < end; cursor++) {
        uint seen = look(colors + higher[cursor]);
        if (seen >= NO_COLOR_YET)
            break;
        note(taken, seen - base);
        note_high(high, seen);
    }
    return cursor;
}

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

/* ---- rounds that guess ----------------------------------------------------------------------- */

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

#ifdef HAS_TASKS
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
#endif
