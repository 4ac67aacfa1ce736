/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex: every edge of a vertex that came nearer offers its target a distance, in place if
 * the target is the node's own. Else an accumulator keeps the least offer to each vertex, or an offer is a message.
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
#else
typedef uint distance_type;
typedef uint8 distances_type;
#define MIN_DISTANCE_IF gravel_min_uint_wg_if
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

/* List a vertex's edges from number `start` on. */
static void list_edges(uint v, uint start, uint end, global uint2 *restrict frontier,
                       global volatile uint *n_chunks)
{
    if (start == end)
        return;
    uint place = atomic_add(n_chunks, (end - start - 1) / CHUNK + 1);
    for (uint e = start; e < end; e += min(end - e, (uint)CHUNK))
        frontier[place++] = (uint2)(v, e);
}

/*
 * List the edges of the vertices that came nearer, in chunks.
 *
 * Global size: every 8 own vertices, from number `first`; in most rounds most have nothing new, and one comparison
 * tells. settled: [vertices, filled up] the distance each last offered from. Only distances below `limit` are taken.
 * offsets: [vertices + 1] of rows. splits: [vertices] where the edges begin that are sent. own, sent: [chunks] source
 * and first edge. counts: chunks listed of both, and vertices reached for the first time.
 */
kernel void gather(GRAVEL_ARENA, ulong first, ulong distances_offset, distance_type limit,
                   global distance_type *restrict settled, global distance_type *restrict best,
                   global const uint *restrict offsets, global const uint *restrict splits,
                   global uint2 *restrict own, global uint2 *restrict sent,
                   global volatile uint *counts)
{
    GRAVEL_OPEN(g);
    global const distance_type *restrict distances = gravel_local(g, distances_offset);
    size_t item = first + get_global_id(0);
    distances_type before = vload8(item, settled),
                   now = min(vload8(item, distances), vload8(item, best));
    if (!any((now < before) & (now < (distances_type)(limit))))
        return;
    for (uint v = 8 * (uint)item; v < 8 * (uint)item + 8; v++) {
        distance_type distance = NEAREST(distances, best, v), last = settled[v];
        if (distance >= last || distance >= limit)
            continue;
        settled[v] = distance;
        best[v] = distance;
        if (last == FAR)
            atomic_inc(counts + 2);
        list_edges(v, offsets[v], splits[v], own, counts);
        list_edges(v, splits[v], offsets[v + 1], sent, counts + 1);
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
 * Offer the far ends of listed edges a distance: the least of all offers to a vertex is sent, unless it was before.
 *
 * Global size: n_chunks from number `first`, or more. The rest as relax has it.
 */
kernel void offer(GRAVEL_ARENA, ulong first, uint n_chunks, GRAVEL_ACCUMULATOR(offers),
                  global const uint2 *restrict frontier, global const uint *restrict offsets,
                  global const uint *restrict slots, global const uint *restrict weights,
                  global const uint2 *restrict targets, global const uint *restrict settled)
{
    GRAVEL_OPEN(g);
    size_t place = first + get_global_id(0);
    if (place >= n_chunks)
        return;
    uint2 chunk = frontier[place];
    uint from = settled[chunk.x], end = min(offsets[chunk.x + 1], chunk.y + CHUNK);
    for (uint e = chunk.y; e < end; e++) {
        uint2 target = targets[slots[e]];
        gravel_accumulate_uint_wi(g, offers, target.y, ADD(from, weights[e]), target.x);
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

/*
 * The least distance that waits for its bucket.
 *
 * Global size: own vertices from number `first`; local size: GROUP_ITEMS, or all in one group. lows: [groups].
 */
kernel void lowest(GRAVEL_ARENA, ulong first, ulong distances_offset,
                   global const distance_type *restrict settled,
                   global const distance_type *restrict best, global distance_type *restrict lows)
{
    GRAVEL_OPEN(g);
    local distance_type waiting[GROUP_ITEMS];
    global const distance_type *restrict distances = gravel_local(g, distances_offset);
    size_t v = first + get_global_id(0);
    distance_type distance = NEAREST(distances, best, v);
    waiting[get_local_id(0)] = distance < settled[v] ? distance : FAR;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        distance_type low = FAR;
        for (size_t i = 0; i < get_local_size(0); i++)
            low = min(low, waiting[i]);
        lows[v / GROUP_ITEMS] = low;
    }
}

#ifdef HAS_TASKS
/*
 * A round with --schedule, where all vertices are this node's: a task is a stretch of as many vertices as a group has
 * work-items, and each of them that came nearer offers its neighbours a distance.
 *
 * Global size: a deque a group, or a group a task. best: [n_own] distances, which many groups lower at once. settled:
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
