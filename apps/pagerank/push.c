/* SPDX-License-Identifier: MIT */
/*
 * Messages along all edges, to own vertices too: a work-item adds its source's share of rank to its target's sum.
 *
 * Path:    pagerank.c -> this -> pagerank.cl -> sums at every node
 * Owner:   this file's; node_close releases arrays.
 * Threads: main's.
 */
#include "pagerank.h"

#include <string.h>

#define PUMP_SLICES 4u /* of a launch that is long enough, on step pump */
#define MOST_EACH 1024u

/* Edges of a work-item: on step pump, where a slice has a bounded number of work-items, what makes a launch a few slices;
 * elsewhere 1. */
static unsigned edges_each(const struct pagerank *pagerank)
{
    const struct node *node = &pagerank->node;
    cl_uint n_units = 0;
    if (node->model->queue_bytes || strcmp(gravel_step(node->gravel), "pump"))
        return 1;
    TRY_CL(clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_MAX_COMPUTE_UNITS,
                           sizeof n_units, &n_units, NULL));
    const uint64_t slice_items = (uint64_t)node->group_items * (n_units > 1 ? n_units - 1 : 1);
    const uint64_t n = pagerank->part.rows.n_edges / (PUMP_SLICES * slice_items);
    return n < 1 ? 1 : n < MOST_EACH ? (unsigned)n : MOST_EACH;
}

/* Nothing is pulled: no vertex has chunks. */
static void list(struct pagerank *pagerank)
{
    const struct graph *rows = &pagerank->part.rows;
    const uint64_t n = pagerank_n_own(pagerank) + 1;
    cl_uint *from = app_array(rows->n_edges, sizeof *from, "a list of edges");
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            from[e] = (cl_uint)u;
    pagerank->from = node_upload(&pagerank->node, rows->n_edges * sizeof *from, from);
    pagerank->to = node_array(&pagerank->node, rows->n_edges * sizeof(cl_uint), rows->neighbours);
    pagerank->chunks =
        node_upload(&pagerank->node, n * sizeof(cl_uint), app_array(n, sizeof(cl_uint), "chunks"));
    pagerank->n_each = edges_each(pagerank);
}

static void prepare(struct pagerank *pagerank)
{
    pagerank->push = node_kernel(&pagerank->node, "push");
    NODE_SET(pagerank->push, 2, ULONG(pagerank->part.rows.n_edges), ARRAY(pagerank->from),
             ARRAY(pagerank->to), UINT(pagerank->part.partition.block), ARRAY(pagerank->share));
}

static void sum(struct pagerank *pagerank, uint64_t sums)
{
    /* A message an edge: an index and a rank. */
    const struct node_bound bound = {.n_messages = pagerank->n_each,
                                     .message_bytes = 4 + (uint32_t)pagerank_rank_bytes(pagerank)};
    const uint64_t n = pagerank->part.rows.n_edges,
                   n_group = (uint64_t)pagerank->n_each * pagerank->node.group_items;
    NODE_SET(pagerank->push, 7, ULONG(sums));
    if (pagerank->n_each == 1)
        node_send(&pagerank->node, pagerank->push, n, bound);
    else
        node_launch(&pagerank->node, pagerank->push,
                    (n + n_group - 1) / n_group * pagerank->node.group_items);
    TRY(gravel_barrier(pagerank->node.gravel));
}

const struct way pagerank_pushed = {list, prepare, sum};
