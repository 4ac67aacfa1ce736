/* SPDX-License-Identifier: MIT */
/*
 * Triangles. Each edge is there once, from its slot of lower degree: so rows of hubs are short. A triangle is an edge
 * from its slot of lowest degree, and a slot that the rows of both ends have. A team of LANES work-items takes an edge:
 * they share the elements of the shorter row, and search for them in the longer one.
 *
 * Path:    triangles.c launches count, then add.
 * Memory:  relaxed atomics; `add` reads what the launch of `count` has stored.
 * Source:  Chiba and Nishizeki, Arboricity and Subgraph Listing Algorithms, 1985 (orientation).
 */
#include "rows.cl.h"

#define CHUNK 16u /* edges in a row that a team counts, and that a work-item adds up */

/* Returns the first position from `at` to `end` whose end is not below `wanted`. Steps grow, as it is often near. */
static uint position_of(global const uint *restrict ends, uint at, uint end, uint wanted)
{
    uint step = 1;
    for (; end - at > step && ends[at + step] < wanted; step *= 2)
        at += step;
    end = at + min(end - at, step);
    while (at < end) {
        const uint middle = at + (end - at) / 2;
        if (ends[middle] < wanted)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

/*
 * Counts for each edge the triangles that have it and whose slot of lowest degree is its source: those that an edge of
 * this node's share shows. Global size: LANES for each CHUNK of the share, at least. offsets, ends: [n_rows + 1],
 * [n_edges], rows ascending. found: [n_edges].
 */
kernel void count(uint n_edges, uint n_rows, uint node, uint n_nodes,
                  global const uint *restrict offsets, global const uint *restrict ends,
                  volatile global uint *found)
{
    const uint lane = get_global_id(0) % LANES;
    const ulong first = (get_global_id(0) / LANES * n_nodes + node) * CHUNK;
    uint row = 0;
    for (ulong edge = first; edge < n_edges && edge < first + CHUNK; edge++) {
        const uint at = (uint)edge, target = ends[at];
        row = row_of(offsets, row, n_rows, at);
        const uint own = offsets[row], n_own = offsets[row + 1] - own, other = offsets[target],
                   n_other = offsets[target + 1] - other;
        if (at > own && ends[at - 1] == target) /* a repeat */
            continue;
        const bool is_own = n_own < n_other; /* the row whose elements are shared */
        const uint shared = is_own ? own : other, searched = is_own ? other : own,
                   n_shared = min(n_own, n_other), end = searched + max(n_own, n_other);
        uint n_found = 0, position = searched;
        for (uint i = lane; i < n_shared && position < end; i += LANES) {
            const uint slot = ends[shared + i];
            if (i > 0 && ends[shared + i - 1] == slot)
                continue;
            position = position_of(ends, position, end, slot);
            if (position < end && ends[position] == slot) {
                atomic_inc(found + (is_own ? shared + i : position));
                n_found++;
            }
        }
        if (n_found)
            atomic_add(found + at, n_found);
    }
}

/* Adds to a count of 64 bits. */
static void add_to(volatile global uint *count, ulong n)
{
    const uint low = (uint)n, before = low ? atomic_add(count, low) : 0,
               high = (uint)(n >> 32) + (before + low < low);
    if (high)
        atomic_add(count + 1, high);
}

/*
 * Adds up for each slot twice the triangles that it is of. An edge counts once for its source, which another edge of the
 * triangle leaves, too, and twice for its target. Global size: one for each CHUNK of edges, at least. counts: [n_rows]
 * of 64 bits.
 */
kernel void add(uint n_edges, uint n_rows, global const uint *restrict offsets,
                global const uint *restrict ends, global const uint *restrict found,
                volatile global uint *counts)
{
    const ulong first = get_global_id(0) * CHUNK;
    ulong n_of_row = 0;
    uint row = 0;
    for (ulong edge = first; edge < n_edges && edge < first + CHUNK; edge++) {
        const uint row_here = row_of(offsets, row, n_rows, (uint)edge), n = found[edge];
        if (row_here != row) {
            add_to(counts + 2 * (size_t)row, n_of_row);
            n_of_row = 0;
            row = row_here;
        }
        n_of_row += n;
        add_to(counts + 2 * (size_t)ends[edge], 2 * (ulong)n);
    }
    add_to(counts + 2 * (size_t)row, n_of_row);
}
