/* SPDX-License-Identifier: MIT */
/*
 * The edges that need no messages: turned round and cut into chunks, each of which a work-item adds up. They end at own
 * vertices, and if words are sent at ghosts, which come after these. An own vertex's sum is that of its chunks and of
 * what other nodes sent; a ghost's is sent to its owner.
 *
 * Path: iterate.c, words.c -> this -> pagerank.cl
 * Owner: see pagerank.h.
 * Threads: main's.
 * Source: Beamer et al., The GAP Benchmark Suite, 2015 (pulling).
 */
#include "pagerank.h"

#include <stdlib.h>

/* Edges of a chunk: few enough that hubs spread. */
#define CHUNK 64

/* With --schedule a vertex is what is scheduled. */
static uint64_t chunks_of(const struct pagerank *pagerank, uint64_t n_edges)
{
    return pagerank->node.schedule ? 1 : (n_edges + CHUNK - 1) / CHUNK;
}

static uint64_t n_targets(const struct pagerank *pagerank)
{
    return pagerank->part.rows.n_vertices + pagerank->n_ghosts;
}

static uint64_t target_of(const struct pagerank *pagerank, uint64_t e)
{
    const struct graph_part *part = &pagerank->part;
    uint32_t v = part->rows.neighbours[e];
    return pagerank->n_ghosts ? ghosts_slot(&pagerank->ghosts, v)
                              : partition_index(&part->partition, v);
}

/* @return  [targets + 1] where the edges to each begin, by target. */
static cl_uint *find_offsets(const struct pagerank *pagerank, const uint32_t *splits)
{
    const struct graph *rows = &pagerank->part.rows;
    const uint64_t n = n_targets(pagerank);
    cl_uint *offsets = app_array(n + 1, sizeof *offsets, "a list of edges");
    for (uint64_t v = 0; v <= n; v++)
        offsets[v] = 0;
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < splits[u]; e++)
            offsets[target_of(pagerank, e) + 1]++;
    for (uint64_t v = 0; v < n; v++)
        offsets[v + 1] += offsets[v];
    return offsets;
}

static void upload_sources(struct pagerank *pagerank, const uint32_t *splits,
                           const cl_uint *offsets)
{
    const struct graph *rows = &pagerank->part.rows;
    uint64_t n = n_targets(pagerank), n_edges = offsets[n];
    cl_uint *sources = app_array(n_edges, sizeof *sources, "a list of edges");
    cl_uint *next = app_array(n, sizeof *next, "a list of edges");
    for (uint64_t v = 0; v < n; v++)
        next[v] = offsets[v];
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < splits[u]; e++)
            sources[next[target_of(pagerank, e)]++] = (cl_uint)u;
    pagerank->sources = node_array(&pagerank->node, n_edges * sizeof *sources, sources);
    free(next);
    free(sources);
}

static void upload_chunks(struct pagerank *pagerank, const cl_uint *offsets)
{
    uint64_t n = n_targets(pagerank);
    cl_uint *chunks = app_array(n + 1, sizeof *chunks, "a list of edges");
    chunks[0] = 0;
    for (uint64_t v = 0; v < n; v++)
        chunks[v + 1] = chunks[v] + (cl_uint)chunks_of(pagerank, offsets[v + 1] - offsets[v]);
    cl_uint *starts = app_array((uint64_t)chunks[n] + 1, sizeof *starts, "a list of edges");
    for (uint64_t v = 0; v < n; v++)
        for (cl_uint i = chunks[v]; i < chunks[v + 1]; i++)
            starts[i] = offsets[v] + (i - chunks[v]) * CHUNK;
    starts[chunks[n]] = offsets[n];
    pagerank->n_own_chunks = chunks[pagerank->part.rows.n_vertices];
    pagerank->n_chunks = chunks[n];
    pagerank->chunks = node_array(&pagerank->node, (n + 1) * sizeof *chunks, chunks);
    pagerank->starts =
        node_array(&pagerank->node, (pagerank->n_chunks + 1) * sizeof *starts, starts);
    free(starts);
    free(chunks);
}

/* The last word is no chunk's. */
static size_t partial_bytes(const struct pagerank *pagerank)
{
    return (pagerank->n_chunks + 1) * pagerank_rank_bytes(pagerank);
}

void pagerank_pull_upload(struct pagerank *pagerank, const uint32_t *splits)
{
    cl_uint *offsets = find_offsets(pagerank, splits);
    upload_sources(pagerank, splits, offsets);
    upload_chunks(pagerank, offsets);
    free(offsets);
    pagerank->partial = node_array(&pagerank->node, partial_bytes(pagerank), NULL);
}

static void set_arrays(struct pagerank *pagerank, cl_kernel kernel)
{
    NODE_SET(kernel, 2, cl_mem, pagerank->starts);
    NODE_SET(kernel, 3, cl_mem, pagerank->sources);
    NODE_SET(kernel, 4, cl_mem, pagerank->share);
    NODE_SET(kernel, 5, cl_mem, pagerank->partial);
}

void pagerank_pull_open(struct pagerank *pagerank)
{
    struct node *node = &pagerank->node;
    if (!node->schedule) {
        pagerank->pull = node_kernel(node, "pull");
        set_arrays(pagerank, pagerank->pull);
        return;
    }
    tasks_open_stretches(&pagerank->tasks, node, pagerank->n_chunks);
    pagerank->pull = tasks_kernel(&pagerank->tasks, "pull_tasks");
    NODE_SET(pagerank->pull, 1, cl_uint, (cl_uint)pagerank->n_chunks);
    set_arrays(pagerank, pagerank->pull);
}

void pagerank_pull_reset(struct pagerank *pagerank)
{
    const cl_uint zero = 0;
    if (pagerank->node.schedule)
        tasks_reset(&pagerank->tasks);
    node_check_cl(clEnqueueFillBuffer(gravel_cl_queue(pagerank->node.gravel), pagerank->partial,
                                      &zero, sizeof zero, 0, partial_bytes(pagerank), 0, NULL,
                                      NULL),
                  "clEnqueueFillBuffer");
}

void pagerank_pull(struct pagerank *pagerank)
{
    if (pagerank->node.schedule)
        tasks_run_stretches(&pagerank->tasks, pagerank->pull);
    else
        node_run(&pagerank->node, pagerank->pull, pagerank->n_own_chunks);
}

void pagerank_pull_for_others(struct pagerank *pagerank)
{
    node_run_from(&pagerank->node, pagerank->pull, pagerank->n_own_chunks,
                  pagerank->n_chunks - pagerank->n_own_chunks);
}
