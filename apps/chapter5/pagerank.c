/* SPDX-License-Identifier: MIT */
/*
 * PageRank: each iteration sends a message along every edge; with --schedule vertices pull instead.
 *
 * Vertices without edges give their rank to none, and so do those of the GAP benchmark suite.
 *
 * Path:    graphs.c -> this -> pagerank.cl
 * Source:  Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015.
 */
#include "chapter5/graphs.h"

#define DAMPING 0.85

extern const char pagerank_cl[];

static struct {
    cl_kernel apply, push; /* or, with --schedule, pull */
    cl_mem shares[2];      /* the second with --schedule */
} own;

static void open_ranks(void)
{
    struct node *node = &graphs.node;
    const struct graph *rows = &graphs.part.rows;
    const size_t bytes = rows->n_vertices * sizeof(cl_float);
    cl_mem to = node_array(node, rows->n_edges * sizeof(cl_uint), rows->neighbours);
    for (int i = 0; i < 2; i++)
        own.shares[i] = node_array(node, graphs.schedule || !i ? bytes : 0, NULL);
    own.apply = node_kernel(node, "apply");
    NODE_SET(own.apply, 2, ULONG(graphs.words));
    NODE_SET(own.apply, 4, ARRAY(graphs.offsets), ARRAY(graphs.result), ARRAY(own.shares[0]));
    own.push = node_kernel(node, graphs.schedule ? "pull" : "push");
    if (!graphs.schedule) {
        cl_mem from =
            node_upload(node, rows->n_edges * sizeof(cl_uint), graph_list_sources(rows, 0));
        NODE_SET(own.push, 2, ULONG(graphs.words), UINT(graphs.block), ARRAY(from), ARRAY(to),
                 ARRAY(own.shares[0]));
        return;
    }
    if (graphs.part.options.file)
        die("--schedule: vertices pull along their own edges, which a file's may not go both ways");
    NODE_SET(own.push, 1, UINT(rows->n_vertices), FLOAT((1 - DAMPING) / (double)rows->n_vertices),
             ARRAY(graphs.offsets), ARRAY(to));
    NODE_SET(own.push, 7, ARRAY(graphs.result));
}

/* Makes ranks of the sums, while no node adds to them. Collective. */
static void apply(double base)
{
    NODE_SET(own.apply, 3, FLOAT(base));
    node_run(&graphs.node, own.apply, graphs.part.rows.n_vertices);
    node_finish(&graphs.node);
    TRY(gravel_barrier(graphs.node.gravel));
}

/* Ranks without sums are their base. */
static void reset(void)
{
    node_fill_heaps(&graphs.node, graphs.words, graphs.part.rows.n_vertices, 0);
    apply(1 / (double)graphs.part.whole.n_vertices);
}

static bool step(void)
{
    const uint64_t i = graphs.n_rounds;
    if (i == graphs.n_iterations)
        return false;
    if (graphs.schedule)
        NODE_SET(own.push, 5, ARRAY(own.shares[i % 2]), ARRAY(own.shares[(i + 1) % 2]));
    graphs_send(own.push, graphs.part.rows.n_edges);
    if (!graphs.schedule)
        apply((1 - DAMPING) / (double)graphs.part.whole.n_vertices);
    return true;
}

static uint64_t check(const void *found)
{
    return part_count_wrong_ranks(
        &graphs.part, found, serial_ranks(&graphs.part.whole, DAMPING, graphs.n_iterations, false));
}

const struct graphs_program graphs_program = {
    .name = "pagerank",
    .doc = "Rank the vertices of a graph by a message along every edge, and say how many edges a "
           "second that were.",
    .source = pagerank_cl,
    .has_iterations = true,
    .open = open_ranks,
    .reset = reset,
    .step = step,
    .method = "a message an edge, serial",
    .check = check};
