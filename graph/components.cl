/* SPDX-License-Identifier: MIT */
/*
 * Connected components. Each node joins the ends of its own edges: first of a few edges of each vertex, after which
 * most vertices are of one set, and most of the other edges only have their ends' parents compared. Then it joins slots
 * with what they are joined with at other nodes.
 *
 * Path:    components.c runs one round: with own edges; on several nodes another one, with what other nodes have found.
 * Source:  Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling, IPDPS 2018.
 */
#include "rows.cl.h"
#include "union.cl.h"

#define NONE 0xffffffffu
#define FEW 2u    /* edges of each vertex that are joined first */
#define CHUNK 32u /* edges that a work-item takes at a time, so that work-items share long rows */

/*
 * begins: 1 with own edges, 0 with what `parents` [n slots] holds. offsets, ends: rows of the n_own own vertices,
 * whose slots begin at `first`; n_block slots are this node's. come: [n_come] parents that slots have at other nodes,
 * n of each node. vertices: [n] the caller's vertex of each slot. least: [n] by root. labels: [n_labels] of the
 * caller's vertices from first_label on. The last phase counts the components whose roots are own vertices.
 */
kernel void components(GRAVEL_ARENA, GRAVEL_ROUND, uint begins, ulong n_come, uint n, uint first,
                       uint n_own, uint n_block, global const uint *offsets,
                       global const uint *ends, global volatile uint *parents,
                       global const uint *come, global const uint *vertices,
                       global volatile uint *least, ulong first_label, ulong n_labels,
                       global ulong *labels)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, begin)
        {
            for (uint v = gravel_round_item(r); v < n; v += gravel_round_items(r)) {
                least[v] = NONE;
                if (begins)
                    parents[v] = v;
            }
        }
        GRAVEL_PHASE(r, few)
        {
            const uint n_rows = begins ? n_own : 0;
            for (uint row = gravel_round_item(r); row < n_rows; row += gravel_round_items(r)) {
                const uint edge = offsets[row], end = min(offsets[row + 1] - edge, FEW) + edge;
                for (uint i = edge; i < end; i++)
                    join_sets(parents, first + row, ends[i]);
            }
        }
        GRAVEL_PHASE(r, halve)
        {
            for (uint v = gravel_round_item(r); v < n; v += gravel_round_items(r))
                atomic_min(parents + v, root_of(parents, v));
        }
        GRAVEL_PHASE(r, rest)
        {
            const uint n_edges = begins && n_own ? offsets[n_own] : 0;
            const uint n_chunks = n_edges / CHUNK + (n_edges % CHUNK != 0);
            for (uint chunk = gravel_round_item(r); chunk < n_chunks;
                 chunk += gravel_round_items(r)) {
                const uint at = chunk * CHUNK, end = min(n_edges - at, CHUNK) + at;
                uint row = row_of(offsets, 0, n_own, at), row_end = offsets[row + 1];
                uint parent = parents[first + row];
                for (uint i = at; i < end; i++) {
                    if (i == row_end) {
                        row = row_of(offsets, row + 1, n_own, i);
                        row_end = offsets[row + 1];
                        parent = parents[first + row];
                    }
#ifdef IS_UNDIRECTED /* an edge of two own vertices is in both rows */
                    if (ends[i] > first + row && ends[i] - first < n_block)
                        continue;
#endif
                    if (parents[ends[i]] == parent)
                        continue;
                    join_sets(parents, first + row, ends[i]);
                    parent = parents[first + row];
                }
            }
        }
        GRAVEL_PHASE(r, others)
        {
            for (ulong i = gravel_round_item(r); i < n_come; i += gravel_round_items(r))
                join_sets(parents, (uint)(i % n), come[i]);
        }
        GRAVEL_PHASE(r, lower)
        {
            for (uint v = gravel_round_item(r); v < n; v += gravel_round_items(r)) {
                const uint root = root_of(parents, v);
                atomic_min(parents + v, root);
                if (vertices[v] < least[root])
                    atomic_min(least + root, vertices[v]);
            }
        }
        GRAVEL_PHASE(r, give)
        {
            uint n_roots = 0;
            for (uint v = gravel_round_item(r); v < n; v += gravel_round_items(r)) {
                const uint vertex = vertices[v];
                n_roots += vertex != NONE && parents[v] == v && v - first < n_own;
                if (vertex != NONE && vertex - first_label < n_labels)
                    labels[vertex - first_label] = least[parents[v]];
            }
            gravel_round_count_wg(r, n_roots);
        }
    }
}
