/* SPDX-License-Identifier: MIT */
/*
 * A node's part of the graph.
 *
 * Path: an application -> this -> part.h
 * Owner: see part.h.
 * Threads: main's.
 */
#ifndef APPS_NODE_PART_H
#define APPS_NODE_PART_H

#include "graph/part.h"
#include "frame/node.h"

/* What kernels number in 32 bits. */
#define NODE_PART_MAX_EDGES UINT64_C(0xfffffffe)

/** Get this node's block of rows of a graph that part_survey has found out about, in the same file at all nodes; or die, also
 * with loop-back nodes. Collective. _of: other rows than the block's. */
void node_part(struct node *node, struct graph_part *part);
void node_part_of(struct node *node, struct graph_part *part, struct block_range vertices);

/** Draw a vertex with edges, where a search begins; 0 if there is none. Collective. */
uint64_t node_part_draw_source(struct node *node, const struct graph_part *part, uint64_t seed);

/** Copy to the device where each row begins: [vertices + 1] of 32 bits. */
cl_mem node_part_offsets(struct node *node, const struct graph_part *part);

#endif
