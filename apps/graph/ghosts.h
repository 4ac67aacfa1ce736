/* SPDX-License-Identifier: MIT */
/*
 * Ghosts: vertices of other nodes that neighbour a node's own, numbered from 0 in the vertices' order: so those of one owner
 * are next to each other, in the owner's order.
 *
 * Path: part.h -> this -> the application's host code
 * Owner: ghosts_open makes what ghosts_close frees.
 * Threads: any may read.
 *
 * A bit for each vertex of the whole graph, and half as much again for the counts.
 */
#ifndef APPS_GHOSTS_H
#define APPS_GHOSTS_H

#include "graph/part.h"

struct ghosts {
    const struct graph_part *part;
    uint64_t *bits;     /* [n_vertices / 64 + 1] */
    uint32_t *ranks;    /* [n_vertices / 64 + 1] ghosts before each word of bits */
    uint32_t *vertices; /* [n] */
    uint64_t n;
};

/** Find the ghosts of a part, which must outlive this; or die. */
void ghosts_open(struct ghosts *ghosts, const struct graph_part *part);
void ghosts_close(struct ghosts *ghosts);

/**
 * Slot of a vertex among what a node knows: its own vertices first, then its ghosts.
 *
 * @param vertex  an own one or a neighbour of one.
 */
uint32_t ghosts_slot(const struct ghosts *ghosts, uint32_t vertex);

/** Slots: own vertices and ghosts [count]. */
static inline uint64_t ghosts_n_slots(const struct ghosts *ghosts)
{
    return ghosts->part->rows.n_vertices + ghosts->n;
}

/** A slot's vertex. */
static inline uint64_t ghosts_vertex(const struct ghosts *ghosts, uint64_t slot)
{
    const uint64_t n_own = ghosts->part->rows.n_vertices;
    return slot < n_own ? ghosts->part->first + slot : ghosts->vertices[slot - n_own];
}

#endif
