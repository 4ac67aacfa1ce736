/* SPDX-License-Identifier: MIT */
/*
 * A spanning forest of least weight, by Boruvka's algorithm: in each round every component finds the first of its
 * edges to other components, in the order of (weight, number), and is joined along it. Edges within a component are
 * dropped. Rounds go over the first edges alone, about one a vertex, until none is left; then over all that are left.
 *
 * Path:    forest.c runs rounds until none finds an edge.
 * Source:  Boruvka 1926; Fallin, Gonzalez, Seo, Burtscher, A High-Performance MST Implementation for GPUs, SC 2023.
 */
#include "union.cl.h"

#ifdef IS_WIDE /* weights or numbers of 64 bits */
typedef ulong word;
#define ATOMIC_MIN atom_min
#else
typedef uint word;
#define ATOMIC_MIN atomic_min
#endif
#define MOST ((word)-1)
#define LOWER(at, value) (void)((value) < *(at) && ATOMIC_MIN(at, value)) /* few need it */

/* As forest.c has it. A weight rises with its bits; a number is less than MOST, and one edge's. */
struct edge {
    uint ends[2];
    word weight, number;
};

/* What a round goes over: all edges, to list the first ones; these; all edges, to list the rest; these. */
enum { FIRST_ALL, FIRST_LISTED, REST_ALL, REST_LISTED };

struct known {
    uint n_live[2], stage[2]; /* edges listed for a round; of these four; by its number % 2 */
    uint n_chosen;
};

#define BLOCK 32u /* edges that a work-item lists at once */

/*
 * A round lists the edges between components, and finds each component's least weight, the least number of an edge
 * that has it, and joins along these edges.
 *
 * edges: [n_edges]; the first are those up to (last_weight, last_number). labels: [n] the root of each slot's
 * component when the round began; parents: [n] of roots, as they are joined. lightest, lowest: [n] by root: the two
 * that are found. lists: [2][room] edges. chosen: [n] of the forest; is_in: [n_given] by numbers from first_given on.
 */
kernel void forest(GRAVEL_ARENA, GRAVEL_ROUND, uint n_edges, global const struct edge *edges,
                   ulong last_weight, ulong last_number, uint n, global uint *labels,
                   global volatile uint *parents, global volatile word *lightest,
                   global volatile word *lowest, uint room, global uint *lists,
                   global volatile struct known *known, global struct edge *chosen,
                   ulong first_given, ulong n_given, global uchar *is_in)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, begin)
        {
            const uint number = (uint)gravel_round_number(r), n_new = number ? 0 : n;
            for (uint v = gravel_round_item(r); v < n_new; v += gravel_round_items(r)) {
                labels[v] = parents[v] = v;
                lightest[v] = lowest[v] = MOST;
            }
            if (gravel_round_item(r) == 0) {
                known->n_live[(number + 1) % 2] = 0;
                if (number == 0)
                    known->stage[0] = known->n_chosen = 0;
            }
        }
        GRAVEL_PHASE(r, weigh)
        {
            const ulong number = gravel_round_number(r);
            const uint stage = known->stage[number % 2], n_items = gravel_round_items(r);
            const bool is_all = stage == FIRST_ALL || stage == REST_ALL;
            const uint n_live = is_all ? n_edges : known->n_live[number % 2];
            global const uint *from = lists + number % 2 * room;
            global uint *to = lists + (number + 1) % 2 * room;
            for (ulong first = gravel_round_item(r); first < n_live;
                 first += (ulong)BLOCK * n_items) {
                uint is_live = 0;
                for (uint i = 0; i < BLOCK; i++) {
                    const ulong at = first + (ulong)i * n_items;
                    if (at >= n_live)
                        break;
                    global const struct edge *edge = edges + (is_all ? at : from[at]);
                    const word weight = edge->weight;
                    if (stage == FIRST_ALL && weight >= last_weight &&
                        (weight > last_weight || edge->number > last_number))
                        continue;
                    const uint one = labels[edge->ends[0]], other = labels[edge->ends[1]];
                    if (one == other)
                        continue;
                    is_live |= 1u << i;
                    LOWER(lightest + one, weight);
                    LOWER(lightest + other, weight);
                }
                uint next =
                    is_live ? atomic_add(&known->n_live[(number + 1) % 2], popcount(is_live)) : 0;
                for (uint i = 0; i < BLOCK; i++) {
                    const ulong at = first + (ulong)i * n_items;
                    if (is_live >> i & 1)
                        to[next++] = is_all ? (uint)at : from[at];
                }
            }
        }
        GRAVEL_PHASE(r, number_them)
        {
            const ulong next = gravel_round_number(r) + 1;
            const uint n_live = known->n_live[next % 2];
            global const uint *list = lists + next % 2 * room;
            for (ulong at = gravel_round_item(r); at < n_live; at += gravel_round_items(r)) {
                const struct edge edge = edges[list[at]];
                for (uint end = 0; end < 2; end++) {
                    const uint root = labels[edge.ends[end]];
                    if (edge.weight == lightest[root])
                        LOWER(lowest + root, edge.number);
                }
            }
        }
        GRAVEL_PHASE(r, choose)
        {
            const ulong next = gravel_round_number(r) + 1;
            uint n_live = known->n_live[next % 2], n_chosen = 0;
            global const uint *list = lists + next % 2 * room;
            if (gravel_round_item(r) == 0) {
                const uint stage = known->stage[(next + 1) % 2];
                n_chosen = stage <= FIRST_LISTED && n_live == 0; /* the run goes on with all */
                known->stage[next % 2] = n_chosen ? REST_ALL : stage | 1;
            }
            for (ulong at = gravel_round_item(r); at < n_live; at += gravel_round_items(r)) {
                const struct edge edge = edges[list[at]];
                const uint one = labels[edge.ends[0]], other = labels[edge.ends[1]];
                if (edge.number != lowest[one] && edge.number != lowest[other])
                    continue;
                join_sets(parents, one, other);
                chosen[atomic_inc(&known->n_chosen)] = edge;
                n_chosen++;
                if (edge.number - first_given < n_given)
                    is_in[edge.number - first_given] = 1;
            }
            gravel_round_count_wg(r, n_chosen);
        }
        GRAVEL_PHASE(r, relabel)
        {
            for (uint v = gravel_round_item(r); v < n; v += gravel_round_items(r)) {
                labels[v] = root_of(parents, labels[v]);
                lightest[v] = lowest[v] = MOST;
            }
        }
    }
}
