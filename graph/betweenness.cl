/* SPDX-License-Identifier: MIT */
/*
 * Betweenness, from several sources at once: each has a copy of all slots. Copy c is of slot c % n and source c / n. All
 * sources go through their levels together: round r lists the copies of level r, and sums their paths. When no source
 * has another level, rounds go back, and sum for each level what depends on its copies.
 *
 * A copy's row is walked by the lanes that its slot has: each takes every n_lanes-th edge. What lanes have summed is
 * added up in the next round, in their order: no result depends on timing.
 *
 * Path:    betweenness.c runs it until all nodes have gone back to their sources.
 * Memory:  levels are set by relaxed atomics; whoever sets one lists the copy. What a phase stored, the next one reads.
 * Source:  Brandes, A Faster Algorithm for Betweenness Centrality, 2001.
 */
#include "gravel.cl.h"

#define FAR 0xffffffffu
#define EACH(i, begin, end) \
    for (uint i = (begin) + gravel_round_item(r); i < (end); i += gravel_round_items(r))

/* What is known of a run; zeroed before it. */
struct known {
    uint n_listed; /* lanes of copies */
    uint n_levels; /* 0: not known yet */
};

/* Lists the lanes of a copy. */
static void list(uint copy, uint n_lanes, global uint2 *listed, volatile global uint *n_listed)
{
    const uint at = atomic_add(n_listed, n_lanes);
    for (uint lane = 0; lane < n_lanes; lane++)
        listed[at + lane] = (uint2)(copy, lane);
}

/*
 * all_sources: slots; the run has n_sources of them, from first_source on. out_, in_: rows of slots. lanes: [n] of each
 * slot. level, paths, worth: of each copy. paths: from its source; backwards, when its level is done, what depends on it.
 * worth: what it adds for each path that leads to it. listed: lanes of copies in order of levels, which begin at starts
 * [levels + 2]. partial: what each of them has summed. n_reached: [n_sources] copies. centrality: [n], added to.
 */
kernel void betweenness(GRAVEL_ARENA, GRAVEL_ROUND, uint first_source, uint n_sources,
                        uint has_endpoints, uint n, global const uint *restrict all_sources,
                        global const uint *restrict out_offsets,
                        global const uint *restrict out_ends,
                        global const uint *restrict in_offsets, global const uint *restrict in_ends,
                        global const uint *restrict lanes, global uint *level, global double *paths,
                        global double *worth, global uint2 *listed, global double *partial,
                        global uint *starts, volatile global struct known *known,
                        volatile global uint *n_reached, global double *centrality)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, find)
        {
            const uint number = (uint)gravel_round_number(r), n_levels = known->n_levels;
            if (number == 0) {
                global const uint *sources = all_sources + first_source;
                EACH(copy, 0, n_sources * n)
                level[copy] = copy % n == sources[copy / n] ? 0 : FAR;
                EACH(i, 0, n_sources)
                {
                    const uint copy = i * n + sources[i];
                    paths[copy] = 1;
                    n_reached[i] = 0;
                    list(copy, lanes[sources[i]], listed, &known->n_listed);
                }
                if (gravel_round_item(r) == 0)
                    starts[0] = 0;
            }
            /* The level whose sums are added up; forwards its copies find the next one. */
            const bool goes_back = n_levels > 0,
                       has_any = number > 0 && (!goes_back || number <= 2 * n_levels);
            const uint at = goes_back ? 2 * n_levels - number + 1 : number - 1,
                       begin = has_any ? starts[at] : 0, end = has_any ? starts[at + 1] : 0;
            EACH(i, begin, end)
            {
                const uint copy = listed[i].x, slot = copy % n, n_lanes = lanes[slot];
                if (listed[i].y == 0 && at > 0) {
                    double sum = 0;
                    for (uint lane = 0; lane < n_lanes; lane++)
                        sum += partial[i + lane];
                    const double before = goes_back ? paths[copy] : 1;
                    paths[copy] = before * sum;
                    if (goes_back)
                        worth[copy] = (1 + before * sum) / before;
                }
                const uint first = out_offsets[slot],
                           n_edges = goes_back ? 0 : out_offsets[slot + 1] - first;
                uint n_found = 0;
                for (uint k = listed[i].y; k < n_edges; k += n_lanes) {
                    const uint next_slot = out_ends[first + k], next = copy - slot + next_slot;
                    if (level[next] != FAR || atomic_cmpxchg(level + next, FAR, number) != FAR)
                        continue;
                    list(next, lanes[next_slot], listed, &known->n_listed);
                    n_found++;
                }
                if (n_found && has_endpoints)
                    atomic_add(n_reached + copy / n, n_found);
            }
        }
        GRAVEL_PHASE(r, sum)
        {
            const uint number = (uint)gravel_round_number(r), n_levels = known->n_levels,
                       n_listed = known->n_listed, item = gravel_round_item(r);
            /* In this phase the first work-item may set n_levels to the round's number, which is forwards, too. */
            const bool goes_back = n_levels > 0 && n_levels < number,
                       is_last = goes_back && number >= 2 * n_levels;
            const uint at = goes_back ? 2 * n_levels - number : number, /* the level */
                near = goes_back ? at + 1 : at - 1, begin = at > 0 && !is_last ? starts[at] : 0,
                       stop = at == 0 || is_last ? 0
                              : goes_back        ? starts[at + 1]
                                                 : n_listed;
            if (item == 0 && !goes_back) {
                starts[number + 1] = n_listed;
                if (number > 0 && begin == n_listed)
                    known->n_levels = number;
            }
            global const uint *offsets = goes_back ? out_offsets : in_offsets,
                              *ends = goes_back ? out_ends : in_ends;
            global const double *values = goes_back ? worth : paths;
            EACH(i, begin, stop)
            {
                const uint copy = listed[i].x, slot = copy % n, n_lanes = lanes[slot],
                           first = offsets[slot],
                           n_edges = goes_back && near == n_levels ? 0 : offsets[slot + 1] - first;
                double sum = 0;
                for (uint k = listed[i].y; k < n_edges; k += n_lanes) {
                    const uint end = ends[first + k], other = copy - slot + end;
                    if (level[other] == near && (k == 0 || ends[first + k - 1] != end))
                        sum += values[other];
                }
                partial[i] = sum;
            }
            EACH(slot, 0, goes_back && number == 2 * n_levels ? n : 0)
            {
                double sum = centrality[slot];
                for (uint i = 0; i < n_sources; i++) {
                    const uint copy = i * n + slot;
                    if (level[copy] == 0)
                        sum += has_endpoints ? n_reached[i] : 0;
                    else if (level[copy] != FAR)
                        sum += paths[copy] + has_endpoints;
                }
                centrality[slot] = sum;
            }
            gravel_round_count_wg(r, item == 0 && !is_last);
        }
    }
}
