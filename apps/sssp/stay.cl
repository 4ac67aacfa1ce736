/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths with --stay, where all vertices are this node's: the whole search is one kernel of rounds, in buckets.
 *
 * Path:    stay.c runs it until nothing is listed.
 * Memory:  `best` is lowered by relaxed atomics, as in rounds.cl; what a phase has listed the next one reads.
 * Source:  Meyer and Sanders, Delta-stepping, 2003.
 */
#include "distance.cl.h"

/* What a search knows: of the round and the two behind it, by number % 3; of lists that wait, by turn % 3. */
struct stay {
    uint n_front[3], limit[3], turn[3]; /* of rounds */
    uint n_far[3], low[3];              /* of lists that wait: vertices; the least distance */
    uint n_reached;                     /* for the first time */
};

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
 * A round relaxes the edges of the vertices that came nearer in the one before, and lists those that come nearer: for the next
 * round, or, from the limit on, for when none is left below it. Then a round goes over these with a new limit: the least
 * distance that waits, and the width.
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
                       n_front = known->n_front[at], near = known->limit[at];
            const bool is_far = n_front == 0;
            const uint low = known->low[turn % 3], to = (turn + is_far) % 3;
            const uint limit = is_far ? max(ADD(low, width), low + 1) : near;
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
                const uint v = list[i], from = best[v], first = offsets[v], end = offsets[v + 1];
                if (from >= settled[v])
                    continue;
                if (!is_far)
                    settled[v] = from;
                const uint last = is_far ? first + 1 : end;
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
