/* SPDX-License-Identifier: MIT */
/*
 * The tables of GUPS where they lie: fill them, undo updates, count wrong words. No messages.
 *
 * It shares nothing with gups.cl and divergent.cl but what decides the updates. Work-items begin at numbers of the stream
 * that the host has reached step by step; none jumps.
 *
 * Path:    table.c launches it, without slices, as no kernel here waits.
 */
#include "gravel.cl.h"
#include "divergent.h"

#define EVERY_NODE 0xffffffffu /* the process holds the heaps of all nodes, in order */

/* enum table_op of table.h. */
#define INC 0u
#define XOR 1u
#define ADD 2u
#define PUT 3u

#define ADDEND(ran) (1 + ((uint)((ran) >> 32) & 7))
#define FIRST_FLOAT(i) ((float)((i)&0xffff))

/* Marks of words that numbers are put to. The stream has neither 0 nor, on the way to 2^40, these; and no half of RIGHT
 * makes a half of a number 0. */
#define UNTOUCHED 0ul
#define LOST 1ul
#define RIGHT 0xfffffffffffffffful

/* Table of the heap of a process that is number `heap`. */
static global uchar *table_of(global struct gravelp_arena *arena, uint heap, ulong offset)
{
    return (global uchar *)arena + arena->heap_offset + heap * arena->heap_bytes + offset;
}

/* Word i becomes first + i, or what table_fill says. Global size: n_items. */
kernel void fill_table(GRAVEL_ARENA, uint heap, ulong offset, ulong n_words, ulong first,
                       uint n_items, uint op)
{
    global uchar *table = table_of(gravel_arena_, heap, offset);
    for (ulong i = get_global_id(0); i < n_words; i += n_items)
        if (op == ADD)
            ((global float *)table)[i] = FIRST_FLOAT(first + i);
        else
            ((global ulong *)table)[i] = op == PUT ? UNTOUCHED : first + i;
}

static bool is_wrong(global const uchar *table, ulong i, ulong first, uint op)
{
    if (op == ADD)
        return !(((global const float *)table)[i] == FIRST_FLOAT(first + i));
    ulong word = ((global const ulong *)table)[i];
    return op == PUT ? word != UNTOUCHED && word != RIGHT : word != first + i;
}

/* wrong[item] += words that are not as fill_table made them. Global size: n_items. */
kernel void count_wrong(GRAVEL_ARENA, uint heap, ulong offset, ulong n_words, ulong first,
                        uint n_items, uint op, global ulong *wrong)
{
    global const uchar *table = table_of(gravel_arena_, heap, offset);
    ulong n = 0;
    for (ulong i = get_global_id(0); i < n_words; i += n_items)
        n += is_wrong(table, i, first, op);
    wrong[get_global_id(0)] += n;
}

static void subtract(volatile global uint *bits, float value)
{
    uint old = *bits, seen;
    while ((seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) - value))) != old)
        old = seen;
}

/* Several work-items may change a word: it goes from a number to RIGHT, or from UNTOUCHED to LOST. */
static void mark_put(volatile global ulong *word, ulong ran)
{
    ulong held = *word;
    if (held == ran)
        *word = RIGHT;
    else if (held == UNTOUCHED)
        *word = LOST;
}

/* 64-bit words by 32-bit atomics, which every device has; the lower half comes first. A borrow may be late. */
static void undo(global uchar *table, ulong i, ulong ran, uint op)
{
    if (op == ADD) {
        subtract((volatile global uint *)table + i, (float)ADDEND(ran));
        return;
    }
    volatile global uint *low = (volatile global uint *)table + 2 * i;
    if (op == PUT) {
        mark_put((volatile global ulong *)table + i, ran);
    } else if (op == XOR) {
        atomic_xor(low, (uint)ran);
        atomic_xor(low + 1, (uint)(ran >> 32));
    } else if (atomic_dec(low) == 0) {
        atomic_dec(low + 1);
    }
}

/* Returns an index as skew() of gups.cl: first the level, from above, then the rank. */
static ulong undo_index(ulong ran, global const uint *levels, uint n_levels)
{
    if (n_levels == 0)
        return ran;
    uint level = n_levels - 1;
    while (level > 0 && (uint)(ran >> 32) < levels[level - 1])
        level--;
    ulong n_ranks = (ulong)1 << level;
    return (n_ranks + ran % n_ranks) * 0x9e3779b97f4a7c15ul;
}

/* Undoes an update of the word that upper half and lower bits of `place` name, unless it is another node's than `node`. */
static void undo_at(global struct gravelp_arena *arena, uint node, ulong offset, ulong mask,
                    uint n_nodes, ulong place, ulong ran, uint op)
{
    uint owner = (uint)(((place >> 32) * n_nodes) >> 32);
    if (owner == node || node == EVERY_NODE)
        undo(table_of(arena, node == EVERY_NODE ? owner : 0, offset), place & mask, ran, op);
}

/*
 * Undo `piece` updates after each of the marks, n_updates at most in all; those of one node, or of EVERY_NODE.
 * Global size: marks.
 */
kernel void undo_updates(GRAVEL_ARENA, uint node, ulong offset, ulong mask, uint n_nodes, uint op,
                         global const ulong *marks, uint piece, ulong n_updates,
                         global const uint *levels, uint n_levels)
{
    ulong first = (ulong)get_global_id(0) * piece, ran = marks[get_global_id(0)];
    for (ulong k = first; k < first + piece && k < n_updates; k++) {
        ran = (ran << 1) ^ ((long)ran < 0 ? 7ul : 0ul);
        undo_at(gravel_arena_, node, offset, mask, n_nodes, undo_index(ran, levels, n_levels), ran,
                op);
    }
}

/* Number `at` of SplitMix64's that have this key. */
static ulong draw(ulong key, ulong at)
{
    ulong z = key + (at + 1) * 0x9e3779b97f4a7c15ul;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
    return z ^ (z >> 31);
}

/* Undo the increments of work-items from number `first` of all nodes. Global size: work-items. */
kernel void undo_divergent(GRAVEL_ARENA, uint node, uint n_nodes, ulong first,
                           struct divergent problem)
{
    ulong item = first + get_global_id(0), length = draw(problem.length_key, item), done = 0;
    if ((uint)length >= problem.active_below)
        return;
    do {
        ulong ran = draw(problem.update_key, item * problem.most + done);
        undo_at(gravel_arena_, node, problem.table, problem.mask, n_nodes, ran, ran, INC);
    } while (done++ < (((length >> 32) * problem.most) >> 32));
}
