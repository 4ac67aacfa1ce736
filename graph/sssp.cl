/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths: one kernel of rounds, in buckets of distances. Round 0 resets everything. A round relaxes the edges of
 * the vertices that are listed, and whoever comes nearer gets a bit; then it lists those with a bit whose distance is below
 * the bucket's limit. If there is none, the limit grows: to the least distance that has a bit, and the width. With several
 * nodes, what is listed is sent to every other node, which relaxes its edges of it in the next round; each has a limit of
 * its own, as a vertex that is listed too early costs work alone.
 *
 * Path:    sssp.c runs it until nothing is listed, and nothing has a bit.
 * Memory:  `best` is lowered and bits are set by relaxed atomics that nobody waits for: an old value read costs work
 *          alone. What a phase stored the next one reads.
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003.
 */
#include "distance.cl.h"
#include "marks.cl.h"

/* The host defines PIECE, the edges of a row that a team of LANES work-items walks; of a hub several pieces are listed. */
#if LANES == 1
#define AT_ONCE 1u /* edges that a work-item looks at together: loads do not wait for each other */
#else
#define AT_ONCE 4u
#endif
#define MOST_GROUP 512u /* work-items */
#define EACH(i, n) for (uint i = gravel_round_item(r); i < (n); i += gravel_round_items(r))

/* sssp.c fills it. */
struct sssp_sizes {
    ulong width;            /* of buckets, a distance */
    ulong distances, marks; /* heap offsets: distance [n_slots] as other nodes sent them; marks */
    uint n_slots, n_own, first; /* own vertices; the slot of the first */
};

/* What is known of rounds, by number % 2. */
struct sssp_known {
    distance_bits limit[2], low[2]; /* the bucket's end; the least distance behind it */
    uint n_near[2];                 /* pieces that are listed for the round */
    uint is_near[2];                /* whether any vertex has come below the limit */
};

/* What vertices have come to. */
struct sssp_front {
    struct gravel_round_group r;
    struct sssp_sizes size;
    global const uint *offsets;
    global const distance_bits *best;
    global distance_bits
        *from; /* [n_slots] distances that their edges have been relaxed from, or from less */
    volatile global uint *changed, *marked;
    distance_bits limit;
};

/* Takes a vertex' bit, if it is near; an own one's distance is sent. @param least  lowered to what is far. Returns the
 * pieces of its row. */
static uint take_bit(struct sssp_front front, uint slot, uint *n_listed, distance_bits *least)
{
    const distance_bits found = front.best[slot];
    if (found >= front.limit) {
        *least = min(*least, found);
        return 0;
    }
    atomic_and(front.changed + slot / 32, ~(1u << slot % 32));
    if (found >= front.from[slot])
        return 0;
    front.from[slot] = found;
    ++*n_listed;
#if N_NODES > 1
    const uint n_sent = gravel_round_number(front.r) > 0 ? N_NODES : 0; /* all have the source */
    for (uint node = 0; node < n_sent; node++)
        if (node != gravel_node(front.r.group))
            gravel_min_bits_wi(front.r.group, front.size.distances, slot, found, node);
    if (n_sent)
        mark(front.r, front.size.marks, front.size.n_slots, front.marked, slot);
#endif
    return (front.offsets[slot + 1] - front.offsets[slot] + PIECE - 1) / PIECE;
}

static void list_row(uint slot, uint first, uint n_pieces, global uint2 *near)
{
    for (uint i = 0; i < n_pieces; i++)
        near[i] = (uint2)(slot, first + i * PIECE);
}

/* Every work-item of the group: returns where in the list its n pieces go. counts: [2] */
static uint append(local uint *counts, uint n, volatile global uint *n_near)
{
    if (get_local_id(0) == 0)
        counts[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint at = n ? atomic_add(counts, n) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counts[1] = counts[0] ? atomic_add(n_near, counts[0]) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return counts[1] + at;
}

/* Every work-item of the group: returns the least of all to the first, FAR to the others. Where a work-item is a team of its
 * own, its own one. */
static distance_bits least_of_group(local distance_bits *least, distance_bits own)
{
#if LANES > 1
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *least = FAR;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own < *least)
        LESSEN(least, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    own = get_local_id(0) == 0 ? *least : FAR;
#endif
    return own;
}

/* Lowers the least distance behind the bucket; the first one that does counts. */
static void lower_low(struct gravel_round_group r, global struct sssp_known *known,
                      distance_bits least)
{
    volatile global distance_bits *low = &known->low[(uint)gravel_round_number(r) % 2];
    if (least < *low && LESSEN(low, least) == FAR)
        gravel_round_count_wi(r, 1);
}

/* Gives the source its bit alone; all nodes do. */
static void reset(struct gravel_round_group r, uint source, struct sssp_sizes size,
                  global distance_bits *best, global distance_bits *from, global uint *changed,
                  global struct sssp_known *known)
{
#if N_NODES > 1
    global distance_bits *come = gravel_local(r.group, size.distances);
    global uint *marks = gravel_local(r.group, size.marks);
    EACH(i, size.n_slots)
    come[i] = FAR;
    EACH(w, 2 * MARK_WORDS(size.n_slots))
    marks[w] = 0;
#endif
    EACH(i, size.n_slots)
    {
        best[i] = i == source ? 0 : FAR;
        from[i] = FAR;
    }
    EACH(i, size.n_slots / 32)
    changed[i] = i == source / 32 ? 1u << source % 32 : 0;
    if (gravel_round_item(r) == 0)
        *known = (struct sssp_known){.low = {FAR, 0}};
}

/*
 * offsets, ends, weights: rows of slots, whose ends are own vertices. best: [n_slots] distances. from: see sssp_front.
 * changed: [n_slots / 32] bits. marked: see marks.cl.h. near: slot and first edge of each piece.
 */
GRAVEL_ROUND_KERNEL void sssp(GRAVEL_ARENA, GRAVEL_ROUND, uint source, struct sssp_sizes size,
                              global const uint *restrict offsets, global const uint *restrict ends,
                              global const distance_bits *restrict weights,
                              global distance_bits *best, global distance_bits *from,
                              global uint *changed, global uint *marked, global uint2 *near,
                              global struct sssp_known *known)
{
    GRAVEL_ROUND_OPEN(r);
    local distance_bits group_least;
#if LANES > 1
    local ushort set[32 * MOST_GROUP];
    local uint n_set, counts[2];
#endif
    GRAVEL_EACH_ROUND(r)
    {
#if N_NODES > 1
        GRAVEL_PHASE(r, take)
        {
            const uint number = (uint)gravel_round_number(r);
            global const distance_bits *come = gravel_local(r.group, size.distances);
            global const uint *marks = marks_of(r, size.marks, size.n_slots, number + 1);
            EACH(i, number ? size.n_slots / MARK_SLOTS : 0)
            {
                const uint begin = i * MARK_SLOTS / 4, end = begin + MARK_SLOTS / 4;
                for (uint four = is_marked(marks, 4 * begin) ? begin : end; four < end; four++) {
                    if (!any(vload4(four, come) < vload4(four, best)))
                        continue;
                    for (uint slot = 4 * four; slot < 4 * four + 4; slot++) {
                        const uint n = offsets[slot + 1] - offsets[slot],
                                   n_pieces = (n + PIECE - 1) / PIECE;
                        if (come[slot] >= best[slot])
                            continue;
                        best[slot] = from[slot] = come[slot];
                        if (n_pieces)
                            list_row(slot, offsets[slot], n_pieces,
                                     near + atomic_add(&known->n_near[number % 2], n_pieces));
                    }
                }
            }
        }
#endif
        GRAVEL_PHASE(r, relax)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 2, last = !at,
                       item = gravel_round_item(r), n_items = gravel_round_items(r),
                       n_near = number ? known->n_near[at] : 0;
            const distance_bits limit = known->limit[last];
            distance_bits least = FAR;
            uint n_nearer = 0;
            if (number == 0)
                reset(r, source, size, best, from, changed, known);
            else if (item == 0) {
                known->n_near[last] = 0;
                known->low[at] = FAR;
            }
#if N_NODES > 1
            EACH(w, MARK_WORDS(size.n_slots))
            {
                marked[w] = 0;
                marks_of(r, size.marks, size.n_slots, number + 1)[w] = 0;
            }
#endif
            for (uint i = item / LANES; i < n_near; i += n_items / LANES) {
                const uint slot = near[i].x, first = near[i].y,
                           n = min(offsets[slot + 1] - first, PIECE);
                const distance_bits begin = best[slot]; /* `from`, or less */

                for (uint k = item % LANES; k < n; k += AT_ONCE * LANES) {
                    uint to[AT_ONCE];
                    distance_bits found[AT_ONCE], before[AT_ONCE];
                    for (uint u = 0; u < AT_ONCE; u++) {
                        const uint e = k + u * LANES;
                        to[u] = size.first + (e < n ? ends[first + e] : ends[first]);
                        found[u] = e < n ? ADD(begin, weights[first + e]) : FAR;
                    }
                    for (uint u = 0; u < AT_ONCE; u++)
                        before[u] = best[to[u]];
                    for (uint u = 0; u < AT_ONCE; u++)
                        if (found[u] < before[u]) {
                            LESSEN(best + to[u], found[u]);
                            atomic_or(changed + to[u] / 32, 1u << to[u] % 32);
                            n_nearer += found[u] < limit;
                            least = found[u] < limit ? least : min(least, found[u]);
                        }
                }
            }
            if (n_nearer)
                known->is_near[at] = 1;
            least = least_of_group(&group_least, least);
            if (least < known->low[last])
                LESSEN(&known->low[last], least);
        }
        GRAVEL_PHASE(r, list)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 2, last = !at;
            uint n_listed = 0;
            distance_bits low = known->low[last], least = FAR;
            /* Other nodes may bring more to one that has nothing left. */
            const bool is_far = !known->is_near[at] && (N_NODES == 1 || low < FAR);
            const struct sssp_front front = {
                .r = r,
                .size = size,
                .offsets = offsets,
                .best = best,
                .from = from,
                .changed = changed,
                .marked = marked,
                .limit = is_far ? max(ADD(low, (distance_bits)size.width), low + 1)
                                : known->limit[last]};
            if (gravel_round_item(r) == 0) {
                known->limit[at] = front.limit;
                known->is_near[last] = 0;
            }
            const uint lane = get_local_id(0), n_lanes = get_local_size(0),
                       n_groups = gravel_round_items(r) / n_lanes,
                       group = gravel_round_item(r) / n_lanes,
                       is_own = N_NODES > 1 && number, /* the source alone has another node's bit */
                skip = is_own ? size.first / 32 : 0,
                       n_words = is_own ? (size.n_own + 31) / 32 : size.n_slots / 32,
                       all = (n_words + n_groups - 1) /
                             n_groups; /* of a group, as it may send as much */
#if LANES == 1
            const uint n = (all + n_lanes - 1) / n_lanes, begin = group * all + lane * n,
                       end = min(min(begin + n, group * all + all), n_words);
            for (uint word = skip + begin; word < skip + end; word++)
                for (uint bits = changed[word]; bits; bits &= bits - 1) {
                    const uint slot = word * 32 + popcount((bits & -bits) - 1),
                               n_pieces = take_bit(front, slot, &n_listed, &least);
                    if (n_pieces)
                        list_row(slot, offsets[slot], n_pieces,
                                 near + atomic_add(&known->n_near[last], n_pieces));
                }
#else /* of a word for each lane, the bits that are set, a lane for each */
            const uint n = min(n_lanes, all);
            for (uint first = group * n; first < n_words; first += n * n_groups) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (lane == 0)
                    n_set = 0;
                barrier(CLK_LOCAL_MEM_FENCE);
                uint bits = lane < n && first + lane < n_words ? changed[skip + first + lane] : 0;
                for (uint to = bits ? atomic_add(&n_set, popcount(bits)) : 0; bits;
                     bits &= bits - 1)
                    set[to++] = lane * 32 + popcount((bits & -bits) - 1);
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint i = 0; i < n_set; i += n_lanes) {
                    const uint slot = (skip + first) * 32 + (i + lane < n_set ? set[i + lane] : 0),
                               n_pieces =
                                   i + lane < n_set ? take_bit(front, slot, &n_listed, &least) : 0,
                               place = append(counts, n_pieces, &known->n_near[last]);
                    if (n_pieces)
                        list_row(slot, offsets[slot], n_pieces, near + place);
                }
            }
#endif
            lower_low(r, known, least_of_group(&group_least, least));
            gravel_round_count_wg(r, n_listed);
        }
    }
}
