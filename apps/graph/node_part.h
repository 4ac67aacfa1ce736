/* SPDX-License-Identifier: MIT */
/*
 * A node's part of the graph, and a mirror of its ghosts.
 *
 * Path: an application -> this -> part.h
 * Owner: see part.h.
 * Threads: main's.
 */
#ifndef APPS_NODE_PART_H
#define APPS_NODE_PART_H

#include "graph/ghosts.h"
#include "graph/part.h"
#include "frame/node.h"

#include <gravel/mirror.h>

/* What kernels number in 32 bits. */
#define NODE_PART_MAX_EDGES UINT64_C(0xfffffffe)

/** Get this node's rows of a graph that part_survey has found out about, in the same file at all nodes; or die, also with
 * loop-back nodes. Collective. */
void node_part(struct node *node, struct graph_part *part);

/** Draw a vertex with edges, where a search begins; 0 if there is none. Collective. */
uint64_t node_part_draw_source(struct node *node, const struct graph_part *part, uint64_t seed);

/** Copy to the device where each row begins: [vertices + 1] of 32 bits. */
cl_mem node_part_offsets(struct node *node, const struct graph_part *part);

/**
 * Make a mirror of a word of each ghost. Ghosts are in the order of their owners, and so are copies of their words.
 *
 * @param offset  of the words in the heap, by own vertices.
 * @param type    of a word: GRAVEL_UINT.
 * @param adds    what is stored in the mirror is added to the owners' words; else those are fetched.
 * @return        NULL if no node has ghosts. Collective.
 */
struct gravel_mirror *node_part_mirror(struct node *node, const struct ghosts *ghosts,
                                       uint64_t offset, uint32_t type, bool adds);

#endif
