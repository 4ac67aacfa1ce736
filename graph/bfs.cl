/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search: one kernel of rounds. Round 0 resets everything; round r finds the vertices of level r.
 *
 * A node pushes along its listed edges. If the front is wide, it pulls: each own vertex that has not been seen looks
 * for one among its sources that has. That one is of the front, since otherwise the vertex would have been found
 * before.
 *
 * Path:    bfs.c runs it until nothing is found.
 * Memory:  bits are set by relaxed atomics; a stale bit costs one more. What a phase stored, the next one reads.
 * Source:  Beamer, Asanovic and Patterson, Direction-optimizing breadth-first search, SC 2012.
 */
#include "gravel.cl.h"

#define FAR 0xffffffffu
#define PIECE \
    1024u /* edges of a row that a team of LANES work-items walks; of a hub several pieces are listed */
#define TEAM 256u  /* work-items that pull for a hub */
#define ALPHA 14ul /* pull if the front has more than this part of what is left, */
#define BETA 24ul  /* and at least this part of the total */
#define EACH(i, n) for (uint i = gravel_round_item(r); i < (n); i += gravel_round_items(r))

/* bfs.c fills it. */
struct bfs_sizes {
    ulong total;  /* vertices and edges, of which a front is a part */
    ulong fronts; /* heap offset of uint [2][n_words]: what other nodes found, by round % 2 */
    uint n_slots, n_words, first; /* slots; words of their bits; the slot of own vertex 0 */
    uint n_pulled,
        n_hubs; /* own vertices up to the last one that has sources; those with more than PIECE */
    uint most;  /* pieces of a list */
};

/* What is known of rounds, by number % 3. */
struct bfs_known {
    ulong left[3];     /* of the total, not in a front yet */
    uint n_list[3];    /* pieces */
    uint is_listed[3]; /* whether the front is on the list */
    uint which[3];     /* of the two bitmaps says what has been seen */
};

/* Lists a row of edges in pieces: first edge and end. */
static void list_row(uint first, uint end, global uint2 *list, volatile global uint *n)
{
    const uint n_edges = end - first, n_pieces = n_edges / PIECE + (n_edges % PIECE != 0);
    if (n_pieces == 0)
        return;
    const uint at = n_pieces == 1 ? atomic_inc(n) : atomic_add(n, n_pieces);
    for (uint i = 0; i < n_pieces; i++, first += PIECE)
        list[at + i] = (uint2)(first, i + 1 < n_pieces ? first + PIECE : end);
}

/*
 * push_, pull_: rows as of struct gravel_graph. hubs: [n_hubs] numbers. level: [n_slots]. bits: [2][n_words] of slots
 * that are seen, in turn: a pull reads one and writes the other. sent: of own slots, what other nodes have. lists:
 * [2][most] by round % 2.
 */
kernel void bfs(GRAVEL_ARENA, GRAVEL_ROUND, uint source, struct bfs_sizes size,
                global const uint *restrict push_offsets, global const uint *restrict push_ends,
                global const uint *restrict pull_offsets, global const uint *restrict pull_ends,
                global const uint *restrict hubs, global uint *level, global uint *bits,
                global uint *sent, global uint2 *lists, global struct bfs_known *known)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
#if N_NODES > 1
        GRAVEL_PHASE(r, take)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 3;
            global uint *seen = bits + known->which[at] * size.n_words,
                        *come = gravel_local(r.group, size.fronts);
            EACH(w, number ? size.n_words : 0)
            {
                const uint new = come[(number + 1) % 2 * size.n_words + w] & ~seen[w];
                for (uint rest = new; rest; rest &= rest - 1) {
                    const uint slot = w * 32 + 31 - clz(rest & -rest);
                    level[slot] = number - 1;
                    if (known->is_listed[at])
                        list_row(push_offsets[slot], push_offsets[slot + 1],
                                 lists + number % 2 * (size_t)size.most, &known->n_list[at]);
                }
                if (new)
                    seen[w] |= new;
            }
        }
#endif
        GRAVEL_PHASE(r, expand)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 3,
                       next = (number + 1) % 3, item = gravel_round_item(r),
                       n_items = gravel_round_items(r);
            global uint2 *list = lists + number % 2 * (size_t)size.most,
                         *next_list = lists + (number + 1) % 2 * (size_t)size.most;
            uint n_found = 0; /* vertices, and their edges */
            if (number == 0) {
                EACH(i, size.n_slots)
                level[i] = i == source ? 0 : FAR;
                EACH(w, size.n_words)
                {
                    bits[w] = w == source / 32 ? 1u << source % 32 : 0;
                    bits[size.n_words + w] = 0;
#if N_NODES > 1
                    global uint *come = gravel_local(r.group, size.fronts);
                    come[w] = come[size.n_words + w] = 0; /* no node sends in this round */
                    if (w - size.first / 32 < size.n_words / N_NODES)
                        sent[w - size.first / 32] = bits[w];
#endif
                }
                if (item == 0) {
                    const uint first = push_offsets[source], end = push_offsets[source + 1];
                    known->left[next] = size.total;
                    known->is_listed[next] = 1;
                    known->which[next] = known->n_list[next] = known->n_list[2] = 0;
                    list_row(first, end, next_list, &known->n_list[next]);
                    n_found = 1 + end - first;
                }
            } else {
                const ulong front = gravel_round_sum(r), left = known->left[at];
                const uint which = known->which[at], is_narrow = front * BETA < size.total,
                           pulls = !known->is_listed[at] || (!is_narrow && front * ALPHA > left),
                           has_list = !pulls || is_narrow;
                global uint *seen = bits + which * size.n_words,
                            *into = bits + (which ^ 1) * size.n_words;
                if (item == 0) {
                    known->left[next] = left - min(left, front);
                    known->which[next] = which ^ pulls;
                    known->is_listed[next] = has_list;
                    known->n_list[(number + 2) % 3] = 0;
                }
                const uint n_list = pulls ? 0 : known->n_list[at];
                for (uint i = item / LANES; i < n_list; i += n_items / LANES) {
                    const uint2 piece = list[i];
                    for (uint k = item % LANES; k < piece.y - piece.x; k += LANES) {
                        const uint slot = size.first + push_ends[piece.x + k],
                                   bit = 1u << slot % 32;
                        if (seen[slot / 32] & bit)
                            continue;
                        const uint first = push_offsets[slot], end = push_offsets[slot + 1];
                        if (atomic_or(seen + slot / 32, bit) & bit)
                            continue;
                        level[slot] = number;
                        list_row(first, end, next_list, &known->n_list[next]);
                        n_found += 1 + end - first;
                    }
                }
                EACH(w, pulls ? size.n_words : 0)
                if (seen[w])
                    atomic_or(into + w, seen[w]);
                /* A work-item for each own vertex, and then a team for each hub. */
                const ulong n_pulled = size.n_pulled,
                            n_all = pulls ? n_pulled + size.n_hubs * TEAM : 0;
                for (ulong i = item; i < n_all; i += n_items) {
                    const bool is_hub = i >= n_pulled;
                    const uint own = is_hub ? hubs[(i - n_pulled) / TEAM] : (uint)i,
                               slot = size.first + own, bit = 1u << slot % 32;
                    if (seen[slot / 32] & bit)
                        continue;
                    const uint pull = pull_offsets[own], n = pull_offsets[own + 1] - pull;
                    uint k = is_hub ? (i - n_pulled) % TEAM : n > PIECE ? n : 0;
                    for (; k < n; k += is_hub ? TEAM : 1) {
                        const uint from = pull_ends[pull + k];
                        if (seen[from / 32] >> from % 32 & 1)
                            break;
                    }
                    if (k >= n || atomic_or(into + slot / 32, bit) & bit)
                        continue;
                    const uint first = push_offsets[slot], end = push_offsets[slot + 1];
                    level[slot] = number;
                    if (has_list)
                        list_row(first, end, next_list, &known->n_list[next]);
                    n_found += 1 + end - first;
                }
            }
            gravel_round_count_wg(r, n_found);
        }
#if N_NODES > 1
        GRAVEL_PHASE(r, send)
        {
            const uint number = (uint)gravel_round_number(r), first = size.first / 32;
            global const uint *seen = bits + known->which[(number + 1) % 3] * size.n_words;
            EACH(w, size.n_words / N_NODES)
            {
                const uint new = seen[first + w] & ~sent[w];
                for (uint node = 0; new &&node < N_NODES; node++)
                    if (node != gravel_node(r.group))
                        gravel_or_uint_wi(r.group, size.fronts,
                                          number % 2 * size.n_words + first + w, new, node);
                if (new)
                    sent[w] |= new;
            }
        }
#endif
    }
}
