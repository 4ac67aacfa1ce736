/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex: every edge of a vertex that came nearer offers its target a distance, in place if
 * the target is the node's own. Else an accumulator keeps the least offer to each vertex, or an offer is a message.
 *
 * The host defines GROUP_ITEMS (work-items of a full group) and CHUNK (edges that one work-item relaxes). HAS_WORDS: offers
 * go to an accumulator.
 *
 * Path:    rounds.c launches gather, counts over all nodes, launches offer or relax, and relax_own, waits for all that
 *          was sent; again.
 * Memory:  messages lower words of `distances`, and kernels words of `best`; the lesser is a vertex's distance. `best` is
 *          read and lowered by many work-items at once, by relaxed atomics: a word stands for itself alone, and one that
 *          is read too old only costs an offer.
 * Source:  Meyer and Sanders, Delta-stepping, 2003; Beamer et al., The GAP Benchmark Suite, 2015.
 */
#include "distance.cl.h"
#ifdef HAS_WORDS
#include "accumulator.cl.h"
#endif

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

static uint least_of_8(uint8 distances)
{
    uint all[8], least = FAR;
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
kernel void gather(GRAVEL_ARENA, ulong first, ulong distances_offset, uint limit,
                   global uint *restrict settled, global uint *restrict best,
                   global const uint *restrict offsets, global const uint *restrict splits,
                   global uint2 *restrict own, global uint2 *restrict sent, global uint *counts,
                   global uint *restrict lows, uint turn)
{
    GRAVEL_OPEN(g);
    local struct found found;
    local uint waiting; /* the least distance that does */
    global const uint *restrict distances = gravel_local(g, distances_offset);
    const uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    const size_t item = first + get_global_id(0);
    uint nearer = 0, n_own = 0, n_sent = 0, n_reached = 0; /* nearer: a bit for each of the 8 */
    uint low = FAR;
    if (lane == 0) {
        found.n_chunks[0] = found.n_chunks[1] = 0;
        found.n_listed = found.n_reached = found.n_long = 0;
        waiting = FAR;
    }
    if (item < 4)
        counts[4 * !turn + item] = 0;
    uint8 before = vload8(item, settled), now = min(vload8(item, distances), vload8(item, best));
    if (any(now < before))
        low = least_of_8(select((uint8)(FAR), now, (now < before) & (now >= (uint8)(limit))));
    for (uint i = 0; i < 8 && any((now < before) & (now < (uint8)(limit))); i++) {
        uint v = 8 * (uint)item + i;
        uint distance = NEAREST(distances, best, v), last = settled[v];
        if (distance >= last || distance >= limit)
            continue;
        settled[v] = distance;
        best[v] = distance;
        nearer |= 1u << i;
        n_reached += last == FAR;
        n_own += chunks_of(offsets[v], splits[v]);
        n_sent += chunks_of(splits[v], offsets[v + 1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (nearer) {
        n_own = atomic_add(&found.n_chunks[0], n_own); /* and from here on where they go */
        n_sent = atomic_add(&found.n_chunks[1], n_sent);
        atomic_add(&found.n_listed, popcount(nearer));
        atomic_add(&found.n_reached, n_reached);
    }
    if (low != FAR)
        atomic_min(&waiting, low);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        lows[item / GROUP_ITEMS] = waiting;
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
static uint is_best(global volatile uint *best, uint distance)
{
    return distance < *best && distance < atomic_min(best, distance);
}

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
                  global const uint2 *restrict targets, global const uint *restrict settled,
                  global volatile uint *best)
{
    GRAVEL_OPEN(g);
    size_t place = first + get_global_id(0);
    uint2 chunk = frontier[place < n_chunks ? place : 0];
    uint n = place < n_chunks ? min(offsets[chunk.x + 1] - chunk.y, (uint)CHUNK) : 0;
    uint from = settled[chunk.x];
    GRAVEL_FOR_WG (g, i, active, n) {
        uint slot = 0, is_offered = 0;
        uint distance = 0;
        if (active) {
            slot = slots[chunk.y + i];
            distance = ADD(from, weights[chunk.y + i]);
            is_offered = is_best(best + slot, distance);
        }
        uint2 target = targets[slot];
        gravel_min_uint_wg_if(g, is_offered, distances, target.y, distance, target.x);
    }
}
