/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex: every edge of a vertex that came nearer offers its target a distance, in place if
 * the target is the node's own. Else an accumulator keeps the least offer to each vertex, or an offer is a message.
 *
 * With --stay the whole search is one kernel of rounds, on one node.
 *
 * The host defines GROUP_ITEMS (work-items of a full group), CHUNK (edges that one work-item relaxes), and one of
 * SSSP_ULONG and SSSP_FLOAT or neither: how a distance is kept. A float's is its bits, which rise with it. HAS_WORDS:
 * offers go to an accumulator.
 *
 * Path:    sssp.c launches gather, counts over all nodes, launches offer or relax, and relax_own, waits for all that
 *          was sent; again.
 * Memory:  messages lower words of `distances`, and kernels words of `best`; the lesser is a vertex's distance. `best` is
 *          read and lowered by many work-items at once, by relaxed atomics: a word stands for itself alone, and one that
 *          is read too old only costs an offer. Where a distance has 64 bits all is sent, and no work-item lowers `best`
 *          while it is read, for not every device has atomics of that size.
 * Source:  Meyer and Sanders, Delta-stepping, 2003; Beamer et al., The GAP Benchmark Suite, 2015.
 */
#include "gravel.cl.h"
#ifdef HAS_WORDS
#include "accumulator.cl.h"
#endif
#ifdef HAS_TASKS
#define GRAVEL_STEAL_TASK uint
#include "steal.cl.h"
#endif

#ifdef SSSP_ULONG
typedef ulong distance_type;
typedef ulong8 distances_type;
#define MIN_DISTANCE_IF gravel_min_ulong_wg_if
/* The least distance of a group: of all work-items', for not every device lowers a ulong by an atomic. */
#define WAITING(name) distance_type name[GROUP_ITEMS]
#define LEAST_OF(waiting) (waiting)[0]
#else
typedef uint distance_type;
typedef uint8 distances_type;
#define MIN_DISTANCE_IF gravel_min_uint_wg_if
#define WAITING(name) distance_type name
#define LEAST_OF(waiting) (waiting)
#endif

#ifdef SSSP_FLOAT
#define ADD(distance, weight) as_uint(as_float(distance) + as_float(weight))
#else
#define ADD(distance, weight) ((distance) + (weight))
#endif

#define FAR (~(distance_type)0)

/*
 * Global size: slots from number `first`; n_own of them are own vertices, and what is filled up stays settled:
 * nothing is nearer than 0. distances: heap offset of [block]. source: own vertex that is reached, or n_own.
 */
kernel void reset(GRAVEL_ARENA, ulong first, ulong distances,
                  global distance_type *restrict settled, global distance_type *restrict best,
                  uint n_own, uint source, uint n_settled)
{
    GRAVEL_OPEN(g);
    size_t slot = first + get_global_id(0);
    best[slot] = FAR;
    if (slot < n_settled)
        settled[slot] = slot < n_own ? FAR : 0;
    if (slot < n_own)
        ((global distance_type *)gravel_local(g, distances))[slot] = slot == source ? 0 : FAR;
}

/* The distance of a vertex: the least that messages brought, or that was found here. */
#define NEAREST(distances, best, v) min((distances)[v], (best)[v])

static uint chunks_of(uint start, uint end)
{
    return (end - start + CHUNK - 1) / CHUNK;
}

/* Rows that a group lists together; more, and what has fewer chunks, their work-items list. */
#define LONG_ROWS 32
#define LONG_CHUNKS 32

struct long_row {
    uint v, start, end, place;
    uint is_sent;
};

/* What a group has found. */
struct found {
    uint n_chunks[2]; /* of own edges, of those that are sent */
    uint places[2];   /* of the first of them in the lists */
    uint n_listed, n_reached, n_long;
    struct long_row rows[LONG_ROWS];
};

/* List a vertex's edges from number `start` on, or leave that to the group. */
static void list_edges(local struct found *found, uint v, uint start, uint end, uint place,
                       uint is_sent, global uint2 *restrict frontier)
{
    if (chunks_of(start, end) >= LONG_CHUNKS) {
        uint row = atomic_inc(&found->n_long);
        if (row < LONG_ROWS) {
            found->rows[row] = (struct long_row){v, start, end, place, is_sent};
            return;
        }
    }
    for (uint e = start; e < end; e += min(end - e, (uint)CHUNK))
        frontier[place++] = (uint2)(v, e);
}

static distance_type least_of_8(distances_type distances)
{
    distance_type all[8], least = FAR;
    vstore8(distances, 0, all);
    for (uint i = 0; i < 8; i++)
        least = min(least, all[i]);
    return least;
}

/*
 * List the edges of the vertices that came nearer, in chunks.
 *
 * Global size: every 8 own vertices, from number `first`, in full groups; in most rounds most have nothing new, and one
 * comparison tells. settled: [vertices, filled up] the distance each last offered from. Only distances below `limit` are
 * taken. offsets: [vertices + 1] of rows. splits: [vertices] where the edges begin that are sent. own, sent: [chunks]
 * source and first edge. counts: [2][4] chunks listed of both, vertices listed, and vertices reached for the first
 * time; of `turn`, and the other turn's are cleared. lows: [groups] the least distance of those that wait for their bucket.
 */
kernel void gather(GRAVEL_ARENA, ulong first, ulong distances_offset, distance_type limit,
                   global distance_type *restrict settled, global distance_type *restrict best,
                   global const uint *restrict offsets, global const uint *restrict splits,
                   global uint2 *restrict own, global uint2 *restrict sent, global uint *counts,
                   global distance_type *restrict lows, uint turn)
{
    GRAVEL_OPEN(g);
    local struct found found;
    local WAITING(waiting);
    global const distance_type *restrict distances = gravel_local(g, distances_offset);
    const uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    const size_t item = first + get_global_id(0);
    uint nearer = 0, n_own = 0, n_sent = 0, n_reached = 0; /* nearer: a bit for each of the 8 */
    distance_type low = FAR;
    if (lane == 0) {
        found.n_chunks[0] = found.n_chunks[1] = 0;
        found.n_listed = found.n_reached = found.n_long = 0;
        LEAST_OF(waiting) = FAR;
    }
    if (item < 4)
        counts[4 * !turn + item] = 0;
    distances_type before = vload8(item, settled),
                   now = min(vload8(item, distances), vload8(item, best));
    if (any(now < before))
        low = least_of_8(
            select((distances_type)(FAR), now, (now < before) & (now >= (distances_type)(limit))));
    for (uint i = 0; i < 8 && any((now < before) & (now < (distances_type)(limit))); i++) {
        uint v = 8 * (uint)item + i;
        distance_type distance = NEAREST(distances, best, v), last = settled[v];
        if (distance >= last || distance >= limit)
            continue;
        settled[v] = distance;
        best[v] = distance;
        nearer |= 1u << i;
        n_reached += last == FAR;
        n_own += chunks_of(offsets[v], splits[v]);
        n_sent += chunks_of(splits[v], offsets[v + 1]);
    }
#ifdef SSSP_ULONG
    waiting[lane] = low;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (nearer) {
        n_own = atomic_add(&found.n_chunks[0], n_own); /* and from here on where they go */
        n_sent = atomic_add(&found.n_chunks[1], n_sent);
        atomic_add(&found.n_listed, popcount(nearer));
        atomic_add(&found.n_reached, n_reached);
    }
#ifndef SSSP_ULONG
    if (low != FAR)
        atomic_min(&waiting, low);
#else
    for (uint n = GROUP_ITEMS, rest; n > 1; n = rest) {
        rest = (n + 1) / 2;
        if (lane + rest < n)
            waiting[lane] = min(waiting[lane], waiting[lane + rest]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        lows[item / GROUP_ITEMS] = LEAST_OF(waiting);
        for (uint i = 0; i < 2; i++)
            found.places[i] =
                found.n_chunks[i] ? atomic_add(counts + 4 * turn + i, found.n_chunks[i]) : 0;
        if (found.n_listed)
            atomic_add(counts + 4 * turn + 2, found.n_listed);
        if (found.n_reached)
            atomic_add(counts + 4 * turn + 3, found.n_reached);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; nearer >> i; i++) {
        uint v = 8 * (uint)item + i;
        if (!(nearer >> i & 1))
            continue;
        list_edges(&found, v, offsets[v], splits[v], found.places[0] + n_own, 0, own);
        list_edges(&found, v, splits[v], offsets[v + 1], found.places[1] + n_sent, 1, sent);
        n_own += chunks_of(offsets[v], splits[v]);
        n_sent += chunks_of(splits[v], offsets[v + 1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < min(found.n_long, (uint)LONG_ROWS); k++) {
        struct long_row row = found.rows[k];
        for (uint i = lane; i < chunks_of(row.start, row.end); i += n_lanes)
            (row.is_sent ? sent : own)[row.place + i] = (uint2)(row.v, row.start + i * CHUNK);
    }
}

/* Is this the best that this node has offered or knows of? Then remember it. */
static uint is_best(global volatile distance_type *best, distance_type distance)
{
#ifdef SSSP_ULONG
    return distance < *best;
#else
    return distance < *best && distance < atomic_min(best, distance);
#endif
}

#ifndef SSSP_ULONG
/*
 * Lower the distances of own vertices at the far ends of listed edges.
 *
 * Global size: n_chunks from number `first`, or more. The rest as relax has it.
 */
kernel void relax_own(GRAVEL_ARENA, ulong first, uint n_chunks,
                      global const uint2 *restrict frontier, global const uint *restrict splits,
                      global const uint *restrict slots, global const uint *restrict weights,
                      global const uint *restrict settled, global volatile uint *best)
{
    size_t place = first + get_global_id(0);
    if (place >= n_chunks)
        return;
    uint2 chunk = frontier[place];
    uint from = settled[chunk.x], end = min(splits[chunk.x], chunk.y + CHUNK);
    for (uint e = chunk.y; e < end; e++)
        is_best(best + slots[e], ADD(from, weights[e]));
}
#endif

#ifdef HAS_WORDS
/*
 * Offer the far ends of listed edges a distance, unless they have been offered a better one from here: the least of all
 * offers to a vertex is sent.
 *
 * Global size: n_chunks from number `first`, or more. The rest as relax has it.
 */
kernel void offer(GRAVEL_ARENA, ulong first, uint n_chunks, GRAVEL_ACCUMULATOR(offers),
                  global const uint2 *restrict frontier, global const uint *restrict offsets,
                  global const uint *restrict slots, global const uint *restrict weights,
                  global const uint2 *restrict targets, global const uint *restrict settled,
                  global volatile uint *best)
{
    GRAVEL_OPEN(g);
    size_t place = first + get_global_id(0);
    if (place >= n_chunks)
        return;
    uint2 chunk = frontier[place];
    uint from = settled[chunk.x], end = min(offsets[chunk.x + 1], chunk.y + CHUNK);
    for (uint e = chunk.y; e < end; e++) {
        uint slot = slots[e], distance = ADD(from, weights[e]);
        if (!is_best(best + slot, distance))
            continue;
        uint2 target = targets[slot];
        gravel_accumulate_uint_wi(g, offers, target.y, distance, target.x);
    }
}
#endif

/*
 * Offer the far ends of listed edges a distance by messages, unless they have been offered a better one from here.
 *
 * Global size: n_chunks from number `first`, or more. slots: [edges] of their targets. weights: [edges]. targets:
 * [slots] owner and place there. best: [slots].
 */
kernel void relax(GRAVEL_ARENA, ulong first, uint n_chunks, ulong distances,
                  global const uint2 *restrict frontier, global const uint *restrict offsets,
                  global const uint *restrict slots, global const uint *restrict weights,
                  global const uint2 *restrict targets,
                  global const distance_type *restrict settled, global volatile distance_type *best)
{
    GRAVEL_OPEN(g);
    size_t place = first + get_global_id(0);
    uint2 chunk = frontier[place < n_chunks ? place : 0];
    uint n = place < n_chunks ? min(offsets[chunk.x + 1] - chunk.y, (uint)CHUNK) : 0;
    distance_type from = settled[chunk.x];
    GRAVEL_FOR_WG (g, i, active, n) {
        uint slot = 0, is_offered = 0;
        distance_type distance = 0;
        if (active) {
            slot = slots[chunk.y + i];
            distance = ADD(from, weights[chunk.y + i]);
            is_offered = is_best(best + slot, distance);
        }
        uint2 target = targets[slot];
        MIN_DISTANCE_IF(g, is_offered, distances, target.y, distance, target.x);
    }
}

#ifdef HAS_TASKS
/*
 * A round with --schedule, where all vertices are this node's: a task is a stretch of as many vertices as a group has
 * work-items, and each of them that came nearer offers its neighbours a distance.
 *
 * Global size: a group for each deque. best: [n_own] distances, which many groups lower at once. settled:
 * [n_own] the distance each last offered from. counts: vertices that came nearer in this round; reached for the first
 * time.
 */
kernel void relax_tasks(GRAVEL_STEAL, uint n_own, global const uint *restrict offsets,
                        global const uint *restrict slots, global const uint *restrict weights,
                        global uint *restrict settled, global volatile uint *best,
                        global volatile uint *counts)
{
    GRAVEL_STEAL_OPEN(s);
    uint n_nearer = 0, n_reached = 0;
    GRAVEL_STEAL_EACH (s, stretch) {
        uint v = stretch * (uint)get_local_size(0) + (uint)get_local_id(0);
        uint from = v < n_own ? atomic_min(best + v, FAR) : FAR,
             last = v < n_own ? settled[v] : FAR;
        if (from < last) {
            settled[v] = from;
            n_reached += last == FAR;
            n_nearer++;
            for (uint e = offsets[v]; e < offsets[v + 1]; e++) {
                uint distance = ADD(from, weights[e]);
                atomic_min(best + slots[e], distance);
            }
        }
    }
    if (n_nearer) {
        atomic_add(counts, n_nearer);
        atomic_add(counts + 1, n_reached);
    }
}
#endif

#if defined(GRAVEL_ROUND) && !defined(SSSP_ULONG)
/* What a search with --stay knows: of the round and the two behind it, by number % 3; of lists that wait, by turn % 3. */
struct stay {
    uint n_front[3], limit[3], turn[3]; /* of rounds */
    uint n_far[3], low[3];              /* of lists that wait: vertices; the least distance */
    uint n_reached;                     /* for the first time */
};

#ifdef SSSP_FLOAT
#define LIMIT(low, width) ADD(low, width)
#else
#define LIMIT(low, width) add_sat(low, width)
#endif

/* List a vertex, unless it is on the list of this number already. @return  whether it was not */
static uint list_once(global volatile uint *list, global volatile uint *n, global volatile uint *on,
                      uint v, uint number)
{
    if (atomic_xchg(on + v, number) == number)
        return 0;
    list[atomic_inc(n)] = v;
    return 1;
}

/*
 * With --stay, where all vertices are this node's: a round relaxes the edges of the vertices that came nearer in the one
 * before, and lists those that come nearer: for the next round, or, from the limit on, for when none is left below it.
 * Then a round goes over these with a new limit: the least distance that waits, and the width.
 *
 * n: vertices. best: [n] distances. settled: [n] the distance each last offered from. fronts: [2][n] in turn of rounds; far:
 * [3][n] in turn of limits. on: [2][n] the last of both that a vertex is on.
 */
kernel void stay(GRAVEL_ARENA, GRAVEL_ROUND, uint n, uint width,
                 global const uint *restrict offsets, global const uint *restrict slots,
                 global const uint *restrict weights, global volatile uint *best,
                 global volatile uint *settled, global volatile uint *fronts,
                 global volatile uint *far, global volatile uint *on,
                 global volatile struct stay *known)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, relax)
        {
            const uint number = (uint)gravel_round_number(r), at = number % 3,
                       next = (number + 1) % 3, turn = known->turn[at],
                       n_front = known->n_front[at];
            const bool is_far = n_front == 0;
            const uint low = known->low[turn % 3], to = (turn + is_far) % 3;
            const uint limit = is_far ? max(LIMIT(low, width), low + 1) : known->limit[at];
            global volatile uint *list =
                is_far ? far + turn % 3 * (size_t)n : fronts + number % 2 * (size_t)n;
            const uint n_list = is_far ? known->n_far[turn % 3] : n_front;
            uint n_listed = 0, n_reached = 0;
            if (gravel_round_item(r) == 0) {
                known->limit[next] = limit;
                known->turn[next] = turn + is_far;
                known->n_front[(number + 2) % 3] = known->n_far[(turn + 2) % 3] = 0;
                known->low[(turn + 2) % 3] = FAR;
                n_listed = !is_far;
            }
            for (uint i = gravel_round_item(r); i < n_list; i += gravel_round_items(r)) {
                const uint v = list[i], from = best[v];
                if (from >= settled[v])
                    continue;
                const uint first = offsets[v], last = is_far ? first + 1 : offsets[v + 1];
                if (!is_far)
                    settled[v] = from;
                for (uint e = first; e < last; e++) { /* of those that wait, the vertex itself */
                    const uint w = is_far ? v : slots[e];
                    const uint distance = is_far ? from : ADD(from, weights[e]);
                    uint before = FAR;
                    if (!is_far)
                        before = distance < best[w] ? atomic_min(best + w, distance) : 0;
                    n_reached += !is_far && before == FAR;
                    if (distance >= before)
                        continue;
                    if (distance < limit) {
                        n_listed += list_once(fronts + (number + 1) % 2 * (size_t)n,
                                              &known->n_front[next], on, w, number + 1);
                    } else {
                        n_listed += list_once(far + to * (size_t)n, &known->n_far[to], on + n, w,
                                              turn + is_far + 1);
                        atomic_min(&known->low[to], distance);
                    }
                }
            }
            if (n_reached)
                atomic_add(&known->n_reached, n_reached);
            gravel_round_count_wg(r, n_listed);
        }
    }
}
#endif
