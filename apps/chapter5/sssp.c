/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex: in a round each vertex that came nearer sends a message along each of its edges.
 *
 * How many vertices came nearer is summed over all nodes before any sends, so rounds are the same on any number of nodes.
 *
 * Path:    graphs.c -> this -> sssp.cl
 * Source:  Che et al., Pannotia, 2013.
 */
#include "chapter5/graphs.h"

#include <stdlib.h>

#define FAR SERIAL_NONE

extern const char sssp_cl[];

static struct {
    uint64_t source;
    cl_kernel gather, relax;
    cl_mem front; /* or, with --schedule, distances */
} own;

static void open_search(void)
{
    struct node *node = &graphs.node;
    const struct graph *rows = &graphs.part.rows;
    const size_t bytes = rows->n_edges * sizeof(cl_uint);
    own.source = graph_draw_source(&graphs.part.whole, graphs.options.seed);
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        graphs.n_most =
            graph_degree(rows, u) > graphs.n_most ? graph_degree(rows, u) : graphs.n_most;
    cl_mem to = node_array(node, bytes, rows->neighbours),
           weights = node_array(node, bytes, rows->weights);
    own.front = node_array(node, rows->n_vertices * sizeof(cl_uint), NULL);
    own.relax = node_kernel(node, graphs.schedule ? "relax_tasks" : "relax");
    if (graphs.schedule) {
        NODE_SET(own.relax, 1, UINT(rows->n_vertices), ARRAY(graphs.offsets), ARRAY(to),
                 ARRAY(weights), ARRAY(graphs.result), ARRAY(own.front), ARRAY(graphs.count));
        return;
    }
    NODE_SET(own.relax, 3, ULONG(graphs.words), UINT(graphs.block), ARRAY(own.front),
             ARRAY(graphs.offsets), ARRAY(to), ARRAY(weights), ARRAY(graphs.result));
    own.gather = node_kernel(node, "gather");
    NODE_SET(own.gather, 2, ULONG(graphs.words), ARRAY(graphs.result), ARRAY(own.front),
             ARRAY(graphs.count));
}

/* The source is at 0, and all other vertices are out of reach. */
static void reset(void)
{
    static const cl_uint zero;
    struct node *node = &graphs.node;
    const uint64_t n = graphs.part.rows.n_vertices, at = own.source % graphs.block * sizeof zero;
    node_fill(node, graphs.result, FAR, n * sizeof zero);
    if (graphs.schedule) {
        node_fill(node, own.front, FAR, n * sizeof zero);
        node_write(node, own.front, at, sizeof zero, &zero);
        return;
    }
    node_fill_heaps(node, graphs.words, n, FAR);
    if (own.source / graphs.block == node->number)
        TRY(gravel_fill(node->gravel, graphs.words + at, sizeof zero, &zero, sizeof zero,
                        node->number));
}

/* Has the vertices that came nearer listed, and sends from them; or, as tasks, both at once. */
static bool step(void)
{
    struct node *node = &graphs.node;
    const uint64_t group_items = node->group_items;
    cl_uint n_front;
    node_fill(node, graphs.count, 0, sizeof n_front);
    if (graphs.schedule)
        graphs_send(own.relax, 0);
    else
        node_run(node, own.gather, graphs.part.rows.n_vertices);
    node_read(node, graphs.count, sizeof n_front, &n_front);
    if (!node_sum(node, n_front))
        return false;
    if (graphs.schedule)
        return true;
    /* In full groups: their number changes with every launch, and compilers may compile a kernel for each size (PoCL). */
    NODE_SET(own.relax, 2, UINT(n_front));
    graphs_send(own.relax, (n_front + group_items - 1) / group_items * group_items);
    return true;
}

/* Describes what the search that warmed up has reached. */
static void describe(struct trials *trials)
{
    const uint64_t n = graphs.part.rows.n_vertices;
    cl_uint *found = app_array(n, sizeof *found, "distances");
    node_read(&graphs.node, graphs.result, n * sizeof *found, found);
    part_describe_search(&graphs.part, &graphs.node, own.source, found, trials);
    free(found);
}

static uint64_t check(const void *found)
{
    return part_count_wrong(&graphs.part, found, serial_distances(&graphs.part.whole, own.source));
}

const struct graphs_program graphs_program = {
    .name = "sssp",
    .doc = "Find the shortest paths from one vertex of a graph to all others by a message along "
           "every edge, and say how many edges a second that took.",
    .source = sssp_cl,
    .wish.has_weights = true,
    .open = open_search,
    .reset = reset,
    .step = step,
    .describe = describe,
    .method = "Dijkstra, serial",
    .check = check};
