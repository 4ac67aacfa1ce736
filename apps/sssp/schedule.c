/* SPDX-License-Identifier: MIT */
/*
 * The rounds with --schedule: all vertices are tasks of groups' deques, in every round, until none has come nearer.
 *
 * Path: search.c -> this -> sssp.cl
 * Owner: see sssp.h.
 * Threads: main's.
 * Source: Orr et al. 2015, section 5.3; Che et al., Pannotia, 2013.
 */
#include "sssp.h"

static size_t distances_bytes(const struct sssp *sssp)
{
    return sssp->part.rows.n_vertices * sizeof(cl_uint);
}

void sssp_schedule_open(struct sssp *sssp)
{
    cl_kernel kernel = sssp->relax_tasks;
    tasks_open_stretches(&sssp->tasks, &sssp->node, sssp->part.rows.n_vertices);
    NODE_SET(kernel, 1, cl_uint, (cl_uint)sssp->part.rows.n_vertices);
    NODE_SET(kernel, 2, cl_mem, sssp->offsets);
    NODE_SET(kernel, 3, cl_mem, sssp->slots);
    NODE_SET(kernel, 4, cl_mem, sssp->weights);
    NODE_SET(kernel, 5, cl_mem, sssp->settled);
    NODE_SET(kernel, 6, cl_mem, sssp->best);
    NODE_SET(kernel, 7, cl_mem, sssp->counts);
}

static void fill(struct sssp *sssp, cl_mem array, cl_uint value, size_t offset, size_t bytes)
{
    node_check_cl(clEnqueueFillBuffer(gravel_cl_queue(sssp->node.gravel), array, &value,
                                      sizeof value, offset, bytes, 0, NULL, NULL),
                  "clEnqueueFillBuffer");
}

void sssp_schedule_reset(struct sssp *sssp)
{
    const cl_uint far = UINT32_MAX;
    uint64_t source = partition_index(&sssp->part.partition, sssp->source);
    fill(sssp, sssp->settled, far, 0, distances_bytes(sssp));
    fill(sssp, sssp->best, far, 0, distances_bytes(sssp));
    fill(sssp, sssp->best, 0, source * sizeof far, sizeof far);
    node_finish(&sssp->node);
    TRY(gravel_steal_stats_reset(sssp->tasks.steal));
}

void sssp_schedule_search(struct sssp *sssp)
{
    cl_uint counts[2];
    do {
        node_clear(&sssp->node, sssp->counts, sizeof counts);
        tasks_run_stretches(&sssp->tasks, sssp->relax_tasks);
        node_read(&sssp->node, sssp->counts, sizeof counts, counts);
        sssp->n_rounds++;
        sssp->n_reached += counts[1];
        progress_at(&sssp->progress, sssp->n_reached);
    } while (counts[0]);
    sssp->n_buckets = 1;
}
