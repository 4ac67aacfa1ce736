/* SPDX-License-Identifier: MIT */
/*
 * Finds parents from distances. See parents.cl for which.
 *
 * Path:    bfs.c, sssp.c -> this -> parents.cl, results.c.
 * Owner:   struct graph_parents is the search's.
 * Threads: one at a time.
 */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char graph_parents_cl[];

#define MOST_LANES 32u
#define GROUP_ITEMS 256u /* a launch has a multiple of them, so that a driver finds groups */

uint32_t graph_lanes(const struct gravel_graph *graph)
{
    const uint64_t n = graph->n_slots ? graph->n_edges / graph->n_slots : 0;
    cl_device_type type = CL_DEVICE_TYPE_GPU;
    uint32_t n_lanes = 4;
    clGetDeviceInfo(graph->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (type & CL_DEVICE_TYPE_CPU)
        return 1;
    while (n_lanes < MOST_LANES && n_lanes < n)
        n_lanes *= 2;
    return n_lanes;
}

const char *graph_weight_name(uint32_t type)
{
    return type == GRAVEL_UINT     ? "UINT"
           : type == GRAVEL_FLOAT  ? "FLOAT"
           : type == GRAVEL_DOUBLE ? "DOUBLE"
                                   : "NONE";
}

static int prepare(struct gravel_graph *graph, struct graph_parents *parents, bool is_weighted)
{
    char options[64];
    cl_program program;
    cl_int error;
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof(uint32_t);
    GRAPH_TRY(graph_need_pull(graph));
    if (parents->kernel)
        return 0;
    snprintf(options, sizeof options, "-DLANES=%u -DWEIGHT_%s", graph_lanes(graph),
             graph_weight_name(is_weighted ? graph->weight_type : 0));
    if (!parents->vertex_of)
        GRAPH_TRY(graph_buffer(graph, &parents->vertex_of, graph->vertex_of, bytes));
    if (!parents->passes)
        GRAPH_TRY(graph_buffer(graph, &parents->passes, NULL, bytes));
    if (!parents->parents)
        GRAPH_TRY(graph_buffer(graph, &parents->parents, NULL, bytes / graph->n_nodes));
    if (!parents->n_left)
        GRAPH_TRY(graph_buffer(graph, &parents->n_left, NULL, sizeof(cl_uint)));
    GRAPH_TRY(
        gravel_program_build(graph->gravel, "parents.cl", graph_parents_cl, options, &program));
    parents->kernel = clCreateKernel(program, "parents", &error);
    clReleaseProgram(program);
    return graph_check_cl("clCreateKernel", error, 0);
}

/* Runs a pass. @param n_left  [out] own vertices that began it without a parent; pass 0 does not count */
static int run_pass(struct gravel_graph *graph, const struct graph_parents *parents, cl_uint pass,
                    uint64_t *n_left)
{
    const size_t n_lanes = (size_t)graph->n_own * graph_lanes(graph),
                 n_items = (n_lanes + GROUP_ITEMS - 1) / GROUP_ITEMS * GROUP_ITEMS;
    cl_uint n = 0;
    GRAPH_TRY(graph_write(graph, parents->n_left, 0, &n, sizeof n));
    GRAPH_TRY(graph_check_cl("clSetKernelArg",
                             clSetKernelArg(parents->kernel, 0, sizeof pass, &pass), sizeof pass));
    if (n_items)
        GRAPH_TRY(graph_check_cl("clEnqueueNDRangeKernel",
                                 clEnqueueNDRangeKernel(graph->queue, parents->kernel, 1, NULL,
                                                        &n_items, NULL, 0, NULL, NULL),
                                 0));
    GRAPH_TRY(graph_read(graph, parents->n_left, 0, &n, sizeof n));
    *n_left = n;
    return 0;
}

/* Makes every node know which vertices have parents. Collective. @param words  [n_slots] */
static int share(struct gravel_graph *graph, cl_mem buffer, uint32_t *words)
{
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof *words;
    int code = graph_read(graph, buffer, 0, words, bytes);
    GRAPH_TRY(graph_agree(graph, "gravel_graph_sssp", code));
    GRAPH_TRY(graph_share(graph, words, sizeof *words));
    return graph_write(graph, buffer, 0, words, bytes);
}

/* Passes until none is left: after the first one only where edges weigh nothing. Collective. */
static int run_passes(struct gravel_graph *graph, const char *call,
                      const struct graph_parents *parents, bool is_weighted, uint32_t *words)
{
    uint64_t n_left = 0, before = UINT64_MAX;
    for (cl_uint pass = 0;; pass++) {
        GRAPH_TRY(graph_agree(graph, call, run_pass(graph, parents, pass, &n_left)));
        if (!is_weighted)
            return 0;
        if (pass > 0 && graph->n_nodes > 1)
            GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_left, 1));
        if (pass > 0 && !n_left)
            return 0;
        if (n_left == before)
            return graph_fail(GRAVEL_EKERNEL,
                              "%s: %llu vertices have a distance and no parent: the "
                              "device adds weights in two ways",
                              call, (unsigned long long)n_left);
        before = pass > 0 ? n_left : before;
        if (graph->n_nodes > 1)
            GRAPH_TRY(graph_agree(graph, call, share(graph, parents->passes, words)));
    }
}

static int reset(struct gravel_graph *graph, const struct graph_parents *parents, uint32_t source)
{
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof(uint32_t);
    const cl_uint first = 0, own = source - graph_first_slot(graph);
    GRAPH_TRY(graph_fill(graph, parents->passes, UINT32_MAX, bytes));
    GRAPH_TRY(graph_fill(graph, parents->parents, UINT32_MAX, bytes / graph->n_nodes));
    GRAPH_TRY(graph_write(graph, parents->passes, source * sizeof first, &first, sizeof first));
    return own >= graph->n_own ? 0
                               : graph_write(graph, parents->parents, own * sizeof own,
                                             &graph->vertex_of[source], sizeof own);
}

int graph_find_parents(struct gravel_graph *graph, const char *call, struct graph_parents *parents,
                       bool is_weighted, cl_mem distances, uint32_t source, uint64_t *out)
{
    const uint64_t words_bytes = graph->n_slots * sizeof(uint32_t);
    const cl_uint n_own = graph->n_own, first = graph_first_slot(graph);
    uint32_t is_wanted = out != NULL;
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_MAX, GRAVEL_UINT, &is_wanted, 1));
    if (!is_wanted)
        return 0;
    uint32_t *words = malloc(words_bytes);
    int code = words ? prepare(graph, parents, is_weighted) : graph_fail_memory(call, words_bytes);
    if (!code) {
        const struct graph_value arguments[] = {
            GRAPH_ARGUMENT(n_own),
            GRAPH_ARGUMENT(first),
            GRAPH_ARGUMENT(graph->pull.offsets),
            GRAPH_ARGUMENT(graph->pull.ends),
            {sizeof(cl_mem), is_weighted ? &graph->pull.weights : &graph->pull.ends},
            GRAPH_ARGUMENT(distances),
            GRAPH_ARGUMENT(parents->vertex_of),
            GRAPH_ARGUMENT(parents->passes),
            GRAPH_ARGUMENT(parents->parents),
            GRAPH_ARGUMENT(parents->n_left)};
        code = graph_set(parents->kernel, 1, arguments, sizeof arguments / sizeof *arguments);
    }
    if (!code)
        code = reset(graph, parents, source);
    code = graph_agree(graph, call, code);
    if (!code)
        code = run_passes(graph, call, parents, is_weighted, words);
    if (!code)
        code = graph_results(graph, call, parents->parents, false, sizeof *words, out);
    for (uint64_t i = out && !code ? graph->n_results : 0; i-- > 0;) { /* to 8 bytes, from behind */
        uint32_t parent;
        memcpy(&parent, (char *)out + i * sizeof parent, sizeof parent);
        out[i] = parent == UINT32_MAX ? GRAVEL_GRAPH_NONE : parent;
    }
    free(words);
    return code;
}

void graph_parents_free(struct gravel_graph *graph, struct graph_parents *parents)
{
    if (parents->kernel)
        clReleaseKernel(parents->kernel);
    graph_release(graph, &parents->vertex_of);
    graph_release(graph, &parents->passes);
    graph_release(graph, &parents->parents);
    graph_release(graph, &parents->n_left);
    *parents = (struct graph_parents){0};
}
