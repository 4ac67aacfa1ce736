/* SPDX-License-Identifier: MIT */
/*
 * The tables of GUPS and GUPS-mod where they lie: fill them, undo updates, count wrong words. No messages.
 *
 * It shares nothing with gups.cl and gups-mod.cl. Work-items begin at numbers of the stream that the host has reached
 * step by step; none jumps.
 *
 * Path:    table.c launches it, without slices, as no kernel here waits.
 */
#include "gravel.cl.h"

#define EVERY_NODE 0xffffffffu /* the process holds the heaps of all nodes, one behind the other */

/* Table of the heap of a process that is number `heap`. */
static global ulong *table_of(global struct gravelp_arena *arena, uint heap, ulong offset)
{
    return (global ulong *)((global uchar *)arena + arena->heap_offset + heap * arena->heap_bytes +
                            offset);
}

/* Word i becomes first + i. Global size: n_items. */
kernel void fill_table(GRAVEL_ARENA, uint heap, ulong offset, ulong n_words, ulong first,
                       uint n_items)
{
    global ulong *table = table_of(gravel_arena_, heap, offset);
    for (ulong i = get_global_id(0); i < n_words; i += n_items)
        table[i] = first + i;
}

/* wrong[item] += words that are not first + i. Global size: n_items. */
kernel void count_wrong(GRAVEL_ARENA, uint heap, ulong offset, ulong n_words, ulong first,
                        uint n_items, global ulong *wrong)
{
    global const ulong *table = table_of(gravel_arena_, heap, offset);
    ulong n = 0;
    for (ulong i = get_global_id(0); i < n_words; i += n_items)
        n += table[i] != first + i;
    wrong[get_global_id(0)] += n;
}

/* 64-bit words by 32-bit atomics, which every device has; the lower half comes first. A borrow may be late. */
static void undo(global ulong *word, ulong ran, uint use_xor)
{
    volatile global uint *low = (volatile global uint *)word;
    if (use_xor) {
        atomic_xor(low, (uint)ran);
        atomic_xor(low + 1, (uint)(ran >> 32));
    } else if (atomic_dec(low) == 0) {
        atomic_dec(low + 1);
    }
}

/*
 * Undo `piece` updates after each of the marks, n_updates at most in all; those of one node, or of EVERY_NODE.
 * Global size: marks.
 */
kernel void undo_updates(GRAVEL_ARENA, uint node, ulong offset, ulong mask, uint n_nodes,
                         uint use_xor, global const ulong *marks, uint piece, ulong n_updates)
{
    ulong first = (ulong)get_global_id(0) * piece, ran = marks[get_global_id(0)];
    for (ulong k = first; k < first + piece && k < n_updates; k++) {
        ran = (ran << 1) ^ ((long)ran < 0 ? 7ul : 0ul);
        uint owner = (uint)(((ran >> 32) * n_nodes) >> 32);
        if (owner != node && node != EVERY_NODE)
            continue;
        uint heap = node == EVERY_NODE ? owner : 0;
        undo(table_of(gravel_arena_, heap, offset) + (ran & mask), ran, use_xor);
    }
}

/* Undo one increment of each word that is listed, by its number among the words of all nodes. Global size: words. */
kernel void undo_words(GRAVEL_ARENA, uint node, ulong offset, ulong n_words,
                       global const ulong *words)
{
    ulong word = words[get_global_id(0)];
    uint owner = (uint)(word / n_words), heap = node == EVERY_NODE ? owner : 0;
    if (owner == node || node == EVERY_NODE)
        undo(table_of(gravel_arena_, heap, offset) + word % n_words, 0, 0);
}
