/* SPDX-License-Identifier: MIT */
/*
 * A node's part of the graph, and whether all nodes have parts of the same partition.
 *
 * Path: an application, after node_open -> this -> part.c
 * Owner: see part.h.
 * Threads: main's.
 */
#include "graph/node_part.h"
#include "frame/die.h"
#include "frame/random.h"

static uint64_t fingerprint(const struct partition *partition)
{
    uint64_t hash = partition->n_vertices;
    for (uint64_t v = 0; partition->places && v < partition->n_vertices; v++)
        hash = random_mix(hash ^ partition->places[v]);
    return hash;
}

static void check_agreement(struct node *node, const struct partition *partition)
{
    uint64_t hash = fingerprint(partition);
    if (node_least(node, hash) != node_most(node, hash))
        die("the nodes have different graphs, or METIS cut them differently");
}

void node_part_of_process(struct node *node, struct graph_part *part)
{
    part_open(part, node->n_processes, node->n_processes == 1 ? 0 : node->number);
    if (part->rows.n_edges > NODE_PART_MAX_EDGES)
        die("%llu edges of a node are more than %llu: use more nodes",
            (unsigned long long)part->rows.n_edges, (unsigned long long)NODE_PART_MAX_EDGES);
    check_agreement(node, &part->partition);
}

void node_part(struct node *node, struct graph_part *part)
{
    if (node->n_processes != node->n_nodes)
        die("loop-back nodes would have no part of the graph: unset GRAVEL_LOOPBACK");
    node_part_of_process(node, part);
}
