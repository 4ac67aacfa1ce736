/* SPDX-License-Identifier: MIT */
/*
 * Boruvka's rounds: each vertex finds its lightest edge to another component, each component takes the lightest that
 * its vertices offer, in the forms of form.h, and components that are joined become one.
 *
 * Edges are ordered by weight, equal ones by number, so that no two are alike and the tree is the only one. A component
 * has the number of one of its vertices, its root.
 *
 * Path:   boruvka.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (MST); Burtscher, Nasre, Pingali, A quantitative study of irregular
 * programs on GPUs, IISWC 2012 (LonestarGPU).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

#define NO_EDGE 0xffffffffu

struct edge {
    uint from, to, weight;
};

/* An edge in the row of one of its ends. */
struct entry {
    uint neighbour, weight, edge;
};

/* What a vertex offers to its component. */
struct offer {
    uint component, weight, edge;
};

/* ---- the section: a component's lightest edge so far ------------------------------------------------ */

void lightest_here(global uint *weights, global uint *edges, struct offer offer)
{
    const uint weight = weights[offer.component], edge = edges[offer.component];
    if (offer.weight > weight || (offer.weight == weight && offer.edge >= edge))
        return;
    weights[offer.component] = offer.weight;
    edges[offer.component] = offer.edge;
}

/* Served: the component is the key. Heap offsets: constants 0, the weights; 1, the edges. */
void lightest(struct gravel_call call, ulong component, ulong both)
{
    lightest_here(gravel_call_local(call, call.constants[0]),
                  gravel_call_local(call, call.constants[1]),
                  (struct offer){(uint)component, (uint)(both >> 32), (uint)both});
}

/* n items, or vertices; heap offsets of weights, edges and locks, uint [vertices] each. */
#define COMMON GRAVEL_ARENA, uint n, uint stride, ulong weights_at, ulong edges_at, ulong locks_at

kernel void lightest_served(COMMON, global const struct offer *offers)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        struct offer offer = offers[active ? item : 0];
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(lightest), offer.component,
                         (ulong)offer.weight << 32 | offer.edge, gravel_node(g));
    }
}

kernel void lightest_locked(COMMON, global const struct offer *offers)
{
    GRAVEL_OPEN(g);
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n; i += stride)
        WITH_LOCK(&locks[offers[i].component])
    lightest_here(gravel_local(g, weights_at), gravel_local(g, edges_at), offers[i]);
}

/* ---- around it: work-items from n on have no work ---------------------------------------------------- */

/* All vertices are components. */
kernel void begin(COMMON, global uint *components, global uint *parents, global uint *vertices)
{
    GRAVEL_OPEN(g);
    global uint *weights = gravel_local(g, weights_at), *edges = gravel_local(g, edges_at);
    global uint *locks = gravel_local(g, locks_at);
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    components[i] = parents[i] = vertices[i] = i;
    weights[i] = edges[i] = NO_EDGE;
    locks[i] = 0;
}

/* Lets vertices that had an edge to another component offer the lightest that they still have, and lists them. */
kernel void offer(COMMON, global const uint *vertices, global uint *still,
                  global const ulong *offsets, global const struct entry *entries,
                  global const uint *components, global struct offer *offers,
                  volatile global uint *n_offers)
{
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    const uint vertex = vertices[i], own = components[vertex];
    struct offer offer = {own, NO_EDGE, NO_EDGE};
    for (ulong e = offsets[vertex]; e < offsets[vertex + 1]; e++) {
        const struct entry entry = entries[e];
        if ((entry.weight < offer.weight ||
             (entry.weight == offer.weight && entry.edge < offer.edge)) &&
            components[entry.neighbour] != own) {
            offer.weight = entry.weight;
            offer.edge = entry.edge;
        }
    }
    if (offer.edge == NO_EDGE)
        return;
    const uint index = atomic_inc(n_offers);
    offers[index] = offer;
    still[index] = vertex;
}

/*
 * Takes the edges that components chose into the tree, and hangs each component below the one at the other end. Of two
 * that chose one edge the one of the lesser number stays a root.
 */
kernel void hang(COMMON, global const struct edge *list, global const uint *components,
                 global uint *parents, global uint *is_in)
{
    GRAVEL_OPEN(g);
    global const uint *edges = gravel_local(g, edges_at);
    const uint own = (uint)get_global_id(0), edge = own < n ? edges[own] : NO_EDGE;
    if (edge == NO_EDGE)
        return;
    const uint from = components[list[edge].from],
               other = from == own ? components[list[edge].to] : from;
    is_in[edge] = 1;
    if (edges[other] != edge || own > other)
        parents[own] = other;
}

/* Gives each vertex the root of its component, and halves the way there for others; components have no edge then. */
kernel void relabel(COMMON, global uint *components, volatile global uint *parents)
{
    GRAVEL_OPEN(g);
    global uint *weights = gravel_local(g, weights_at), *edges = gravel_local(g, edges_at);
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
    weights[i] = edges[i] = NO_EDGE;
}
