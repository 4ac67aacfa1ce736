/* SPDX-License-Identifier: MIT */
/*
 * The edges to other nodes, or with --send-own all: along each goes a message an iteration.
 *
 * Path: iterate.c -> this -> pagerank.cl -> sums at every node
 * Owner: see pagerank.h.
 * Threads: main's.
 */
#include "pagerank.h"

#include <stdlib.h>

/* What a kernel knows of an edge of vertex u. */
typedef cl_uint edge_item(const struct graph_part *part, uint64_t u, uint64_t e);

static cl_uint source_of(const struct graph_part *part, uint64_t u, uint64_t e)
{
    (void)part, (void)e;
    return (cl_uint)u;
}

static cl_uint owner_of(const struct graph_part *part, uint64_t u, uint64_t e)
{
    (void)u;
    return partition_owner(&part->partition, part->rows.neighbours[e]);
}

static cl_uint index_of(const struct graph_part *part, uint64_t u, uint64_t e)
{
    (void)u;
    return (cl_uint)partition_index(&part->partition, part->rows.neighbours[e]);
}

static uint64_t count_sent(const struct graph_part *part, const uint32_t *splits)
{
    uint64_t n = 0;
    for (uint64_t u = 0; u < part->rows.n_vertices; u++)
        n += part->rows.offsets[u + 1] - splits[u];
    return n;
}

/* Of the edges that are sent along. */
static cl_mem upload(struct pagerank *pagerank, const uint32_t *splits, edge_item *item)
{
    const struct graph_part *part = &pagerank->part;
    uint64_t n = 0;
    cl_uint *list = app_array(pagerank->n_sent, sizeof *list, "a list of edges");
    for (uint64_t u = 0; u < part->rows.n_vertices; u++)
        for (uint64_t e = splits[u]; e < part->rows.offsets[u + 1]; e++)
            list[n++] = item(part, u, e);
    cl_mem array = node_array(&pagerank->node, n * sizeof *list, list);
    free(list);
    return array;
}

void pagerank_push_upload(struct pagerank *pagerank, const uint32_t *splits)
{
    pagerank->n_sent = count_sent(&pagerank->part, splits);
    pagerank->any_sent = node_sum(&pagerank->node, pagerank->n_sent) > 0;
    pagerank->to_node = upload(pagerank, splits, owner_of);
    pagerank->to_index = upload(pagerank, splits, index_of);
    pagerank->from = upload(pagerank, splits, source_of);
}

static void set_arrays(struct pagerank *pagerank, cl_kernel push)
{
    NODE_SET(push, 2, cl_mem, pagerank->from);
    NODE_SET(push, 3, cl_mem, pagerank->to_node);
    NODE_SET(push, 4, cl_mem, pagerank->to_index);
    NODE_SET(push, 5, cl_mem, pagerank->share);
}

void pagerank_push_open(struct pagerank *pagerank)
{
    struct node *node = &pagerank->node;
    if (pagerank->per_item == 0)
        pagerank->per_item = node_derive_each(node, pagerank->n_sent);
    pagerank->push.one = node_kernel(node, "push");
    pagerank->push.several = node_kernel(node, "push_several");
    set_arrays(pagerank, pagerank->push.one);
    set_arrays(pagerank, pagerank->push.several);
}

void pagerank_push(struct pagerank *pagerank, uint64_t sums)
{
    /* A message an edge: an index and a rank. */
    const struct node_bound bound = {.n_messages = 1,
                                     .message_bytes = 4 + (uint32_t)pagerank_rank_bytes(pagerank)};
    NODE_SET(pagerank->push.one, 6, cl_ulong, sums);
    NODE_SET(pagerank->push.several, 6, cl_ulong, sums);
    node_send_each(&pagerank->node, &pagerank->push, pagerank->n_sent, (uint32_t)pagerank->per_item,
                   bound);
}
