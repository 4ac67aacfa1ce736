/* SPDX-License-Identifier: MIT */
/*
 * Boruvka's rounds: each vertex finds its lightest edge to another component, each component takes the lightest that
 * its vertices offer, in the forms of form.h, and components that are joined become one.
 *
 * An edge is a word: its weight, its lesser end and its greater end, from the highest bits on. So edges are ordered by weight,
 * no two are alike, and the tree is the only one. A component has the number of one of its vertices, its root.
 *
 * Path:   boruvka.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (MST); Burtscher, Nasre, Pingali, A quantitative study of irregular
 * programs on GPUs, IISWC 2012 (LonestarGPU).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

#define NO_EDGE (~0ul)
#define VERTEX_BITS 28

/* What a vertex offers to its component. */
struct offer {
    ulong edge;
    uint component, unused;
};

/* ---- the section: a component's lightest edge so far ------------------------------------------------ */

void lightest_here(global ulong *edges, uint component, ulong edge)
{
    if (edge < edges[component])
        edges[component] = edge;
}

/* Served: the component is the key. Heap offset: constant 0, the edges. */
void lightest(struct gravel_call call, ulong component, ulong edge)
{
    lightest_here(gravel_call_local(call, call.constants[0]), (uint)component, edge);
}

/* n items, or vertices; heap offsets of edges, ulong [vertices], and of locks, uint [vertices]. */
#define COMMON GRAVEL_ARENA, uint n, uint stride, ulong edges_at, ulong locks_at

kernel void lightest_served(COMMON, global const struct offer *offers)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        struct offer offer = offers[active ? item : 0];
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(lightest), offer.component, offer.edge,
                         gravel_node(g));
    }
}

kernel void lightest_locked(COMMON, global const struct offer *offers)
{
    GRAVEL_OPEN(g);
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n; i += stride)
        WITH_LOCK(&locks[offers[i].component])
    lightest_here(gravel_local(g, edges_at), offers[i].component, offers[i].edge);
}

/* ---- around it: work-items from n on have no work ---------------------------------------------------- */

/* Lets vertices that had an edge to another component offer the lightest that they still have, and lists them. */
kernel void offer(COMMON, global const uint *vertices, global uint *still,
                  global const uint *offsets, global const uint *neighbours,
                  global const uint *weights, global const uint *components,
                  global struct offer *offers, volatile global uint *n_offers)
{
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    const uint vertex = vertices[i], own = components[vertex];
    struct offer offer = {NO_EDGE, own, 0};
    for (uint e = offsets[vertex]; e < offsets[vertex + 1]; e++) {
        const uint other = neighbours[e];
        const ulong edge = (ulong)weights[e] << 2 * VERTEX_BITS |
                           (ulong)min(vertex, other) << VERTEX_BITS | max(vertex, other);
        if (edge < offer.edge && components[other] != own)
            offer.edge = edge;
    }
    if (offer.edge == NO_EDGE)
        return;
    const uint index = atomic_inc(n_offers);
    offers[index] = offer;
    still[index] = vertex;
}

/*
 * Hangs each component below the one at the other end of the edge that it chose, which is one of the tree. Of two that chose one
 * edge the one of the lesser number stays a root.
 */
kernel void hang(COMMON, global const uint *components, global uint *parents, global ulong *tree,
                 volatile global uint *n_tree)
{
    GRAVEL_OPEN(g);
    global const ulong *edges = gravel_local(g, edges_at);
    const uint own = (uint)get_global_id(0), mask = (1u << VERTEX_BITS) - 1;
    const ulong edge = own < n ? edges[own] : NO_EDGE;
    if (edge == NO_EDGE)
        return;
    const uint from = components[(uint)(edge >> VERTEX_BITS) & mask],
               other = from == own ? components[(uint)edge & mask] : from;
    if (edges[other] == edge && own < other)
        return;
    parents[own] = other;
    tree[atomic_inc(n_tree)] = edge;
}

/* Gives each vertex the root of its component, and halves the way there for others; components have no edge then. */
kernel void relabel(COMMON, global uint *components, volatile global uint *parents)
{
    GRAVEL_OPEN(g);
    global ulong *edges = gravel_local(g, edges_at);
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    uint at = components[i];
    for (uint parent = parents[at]; parent != at; parent = parents[at]) {
        const uint next = parents[parent];
        parents[at] = next;
        at = next;
    }
    components[i] = at;
    edges[i] = NO_EDGE;
}
