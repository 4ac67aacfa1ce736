/* SPDX-License-Identifier: MIT */
/*
 * A node's part of the graph.
 *
 * Path: an application, after node_open -> this -> part.h
 * Owner: see part.h.
 * Threads: main's.
 */
#ifndef APPS_NODE_PART_H
#define APPS_NODE_PART_H

#include "graph/part.h"
#include "frame/node.h"

/* What kernels number in 32 bits. */
#define NODE_PART_MAX_EDGES UINT64_C(0xfffffffe)

/**
 * Get this node's rows of a graph that part_survey has found out about; or die, also with loop-back
 * nodes, and if METIS gave other parts at other nodes. Collective.
 */
void node_part(struct node *node, struct graph_part *part);

/** As above; but a process that stands for several nodes gets the whole graph: the rows of all of them. */
void node_part_of_process(struct node *node, struct graph_part *part);

#endif
