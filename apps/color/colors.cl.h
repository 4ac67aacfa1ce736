/* SPDX-License-Identifier: MIT */
/*
 * What all ways to colour are made of: words of colours, which others look at, and the colours that the neighbours of a
 * vertex have.
 *
 * A colour is a number below NO_COLOR_YET; above stand NO_COLOR and, while the own vertices choose, the number of the
 * round in which a vertex gave up. The host defines PASSES: over a group's vertices, at most; some us each, if it waits for
 * others for nothing.
 *
 * Path:    guessed.cl, ordered.cl, scheduled.cl -> this
 * Memory:  words of own vertices are stored by guess or choose, each by one work-item, and looked at by others of its
 *          launch: relaxed, at the scope of the device, as a colour stands for nothing else.
 */
#include "gravel.cl.h"

#define NO_COLOR 0xffffffffu
#define NO_COLOR_YET 0x80000000u
#define GAVE_UP(round) (NO_COLOR_YET | (round)) /* never NO_COLOR: rounds are fewer than vertices */
#define WINDOW 64                               /* colours that are looked at together */
#define N_WINDOWS 4                             /* that a vertex keeps note of */
#define N_NOTED (N_WINDOWS * WINDOW)            /* colours of these */

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
