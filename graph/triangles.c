/* SPDX-License-Identifier: MIT */
/*
 * Triangles. Every node has the edges of the whole graph, each once, and counts those of its share of them; what all
 * have found is added up at the owners of the slots. See triangles.cl.
 *
 * Path:    gravel_graph_triangles -> this -> collect.c, rows.c, triangles.cl; results.c.
 * Owner:   the graph keeps struct graph_triangles from the first call on.
 * Threads: one at a time.
 */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK 16u        /* as triangles.cl has it */
#define GROUP_ITEMS 256u /* a launch has a multiple of them */

static const char call[] = "gravel_graph_triangles";

extern const char graph_triangles_cl[];

struct graph_triangles {
    struct graph_rows rows; /* ends of slots: those before them in order of degree */
    uint32_t n_edges;
    cl_kernel count, add;
    cl_mem found, counts;
};

/* ---- what is made at the first call ------------------------------------------------------------ */

static int make_kernels(struct gravel_graph *graph, struct graph_triangles *own)
{
    char options[32];
    cl_program program;
    cl_int errors[2];
    snprintf(options, sizeof options, "-DLANES=%u", graph_lanes(graph));
    GRAPH_TRY(
        gravel_program_build(graph->gravel, "triangles.cl", graph_triangles_cl, options, &program));
    own->count = clCreateKernel(program, "count", &errors[0]);
    own->add = clCreateKernel(program, "add", &errors[1]);
    clReleaseProgram(program);
    GRAPH_TRY(graph_check_cl("clCreateKernel", errors[0] ? errors[0] : errors[1], 0));
    GRAPH_TRY(GRAPH_SET(own->count, 0, GRAPH_UINT(own->n_edges), GRAPH_UINT(graph->n_slots),
                        GRAPH_UINT(graph->node), GRAPH_UINT(graph->n_nodes),
                        GRAPH_MEM(own->rows.offsets), GRAPH_MEM(own->rows.ends),
                        GRAPH_MEM(own->found)));
    return GRAPH_SET(own->add, 0, GRAPH_UINT(own->n_edges), GRAPH_UINT(graph->n_slots),
                     GRAPH_MEM(own->rows.offsets), GRAPH_MEM(own->rows.ends), GRAPH_MEM(own->found),
                     GRAPH_MEM(own->counts));
}

/* Makes what needs no other node, of the edges of all nodes. */
static int make_own(struct gravel_graph *graph, struct graph_triangles *own,
                    const struct graph_columns *edges)
{
    const uint32_t n = graph->n_slots;
    GRAPH_TRY(graph_rows_make(graph, &own->rows, edges, own->n_edges, n, n));
    GRAPH_TRY(graph_buffer(graph, &own->found, NULL, own->n_edges * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &own->counts, NULL, n * sizeof(uint64_t)));
    return make_kernels(graph, own);
}

/* Collective. */
static int make(struct gravel_graph *graph)
{
    struct graph_triangles *own = graph->triangles = calloc(1, sizeof *own);
    struct graph_columns edges = {0};
    uint64_t n = 0;
    int code = graph_agree(graph, call, own ? 0 : graph_fail_memory(call, sizeof *own));
    if (!code) {
        code = graph_collect(graph, call, true, &edges, &n);
        own->n_edges = (uint32_t)n;
        if (!code)
            code = make_own(graph, own, &edges);
        code = graph_agree(graph, call, code);
    }
    graph_columns_free(&edges);
    if (code)
        graph_triangles_free(graph);
    return code;
}

void graph_triangles_free(struct gravel_graph *graph)
{
    struct graph_triangles *own = graph->triangles;
    if (!own)
        return;
    if (own->count)
        clReleaseKernel(own->count);
    if (own->add)
        clReleaseKernel(own->add);
    graph_rows_free(graph, &own->rows);
    graph_release(graph, &own->found);
    graph_release(graph, &own->counts);
    free(own);
    graph->triangles = NULL;
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Launches a kernel with at least n work-items. */
static int launch(const struct gravel_graph *graph, cl_kernel kernel, uint64_t n)
{
    const size_t n_items = (n + GROUP_ITEMS - 1) / GROUP_ITEMS * GROUP_ITEMS;
    return n ? graph_check_cl("clEnqueueNDRangeKernel",
                              clEnqueueNDRangeKernel(graph->queue, kernel, 1, NULL, &n_items, NULL,
                                                     0, NULL, NULL),
                              0)
             : 0;
}

/* Counts twice the triangles of each slot that this node's share of the edges has. @param counts  [out] [n_slots] */
static int count(struct gravel_graph *graph, uint64_t *counts)
{
    const struct graph_triangles *own = graph->triangles;
    const uint64_t n_chunks = ((uint64_t)own->n_edges + CHUNK - 1) / CHUNK,
                   n_share = (n_chunks + graph->n_nodes - 1) / graph->n_nodes,
                   bytes = graph->n_slots * sizeof *counts;
    GRAPH_TRY(graph_fill(graph, own->found, 0, own->n_edges * sizeof(uint32_t)));
    GRAPH_TRY(graph_fill(graph, own->counts, 0, bytes));
    GRAPH_TRY(launch(graph, own->count, n_share * graph_lanes(graph)));
    GRAPH_TRY(launch(graph, own->add, n_chunks));
    return graph_read(graph, own->counts, 0, counts, bytes);
}

int gravel_graph_triangles(struct gravel_graph *graph, uint64_t *triangles, uint64_t *total)
{
    uint64_t *counts = NULL, n = 0;
    int code = 0;
    if (!graph)
        return graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
    if (!graph->is_undirected)
        return graph_fail(GRAVEL_EINVAL, "%s: the graph is directed (undirected ones allowed)",
                          call);
    if (!graph->triangles)
        GRAPH_TRY(make(graph));
    counts = malloc(graph->n_slots * sizeof *counts);
    code = counts ? count(graph, counts) : graph_fail_memory(call, graph->n_slots * sizeof *counts);
    code = graph_agree(graph, call, code);
    if (!code)
        code = graph_add_up(graph, counts, false);
    if (!code)
        code = graph_share(graph, counts, sizeof *counts);
    for (uint32_t slot = 0; slot < graph->n_slots && !code; slot++) {
        counts[slot] /= 2;
        n += counts[slot];
    }
    if (!code && triangles)
        graph_pick(graph, triangles, counts, sizeof *counts);
    if (!code && total)
        *total = n / 3;
    free(counts);
    return code;
}
