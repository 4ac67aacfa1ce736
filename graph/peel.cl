/* SPDX-License-Identifier: MIT */
/*
 * Peels vertices off a graph: one goes when its count has fallen to the level, and lowers the counts along its row. Round
 * 0 resets everything. Once no vertex of any node goes, the level rises by one, and a round sweeps over all that are left.
 *
 * Core numbers: a count is of the neighbours that are left, and a vertex's number is the level at which it goes.
 *
 * Colours (IS_COLORING): a count is of those neighbours without a colour that come before the vertex in the order of
 * ranks. A row has those that come after it, where a vertex that goes marks its colour as taken: the least that is not
 * taken at itself. All go at level 0; at level 1 the colours are written.
 *
 * On a CPU, where an atomic takes longer than many loads, a node alone has neither counts nor marks (PULLS). The last of
 * those before a vertex has it go, when it looks at the colours of all; if one has none yet, it goes once more.
 *
 * Path:    peel.c runs it until nothing is left.
 * Memory:  counts and marks are changed by relaxed atomics. A vertex goes in the step after its count fell: those that
 *          lowered it have marked their colours by then.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug, Kaler, Schardl, Leiserson, Ordering
 *          Heuristics for Parallel Graph Coloring, 2014; Kabir and Madduri, Parallel k-Core Decomposition on Multicore
 *          Platforms, 2017.
 */
#include "marks.cl.h"

#define NONE 0xffffffffu
#define PULLS (IS_COLORING && N_NODES == 1 && LANES == 1)
#define AT_ONCE \
    (LANES == 1 ? 1u : 8u) /* edges of a work-item: their loads do not wait for each other */
/* Edges of a row that a team of LANES work-items takes. */
#define PIECE (PULLS ? NONE : LANES == 1 ? 256u : AT_ONCE * LANES)
/* Steps that a round takes: nodes need far more time to meet than the groups of one node. */
#define STEPS (N_NODES == 1 ? 1u : 2u)
#define EACH(i, n) for (uint i = gravel_round_item(r); i < (n); i += gravel_round_items(r))
/* Counted. Of several nodes, below it are the vertices that go or are sent. */
#define GOES_ON (N_NODES == 1 ? 1ul : 1ul << 32)

/* peel.c fills it. */
struct peel_sizes {
    ulong come, marks; /* heap offsets: [n_slots] what others' vertices went with, or NONE; marks */
    uint n_slots, n_own, first; /* slots; own vertices; the slot of the first */
    uint most;                  /* pieces of a list */
    uint n_hubs; /* first own vertices, whose colours the host has found when a run begins */
};

/* What is known of rounds, by number % 3; of steps, by theirs. */
struct peel_known {
    uint level[3], n_list[3]; /* of a step: pieces */
    uint is_left[3];          /* whether the last sweep has left any own vertex */
};

/* Rows, and where a round lists those of vertices that go. */
struct peel_list {
    global const uint *firsts, *offsets;
    global uint2 *pieces; /* slot, first edge */
    volatile global uint *n;
};

/* Lists a row in pieces, `least` or more. @return  how many */
static uint list_row(struct peel_list list, uint slot, uint least)
{
    const uint first = list.firsts[slot], n = list.offsets[slot + 1] - first,
               n_pieces = max(n / PIECE + (n % PIECE != 0), least);
    if (n_pieces == 0)
        return 0;
    const uint at = n_pieces == 1 ? atomic_inc(list.n) : atomic_add(list.n, n_pieces);
    for (uint i = 0; i < n_pieces; i++)
        list.pieces[at + i] = (uint2)(slot, first + i * PIECE);
    return n_pieces;
}

/* Returns the least colour that is not marked in a vertex's words, behind which there are 8 or more. */
static uint free_color(global const uint *taken, uint start, uint end)
{
    for (uint w = start; w < end; w += 8) {
        uint word[8]; /* loaded at once */
        vstore8(vload8(0, taken + w), 0, word);
        for (uint i = 0; i < 8 && w + i < end; i++)
            if (word[i] != NONE)
                return (w + i - start) * 32 + popcount((~word[i] & (word[i] + 1)) - 1);
    }
    return (end - start) * 32;
}

/* Returns the least colour that none before vertex v has; NONE if one of them has none yet. */
static uint pull_color(global const volatile uint *values, global const uint *ends, uint first,
                       uint end, uint v)
{
    for (uint least = 0;; least += 64) {
        ulong taken = 0;
        for (uint e = end; e > first; e--) {
            const uint value = values[ends[e - 1]];
            if (value == NONE && ends[e - 1] != v)
                return NONE;
            taken |= value - least < 64 ? 1ul << (value - least) : 0;
        }
        if (~taken)
            return least + popcount((~taken & (taken + 1)) - 1);
    }
}

/* Returns the last vertex before v, and 1; 0 if there is none. */
static uint last_before(global const uint *ends, uint first, uint end, uint v)
{
    while (end > first && ends[end - 1] == v)
        end--;
    return end > first ? ends[end - 1] + 1 : 0;
}

/* Returns the list of step t. */
static struct peel_list list_of(uint t, struct peel_sizes size, global const uint *firsts,
                                global const uint *offsets, global uint2 *lists,
                                global struct peel_known *known)
{
    return (struct peel_list){firsts, offsets, lists + t % 2 * (size_t)size.most,
                              &known->n_list[t % 3]};
}

/* Has the vertices of step t's list go, and lists others for the next step. Returns how many others, and those that are
 * sent. */
static uint2 walk_list(struct gravel_round_group r, struct peel_sizes size, uint t, uint level,
                       global const uint *restrict firsts, global const uint *restrict offsets,
                       global const uint *restrict ends, global const uint *restrict starts,
                       global const uint *restrict is_wanted, global uint *left, global uint *taken,
                       global uint *values, global uint *seen, global uint *marked,
                       global uint2 *lists, global struct peel_known *known)
{
    const uint item = gravel_round_item(r), n_items = gravel_round_items(r),
               n_list = known->n_list[t % 3];
    const struct peel_list to = list_of(t + 1, size, firsts, offsets, lists, known);
    uint n_found = 0, n_sent = 0;
    if (item == 0)
        known->n_list[(t + 2) % 3] = 0;
    global const uint2 *pieces = lists + t % 2 * (size_t)size.most;
    for (uint i = item / LANES; i < n_list; i += n_items / LANES) {
        const uint slot = pieces[i].x, first = pieces[i].y, self = slot - size.first,
                   end = offsets[slot + 1];
        if (PULLS) {
            values[slot] = pull_color(values, ends, offsets[slot], firsts[slot], slot);
            if (values[slot] == NONE)
                n_found += list_row(to, slot, 1);
            for (uint e = first; e < end && values[slot] != NONE; e++)
                if (left[ends[e]] == slot + 1 && (e == first || ends[e - 1] != ends[e]))
                    n_found += list_row(to, ends[e], 0);
            continue;
        }
        const uint n = min(end - first, PIECE);
        uint value = NONE, k = item % LANES;
        do {
            uint own[AT_ONCE], word[AT_ONCE], end_word[AT_ONCE], before[AT_ONCE];
            for (uint u = 0; u < AT_ONCE; u++)
                own[u] = k + u * LANES < n ? ends[first + k + u * LANES] : 0;
            for (uint u = 0; IS_COLORING && u < AT_ONCE; u++) {
                word[u] = starts[own[u]];
                end_word[u] = starts[own[u] + 1];
            }
            if (value == NONE)
                value = !IS_COLORING         ? level
                        : self < size.n_hubs ? values[self]
                        : self >= size.n_own ? seen[slot]
                                             : free_color(taken, starts[self], starts[self + 1]);
            for (uint u = 0; u < AT_ONCE; u++) {
                const bool is_in = k + u * LANES < n;
                if (IS_COLORING && is_in && word[u] + value / 32 < end_word[u])
                    atomic_or(taken + word[u] + value / 32, 1u << value % 32);
                before[u] = is_in ? atomic_dec(left + own[u]) : 0;
            }
            for (uint u = 0; u < AT_ONCE; u++) {
                if (before[u] != level + 1)
                    continue;
                if (!IS_COLORING)
                    values[own[u]] = level;
                n_found += list_row(to, size.first + own[u], is_wanted[own[u]]);
            }
            k += AT_ONCE * LANES;
        } while (k < n);
#if N_NODES > 1
        if (self < size.n_own && is_wanted[self] && first == firsts[slot] && item % LANES == 0) {
            for (uint node = 0; node < N_NODES; node++)
                if (node != gravel_node(r.group))
                    gravel_min_uint_wi(r.group, size.come, slot, value, node);
            mark(r, size.marks, size.n_slots, marked, slot);
            n_sent++;
        }
#endif
    }
    return (uint2)(n_found, n_sent);
}

/*
 * firsts: [n_slots] where rows begin; they end where those of `offsets` do. counts: [n_own] at first, in cores falling;
 * left: [n_own] now. starts: [n_own + 1] words of `taken`, where a vertex has as many bits as its count at first, or more.
 * is_wanted: [n_own] whether other nodes have edges of the row. values: [n_own] core numbers, colours. seen: [n_slots]
 * what has come. marked: see marks.cl.h. lists: [2][most] by round % 2.
 */
kernel void peel(GRAVEL_ARENA, GRAVEL_ROUND, struct peel_sizes size,
                 global const uint *restrict firsts, global const uint *restrict offsets,
                 global const uint *restrict ends, global const uint *restrict counts,
                 global const uint *restrict starts, global const uint *restrict is_wanted,
                 global uint *left, global uint *taken, global uint *values, global uint *seen,
                 global uint *marked, global uint2 *lists, global struct peel_known *known)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
#if N_NODES > 1
        GRAVEL_PHASE(r, take)
        {
            const uint number = (uint)gravel_round_number(r);
            global const uint *come = gravel_local(r.group, size.come);
            global const uint *marks = marks_of(r, size.marks, size.n_slots, number + 1);
            const struct peel_list list =
                list_of(number * STEPS, size, firsts, offsets, lists, known);
            EACH(i, number ? size.n_slots / MARK_SLOTS : 0)
            {
                const uint begin = i * MARK_SLOTS, end = begin + MARK_SLOTS;
                for (uint slot = is_marked(marks, begin) ? begin : end; slot < end; slot++) {
                    const uint value = come[slot];
                    if (value == seen[slot])
                        continue;
                    seen[slot] = value;
                    list_row(list, slot, 0);
                }
            }
            EACH(w, MARK_WORDS(size.n_slots))
            marked[w] = 0;
        }
#endif
        GRAVEL_PHASE(r, go)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 3,
                       next = (number + 1) % 3, item = gravel_round_item(r);
            uint n_found = 0, goes_on = 1;
            uint2 n_went = 0;
            if (number == 0) {
                EACH(own, size.n_own)
                {
                    left[own] = PULLS ? last_before(ends, offsets[own], firsts[own], own)
                                : own < size.n_hubs ? 0
                                                    : counts[own];
                    if (own >= size.n_hubs)
                        values[own] = NONE;
                }
                EACH(w, IS_COLORING && !PULLS ? starts[size.n_own] : 0)
                taken[w] = 0;
#if N_NODES > 1
                global uint *come = gravel_local(r.group, size.come),
                            *marks = gravel_local(r.group, size.marks);
                EACH(slot, size.n_slots)
                seen[slot] = come[slot] = NONE; /* no node sends in this round */
                EACH(w, 2 * MARK_WORDS(size.n_slots))
                marks[w] = 0;
#endif
                if (item == 0)
                    *known = (struct peel_known){.level = {0, NONE, 0}, .is_left = {0, 1, 0}};
            } else {
                const uint t = number * STEPS, is_left = known->is_left[at];
                const bool sweeps =
                    N_NODES == 1 ? known->n_list[at] == 0 : (uint)gravel_round_sum(r) == 0;
                const uint level = known->level[at] + sweeps;
                const struct peel_list to = list_of(t + 1, size, firsts, offsets, lists, known);
                goes_on = !sweeps || is_left;
#if N_NODES > 1
                EACH(w, MARK_WORDS(size.n_slots))
                marks_of(r, size.marks, size.n_slots, number + 1)[w] = 0;
#endif
                if (item == 0) {
                    known->level[next] = level;
                    if (!sweeps)
                        known->is_left[next] = is_left;
                    known->is_left[(number + 2) % 3] = 0;
                }
                EACH(own, IS_COLORING && level ? size.n_own : 0)
                if (values[own] == NONE)
                    values[own] = PULLS ? pull_color(values, ends, offsets[own], firsts[own], own)
                                        : free_color(taken, starts[own], starts[own + 1]);
                EACH(own, sweeps && is_left ? size.n_own : 0)
                {
                    if (counts[own] < level)
                        break; /* it has gone, and so have those behind it */
                    if (!IS_COLORING && values[own] != NONE)
                        continue;
                    if (left[own] > level) {
                        if (!IS_COLORING)
                            known->is_left[next] = 1;
                        continue;
                    }
                    if (!IS_COLORING)
                        values[own] = level;
                    n_found += list_row(to, size.first + own, is_wanted[own]);
                }
                n_went = walk_list(r, size, t, level, firsts, offsets, ends, starts, is_wanted,
                                   left, taken, values, seen, marked, lists, known);
            }
            if (item == 0 && goes_on)
                gravel_round_count_wi(r, GOES_ON);
            gravel_round_count_wg(r, n_went.y + (STEPS == 1 ? n_found + n_went.x : 0));
        }
#if N_NODES > 1
        GRAVEL_PHASE(r, again)
        {
            const uint number = (uint)gravel_round_number(r);
            const uint2 n_went = walk_list(
                r, size, number * STEPS + 1, known->level[(number + 1) % 3], firsts, offsets, ends,
                starts, is_wanted, left, taken, values, seen, marked, lists, known);
            gravel_round_count_wg(r, n_went.x + n_went.y);
        }
#endif
    }
}
