/* SPDX-License-Identifier: MIT */
/*
 * Iterations with --schedule: vertices are tasks of groups' deques, and each pulls what its sources give it.
 *
 * Path: iterate.c -> this -> pagerank.cl
 * Owner: see pagerank.h.
 * Threads: main's.
 * Source: Orr et al. 2015, section 5.3; Che et al., Pannotia, 2013.
 */
#include "pagerank.h"

#include <stdlib.h>

static cl_mem upload_offsets(struct pagerank *pagerank, const struct graph *in)
{
    cl_uint *offsets = app_array(in->n_vertices + 1, sizeof *offsets, "a list of edges");
    for (uint64_t v = 0; v <= in->n_vertices; v++)
        offsets[v] = (cl_uint)in->offsets[v];
    cl_mem array = node_array(&pagerank->node, (in->n_vertices + 1) * sizeof *offsets, offsets);
    free(offsets);
    return array;
}

/* A node that is alone has all vertices, in their order. */
void pagerank_schedule_upload(struct pagerank *pagerank)
{
    struct graph in;
    if (graph_transpose(&in, &pagerank->part.rows))
        die("no memory to turn the edges round");
    pagerank->in_offsets = upload_offsets(pagerank, &in);
    pagerank->sources =
        node_array(&pagerank->node, in.n_edges * sizeof *in.neighbours, in.neighbours);
    graph_free(&in);
}

void pagerank_schedule_open(struct pagerank *pagerank)
{
    uint64_t n = pagerank->part.rows.n_vertices;
    tasks_open_stretches(&pagerank->tasks, &pagerank->node, n);
    pagerank->own_sums = node_array(
        &pagerank->node, n * (pagerank->is_fixed ? sizeof(cl_ulong) : sizeof(cl_float)), NULL);
    pagerank->pull_tasks = tasks_kernel(&pagerank->tasks, "pull_tasks");
    NODE_SET(pagerank->pull_tasks, 1, cl_uint, (cl_uint)n);
    NODE_SET(pagerank->pull_tasks, 2, cl_mem, pagerank->in_offsets);
    NODE_SET(pagerank->pull_tasks, 3, cl_mem, pagerank->sources);
    NODE_SET(pagerank->pull_tasks, 4, cl_mem, pagerank->share);
    NODE_SET(pagerank->pull_tasks, 5, cl_mem, pagerank->own_sums);
    const cl_uint zero = 0;
    size_t bytes = n * (pagerank->is_fixed ? sizeof(cl_ulong) : sizeof(cl_float));
    node_check_cl(clEnqueueFillBuffer(gravel_cl_queue(pagerank->node.gravel), pagerank->own_sums,
                                      &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
                  "clEnqueueFillBuffer");
}

void pagerank_schedule_pull(struct pagerank *pagerank)
{
    tasks_run_stretches(&pagerank->tasks, pagerank->pull_tasks);
}
