/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths: one kernel of rounds, in buckets of distances. Round 0 resets everything. A round relaxes the edges
 * of the vertices that came nearer in the one before, and lists the own ones that come nearer: near, for the next
 * round, or, from the limit on, far, for when none is near. Then a round goes over the far ones with a new limit: the
 * least distance that is far, and the width. With several nodes, distances of own vertices below the limit are sent to
 * every other node, which relaxes its edges of them.
 *
 * Path:    sssp.c runs it until nothing is listed.
 * Memory:  `best` is lowered by relaxed atomics, and whoever lowers it lists the vertex: an old value read costs work
 *          alone. What a phase stored the next one reads.
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003.
 */
#include "distance.cl.h"

/* Edges of a row that a team of LANES work-items walks; of a hub several pieces are listed. */
#define PIECE 1024u
#if LANES == 1
#define AT_ONCE 1u /* edges that a work-item looks at together: loads do not wait for each other */
#else
#define AT_ONCE 4u
#endif
#define EACH(i, n) for (uint i = gravel_round_item(r); i < (n); i += gravel_round_items(r))
/* Counted; below it are the vertices that are near at all nodes. */
#define A_NODE_HAS_FAR (1ul << 32)

/* sssp.c fills it. */
struct sssp_sizes {
    ulong width; /* of buckets, a distance */
    ulong distances,
        lows; /* heap offsets: distance [n_slots] as other nodes sent them, [3] by turn % 3 */
    uint n_slots, n_own, first; /* own vertices; the slot of the first */
    uint most;                  /* pieces of a list */
};

/* What is known of rounds, by number % 3; and of far lists, by turn % 3. */
struct sssp_known {
    distance_bits limit[3], low[3],
        sent_low; /* of a far list the least distance, and what other nodes know of it */
    uint n_near[3], turn[3], n_far[3]; /* pieces; the far list that is filled; vertices */
};

/* Where a round lists what comes nearer. */
struct sssp_lists {
    global uint2 *near; /* [most] slot, first edge */
    global uint *far;   /* [n_own] own vertices */
    volatile global uint *n_near, *n_far;
    volatile global distance_bits *low;
    distance_bits limit;
    uint near_mark, far_mark;
};

static void list_row(global const uint *restrict offsets, uint slot, global uint2 *near,
                     volatile global uint *n_near)
{
    const uint first = offsets[slot], n = offsets[slot + 1] - first,
               n_pieces = n / PIECE + (n % PIECE != 0);
    if (n_pieces) {
        const uint at = n_pieces == 1 ? atomic_inc(n_near) : atomic_add(n_near, n_pieces);
        for (uint i = 0; i < n_pieces; i++)
            near[at + i] = (uint2)(slot, first + i * PIECE);
    }
}

/*
 * Lists an own vertex that came nearer, unless it is on the list. `offered`: a distance that its edges are relaxed
 * from, or from less. Returns 1 if it is listed now, and on one node or near.
 */
static uint list(struct sssp_lists to, uint own, uint slot, distance_bits found,
                 global const uint *restrict offsets, volatile global uint *near_marks,
                 volatile global uint *far_marks, global distance_bits *offered)
{
    if (found < to.limit) {
        if (atomic_xchg(near_marks + own, to.near_mark) == to.near_mark)
            return 0;
        offered[own] = found;
        list_row(offsets, slot, to.near, to.n_near);
        return 1;
    }
    if (found < *to.low)
        LESSEN(to.low, found);
    if (atomic_xchg(far_marks + own, to.far_mark) == to.far_mark)
        return 0;
    to.far[atomic_inc(to.n_far)] = own;
    return N_NODES == 1;
}

/*
 * offsets, ends, weights: rows of slots, whose ends are own vertices. best: [n_slots] distances. offered: [n_own].
 * sent: [n_own] distances that other nodes have. near: [2][most] in turn of rounds. far: [3][n_own] in turn of limits.
 * marks: [2][n_own] the last list of both kinds that a vertex is on.
 */
kernel void sssp(GRAVEL_ARENA, GRAVEL_ROUND, uint source, struct sssp_sizes size,
                 global const uint *restrict offsets, global const uint *restrict ends,
                 global const distance_bits *restrict weights, global distance_bits *best,
                 global distance_bits *offered, global distance_bits *sent, global uint2 *near,
                 global uint *far, global uint *marks, global struct sssp_known *known)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
#if N_NODES > 1
        GRAVEL_PHASE(r, take)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 3;
            global const distance_bits *come = gravel_local(r.group, size.distances);
            EACH(slot, number ? size.n_slots : 0)
            if (come[slot] < best[slot]) {
                best[slot] = come[slot];
                list_row(offsets, slot, near + number % 2 * (size_t)size.most, &known->n_near[at]);
            }
        }
#endif
        GRAVEL_PHASE(r, relax)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 3,
                       next = (number + 1) % 3, item = gravel_round_item(r),
                       n_items = gravel_round_items(r);
            uint n_listed = 0;
            if (number == 0) {
                EACH(i, size.n_slots)
                {
                    best[i] = i == source ? 0 : FAR;
                    if (N_NODES > 1)
                        ((global distance_bits *)gravel_local(r.group, size.distances))[i] =
                            best[i];
                }
                EACH(i, size.n_own)
                {
                    marks[i] = marks[size.n_own + i] = 0;
                    offered[i] = size.first + i == source ? 0 : FAR;
                    if (N_NODES > 1)
                        sent[i] = offered[i];
                }
                if (item == 0) {
                    *known = (struct sssp_known){.limit = {0, (distance_bits)size.width, 0},
                                                 .low = {FAR, FAR, FAR},
                                                 .sent_low = FAR};
                    for (uint i = 0; N_NODES > 1 && i < 3; i++)
                        ((global distance_bits *)gravel_local(r.group, size.lows))[i] = FAR;
                    list_row(offsets, source, near + size.most, &known->n_near[next]);
                    n_listed = 1;
                }
            } else {
                const uint turn = known->turn[at], n_near = known->n_near[at],
                           n_far = known->n_far[turn % 3];
                const bool is_far = N_NODES == 1 ? n_near == 0 : (uint)gravel_round_sum(r) == 0;
                const uint to = turn + is_far; /* this turn's list is emptied, that one's filled */
                distance_bits low = known->low[turn % 3];
#if N_NODES > 1
                global distance_bits *lows = gravel_local(r.group, size.lows);
                low = min(low, lows[turn % 3]);
#endif
                const struct sssp_lists lists = {
                    near + (number + 1) % 2 * (size_t)size.most,
                    far + to % 3 * (size_t)size.n_own,
                    &known->n_near[next],
                    &known->n_far[to % 3],
                    &known->low[to % 3],
                    is_far ? max(ADD(low, (distance_bits)size.width), low + 1) : known->limit[at],
                    number + 1,
                    to + 1};
                if (item == 0) {
                    known->limit[next] = lists.limit;
                    known->turn[next] = to;
                    known->n_near[(number + 2) % 3] = known->n_far[(turn + 2) % 3] = 0;
                    known->low[(turn + 2) % 3] = FAR;
#if N_NODES > 1
                    lows[(turn + 2) % 3] = FAR; /* no node sends to it in this round or the next */
                    if (is_far)
                        known->sent_low = FAR;
#else
                    n_listed = !is_far;
#endif
                }
                global const uint2 *pieces = near + number % 2 * (size_t)size.most;
                for (uint i = item / LANES; i < n_near; i += n_items / LANES) {
                    const uint slot = pieces[i].x, first = pieces[i].y,
                               n = min(offsets[slot + 1] - first, PIECE);
                    const distance_bits from = best[slot];
                    for (uint k = item % LANES; k < n; k += AT_ONCE * LANES) {
                        uint own[AT_ONCE];
                        distance_bits found[AT_ONCE], before[AT_ONCE];
                        for (uint u = 0; u < AT_ONCE; u++) {
                            const uint e = k + u * LANES;
                            own[u] = e < n ? ends[first + e] : ends[first];
                            found[u] = e < n ? ADD(from, weights[first + e]) : FAR;
                        }
                        for (uint u = 0; u < AT_ONCE; u++)
                            before[u] = best[size.first + own[u]];
                        for (uint u = 0; u < AT_ONCE; u++)
                            if (found[u] < before[u] &&
                                found[u] < LESSEN(best + size.first + own[u], found[u]))
                                n_listed += list(lists, own[u], size.first + own[u], found[u],
                                                 offsets, marks, marks + size.n_own, offered);
                    }
                }
                EACH(i, is_far ? n_far : 0)
                {
                    const uint own = far[turn % 3 * (size_t)size.n_own + i],
                               slot = size.first + own;
                    if (best[slot] < offered[own])
                        n_listed += list(lists, own, slot, best[slot], offsets, marks,
                                         marks + size.n_own, offered);
                }
            }
            gravel_round_count_wg(r, n_listed);
        }
#if N_NODES > 1
        GRAVEL_PHASE(r, send)
        {
            const uint next = ((uint)gravel_round_number(r) + 1) % 3, turn = known->turn[next] % 3,
                       self = gravel_node(r.group);
            const distance_bits limit = known->limit[next];
            EACH(own, size.n_own)
            {
                const distance_bits found = best[size.first + own];
                if (found >= sent[own] || found >= limit)
                    continue;
                sent[own] = found;
                for (uint node = 0; node < N_NODES; node++)
                    if (node != self)
                        gravel_min_bits_wi(r.group, size.distances, size.first + own, found, node);
            }
            if (gravel_round_item(r) == 0 && known->n_far[turn]) {
                const distance_bits low = known->low[turn];
                for (uint node = 0; low < known->sent_low && node < N_NODES; node++)
                    if (node != self)
                        gravel_min_bits_wi(r.group, size.lows, turn, low, node);
                known->sent_low = min(known->sent_low, low);
                gravel_round_count_wi(r, A_NODE_HAS_FAR);
            }
        }
#endif
    }
}
