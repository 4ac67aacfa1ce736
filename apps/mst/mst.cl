/* SPDX-License-Identifier: MIT */
/*
 * Boruvka's rounds: each vertex looks for its lightest edge to another component, each component takes the lightest
 * that its vertices offer, in the forms of sections/form.h, and components that are joined become one.
 *
 * Edges are ordered by weight, equal ones by number, so that no two are alike and the tree is the only one. Weights are
 * uint, or floats that are not negative, which rise with their bits. A component has the number of one of its vertices.
 *
 * A node of several looks through the rows of its own vertices. Component c has its section at node c % n_nodes, at place
 * c / n_nodes. Nodes announce what their sections chose; then each node joins all components, so that nodes stay in step
 * without more messages. Array `chosen` is what was announced; on a node alone, the array of the sections themselves.
 *
 * Path: mst.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (MST); Burtscher, Nasre, Pingali, A quantitative study of irregular programs
 * on GPUs, IISWC 2012 (LonestarGPU).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

#define NO_EDGE 0xffffffffu

/* An edge in the row of one of its ends. */
struct entry {
    uint neighbour, weight, edge;
};

/* What a vertex offers to its component. */
struct offer {
    uint component, weight, edge;
};

/* ---- the section: a component's lightest edge so far ------------------------------------------------ */

/* weights, edges: of the components that this node owns */
void lightest_here(global uint *weights, global uint *edges, struct offer offer)
{
    const uint weight = weights[offer.component], edge = edges[offer.component];
    if (offer.weight > weight || (offer.weight == weight && offer.edge >= edge))
        return;
    weights[offer.component] = offer.weight;
    edges[offer.component] = offer.edge;
}

/* Served: the component, by its index at its owner, is the key. Heap offsets: constants 0, the weights; 1, the edges. */
void lightest(struct gravel_call call, ulong place, ulong both)
{
    lightest_here(gravel_call_local(call, call.constants[0]),
                  gravel_call_local(call, call.constants[1]),
                  (struct offer){(uint)place, (uint)(both >> 32), (uint)both});
}
kernel void lightest_served(GRAVEL_ARENA, global const struct offer *offers)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        struct offer offer = offers[active ? item : 0];
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(lightest), offer.component / n_nodes,
                         (ulong)offer.weight << 32 | offer.edge, offer.component % n_nodes);
    }
}

/* n_items in steps of `stride` a work-item; heap offsets of weights, edges and locks, uint [vertices] each. */
kernel void lightest_locked(GRAVEL_ARENA, uint n_items, uint stride,
                            global const struct offer *offers, ulong weights_at, ulong edges_at,
                            ulong locks_at)
{
    GRAVEL_OPEN(g);
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n_items; i += stride)
        WITH_LOCK(&locks[offers[i].component])
    lightest_here(gravel_local(g, weights_at), gravel_local(g, edges_at), offers[i]);
}

/* ---- around it: work-items from n on have no work ---------------------------------------------------- */

/* All vertices are components, and none has chosen an edge. n_sections: of this node. */
kernel void begin(GRAVEL_ARENA, uint n_vertices, uint n_sections, global uint *components,
                  global uint *roots, global uint *other_roots, global uint *vertices,
                  global uint *live, ulong weights_at, ulong edges_at, ulong locks_at,
                  ulong chosen_at)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    if (i < n_vertices) {
        components[i] = roots[i] = other_roots[i] = vertices[i] = live[i] = i;
        ((global uint *)gravel_local(g, chosen_at))[i] = NO_EDGE;
    }
    if (i < n_sections) {
        ((global uint *)gravel_local(g, weights_at))[i] = NO_EDGE;
        ((global uint *)gravel_local(g, edges_at))[i] = NO_EDGE;
        ((global uint *)gravel_local(g, locks_at))[i] = 0;
    }
}

/* Vertices that had an edge to another component before: of those that still have, the lightest, and a list of them. */
kernel void look(GRAVEL_ARENA, uint n, global const uint *vertices, global const uint *offsets,
                 global const struct entry *entries, global const uint *components,
                 global struct offer *offers, global uint *still, volatile global uint *n_still)
{
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    const uint vertex = vertices[i], own = components[vertex];
    struct offer offer = {own, NO_EDGE, NO_EDGE};
    for (uint e = offsets[vertex]; e < offsets[vertex + 1]; e++) {
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
    const uint place = atomic_inc(n_still);
    offers[place] = offer;
    still[place] = vertex;
}

/*
 * Sends all nodes, if several, what this one's sections chose; and empties the sections.
 *
 * Global size: n live components from number `first`, or more.
 */
kernel void announce(GRAVEL_ARENA, ulong first, uint n, global const uint *live, ulong weights_at,
                     ulong edges_at, ulong chosen_at)
{
    GRAVEL_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g), number = gravel_node(g);
    global uint *weights = gravel_local(g, weights_at), *edges = gravel_local(g, edges_at);
    const size_t i = first + get_global_id(0);
    const uint own = live[i < n ? i : 0], place = own / n_nodes;
    const uint edge = i < n && own % n_nodes == number ? edges[place] : NO_EDGE;
    const uint has_chosen = edge != NO_EDGE;
    if (has_chosen)
        weights[place] = edges[place] = NO_EDGE;
    for (uint hop = 1; hop <= n_nodes; hop++)
        gravel_put_uint_wg_if(g, has_chosen, chosen_at, own, edge, (number + hop) % n_nodes);
}

/*
 * Components that have not found out that they have no edge: each hangs itself below the component at the other end. Of
 * two that chose one edge the one of the lesser number stays.
 */
kernel void hang(GRAVEL_ARENA, uint n, global const uint *live, global const uint2 *ends,
                 global const uint *components, global uint *roots, ulong chosen_at)
{
    GRAVEL_OPEN(g);
    global const uint *chosen = gravel_local(g, chosen_at);
    const uint i = (uint)get_global_id(0), own = i < n ? live[i] : 0;
    const uint edge = i < n ? chosen[own] : NO_EDGE;
    if (edge == NO_EDGE)
        return;
    const uint at_first = components[ends[edge].x], at_second = components[ends[edge].y];
    const uint other = at_first == own ? at_second : at_first;
    if (chosen[other] == edge && own < other)
        return;
    roots[own] = other;
}

/* Hops of a component towards its root in one launch. */
#define HOPS 8

kernel void jump(GRAVEL_ARENA, uint n, global const uint *live, global const uint *roots,
                 global uint *next_roots, global uint *is_below)
{
    const uint i = (uint)get_global_id(0);
    if (i >= n)
        return;
    uint at = roots[live[i]];
    for (uint hop = 0; hop < HOPS; hop++)
        at = roots[at];
    next_roots[live[i]] = at;
    if (roots[at] != at)
        *is_below = 1;
}

/*
 * Components that stay and had an edge, as a list; they have found none yet. Components that hang keep their edges, which
 * are those of the tree.
 */
kernel void keep(GRAVEL_ARENA, uint n, global const uint *live, global const uint *roots,
                 global uint *still, volatile global uint *n_still, ulong weights_at,
                 ulong chosen_at)
{
    GRAVEL_OPEN(g);
    global uint *weights = gravel_local(g, weights_at), *chosen = gravel_local(g, chosen_at);
    const uint i = (uint)get_global_id(0), own = i < n ? live[i] : 0;
    if (i >= n || roots[own] != own || chosen[own] == NO_EDGE)
        return;
    chosen[own] = NO_EDGE;
    if (gravel_n_nodes(g) == 1)
        weights[own] = NO_EDGE;
    still[atomic_inc(n_still)] = own;
}

kernel void relabel(GRAVEL_ARENA, uint n, global const uint *roots, global uint *components)
{
    const uint i = (uint)get_global_id(0);
    if (i < n)
        components[i] = roots[components[i]];
}
