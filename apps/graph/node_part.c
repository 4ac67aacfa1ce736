/* SPDX-License-Identifier: MIT */
/*
 * A node's part of the graph.
 *
 * Path: an application -> this -> part.c
 * Owner: see part.h.
 * Threads: main's.
 */
#include "graph/node_part.h"
#include "frame/die.h"

static void check_edges(uint64_t n_edges)
{
    if (n_edges > NODE_PART_MAX_EDGES)
        die("%llu edges of a node are more than %llu: use more nodes", (unsigned long long)n_edges,
            (unsigned long long)NODE_PART_MAX_EDGES);
}

void node_part_of(struct node *node, struct graph_part *part, struct block_range vertices)
{
    if (node->n_processes != node->n_nodes)
        die("loop-back nodes would have no part of the graph: unset GRAVEL_LOOPBACK");
    if (part->source == GRAPH_FROM_FILE)
        node_agree(node, part->options.file, part->survey.print);
    if (!part->wish.is_undirected) /* where edges that are there twice stay */
        check_edges((part->survey.n_edges + node->n_nodes - 1) / node->n_nodes);
    part_open(part, vertices);
    check_edges(part->rows.n_edges);
}

void node_part(struct node *node, struct graph_part *part)
{
    part->partition = partition_blocks(part->survey.n_vertices, node->n_nodes);
    node_part_of(node, part, partition_range(&part->partition, node->number));
}

uint64_t node_part_draw_source(struct node *node, const struct graph_part *part, uint64_t seed)
{
    const uint64_t n = part->survey.n_vertices, drawn = n ? graph_draw_vertex(n, seed) : 0;
    const uint64_t steps = node_least(node, part_steps_to_edges(part, drawn));
    return n ? (drawn + steps) % n : 0;
}

cl_mem node_part_offsets(struct node *node, const struct graph_part *part)
{
    const uint64_t n = part->rows.n_vertices + 1;
    cl_uint *offsets = app_array(n, sizeof *offsets, "rows");
    for (uint64_t u = 0; u < n; u++)
        offsets[u] = (cl_uint)part->rows.offsets[u];
    return node_upload(node, n * sizeof *offsets, offsets);
}
