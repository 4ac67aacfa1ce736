/* SPDX-License-Identifier: MIT */
/*
 * What PageRank keeps from call to call: rows cut in strips, kernels, buffers of ranks, and with several nodes a mirror of
 * the words that own edges come from.
 *
 * Path:    pagerank.c -> this -> strips.c, keep.c.
 * Owner:   graph->pagerank.
 * Threads: one at a time.
 */
#include "pagerank.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_GROUP_ITEMS 256u
#define WARP 32u        /* lanes of a team on a GPU */
#define APPLY_ARENA 20u /* its argument, the last one */

extern const char graph_pagerank_cl[];

static const char call[] = "gravel_graph_pagerank";

/* ---- kernels --------------------------------------------------------------------------------- */

static int build(struct gravel_graph *graph)
{
    static const char *const names[] = {"interleave", "pull", "join", "apply", "total", "take"};
    static const char *const weights[] = {[GRAVEL_UINT] = "-DWEIGHTS=uint",
                                          [GRAVEL_FLOAT] = "-DWEIGHTS=float",
                                          [GRAVEL_DOUBLE] = "-DWEIGHTS=double"};
    struct graph_pagerank *own = graph->pagerank;
    const char *type = own->is_double ? "double" : "float";
    char options[256];
    snprintf(options, sizeof options, "-DT=%s -DT2=%s2 -DT4=%s4 -DGROUP=%u -DLANES=%u %s %s", type,
             type, type, own->group_items, own->strips[0].lanes,
             graph->weight_type ? weights[graph->weight_type] : "",
             graph->n_nodes > 1 ? "-DSEVERAL_NODES" : "");
    GRAPH_TRY(graph_keep_kernels(graph, &own->kept, "pagerank.cl", graph_pagerank_cl, options,
                                 names, graph->n_nodes > 1 ? N_KERNELS : TAKE));
    if (graph->n_nodes == 1)
        return 0;
    GRAPH_TRY(gravel_kernel_set_arena(graph->gravel, own->kept.kernels[APPLY], APPLY_ARENA));
    return gravel_kernel_set_arena(graph->gravel, own->kept.kernels[TAKE], 0);
}

/* Interleaves the columns of a part's slices. */
static int interleave(struct gravel_graph *graph, struct graph_strips *strips)
{
    GRAPH_TRY(GRAPH_SET(graph->pagerank->kept.kernels[INTERLEAVE], 0, GRAPH_UINT(strips->n_slices),
                        GRAPH_UINT(strips->n_short), GRAPH_UINT(graph->n_slots),
                        GRAPH_MEM(strips->rows), GRAPH_MEM(graph->pull.ends),
                        GRAPH_MEM(graph->pull.weights), GRAPH_MEM(strips->slices),
                        GRAPH_MEM(strips->columns), GRAPH_MEM(strips->column_weights)));
    GRAPH_TRY(graph_pull_run(graph, INTERLEAVE, (uint64_t)strips->n_slices * strips->lanes, NULL));
    GRAPH_TRY(graph_check_cl("clFinish", clFinish(graph->queue), 0));
    graph_release(graph, &strips->rows); /* not needed any more */
    return 0;
}

/* ---- make and free --------------------------------------------------------------------------- */

static int make_zeros(struct gravel_graph *graph, cl_mem *out, uint64_t bytes)
{
    GRAPH_TRY(graph_buffer(graph, out, NULL, bytes));
    return graph_fill(graph, *out, 0, bytes);
}

int graph_pull_reals(struct gravel_graph *graph, cl_mem *out, const double *values)
{
    const uint32_t n = graph->n_own;
    if (graph->pagerank->is_double)
        return graph_buffer(graph, out, values, n * sizeof *values);
    float *floats = malloc((n + UINT64_C(1)) * sizeof *floats);
    if (!floats)
        return graph_fail_memory(call, n * sizeof *floats);
    for (uint32_t i = 0; i < n; i++)
        floats[i] = (float)values[i];
    const int code = graph_buffer(graph, out, floats, n * sizeof *floats);
    free(floats);
    return code;
}

/* Divides each row by the nodes of its sources, which ascend. @param rows  [out] [N_PARTS][n_own] */
static void divide(const struct gravel_graph *graph, const uint32_t *offsets, cl_uint2 *rows)
{
    const uint32_t n = graph->n_own, first = graph_first_slot(graph);
    cl_uint2 *here = rows, *lower = rows + n, *higher = rows + 2 * (uint64_t)n;
    for (uint64_t edge = 0; edge < graph->n_edges; edge++) {
        lower[graph->to[edge]].s[1] += graph->from[edge] < first;
        here[graph->to[edge]].s[1] += graph->from[edge] / graph->block == graph->node;
    }
    for (uint32_t v = 0; v < n; v++) {
        lower[v].s[0] = offsets[v];
        here[v].s[0] = lower[v].s[1] += offsets[v];
        higher[v].s[0] = here[v].s[1] += here[v].s[0];
        higher[v].s[1] = offsets[v + 1];
    }
}

/* Makes strips of all parts. */
static int make_strips(struct gravel_graph *graph, uint32_t lanes)
{
    struct graph_pagerank *own = graph->pagerank;
    const uint64_t n = graph->n_own;
    uint32_t *offsets = calloc(n + 1, sizeof *offsets);
    cl_uint2 *rows = calloc(own->n_parts * n + 1, sizeof *rows);
    int code = offsets && rows ? graph_need_pull(graph) : graph_fail_memory(call, 32 * n);
    if (!code)
        code = graph_read(graph, graph->pull.offsets, 0, offsets, (n + 1) * sizeof *offsets);
    for (uint64_t v = 0; v < n && !code && own->n_parts == 1; v++)
        rows[v] = (cl_uint2){{offsets[v], offsets[v + 1]}};
    if (!code && own->n_parts > 1)
        divide(graph, offsets, rows);
    for (uint32_t part = 0; part < own->n_parts && !code; part++)
        code = graph_strips_make(&own->strips[part], graph, lanes, rows + part * n);
    free(offsets);
    free(rows);
    return code;
}

/* Makes what this node needs for itself. */
static int make_own(struct gravel_graph *graph, bool is_double, const double *shares)
{
    struct graph_pagerank *own = graph->pagerank = calloc(1, sizeof *own);
    const uint64_t bytes = is_double ? sizeof(double) : sizeof(float), n = graph->n_own;
    cl_device_type type = 0;
    size_t most_items = 0;
    cl_int error;
    if (!own)
        return graph_fail_memory(call, sizeof *own);
    *own = (struct graph_pagerank){.is_double = is_double,
                                   .bytes = bytes,
                                   .n_parts = graph->n_nodes > 1 ? N_PARTS : 1,
                                   .group_items = MOST_GROUP_ITEMS};
    clGetDeviceInfo(graph->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(graph->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most_items, &most_items,
                    NULL);
    while (own->group_items > most_items && own->group_items > WARP)
        own->group_items /= 2;
    own->reader = clCreateCommandQueueWithProperties(graph->context, graph->device, NULL, &error);
    GRAPH_TRY(graph_check_cl("clCreateCommandQueueWithProperties", error, 0));
    GRAPH_TRY(make_strips(graph, type & CL_DEVICE_TYPE_CPU ? 1 : WARP));
    for (int i = 0; i < 2; i++) {
        GRAPH_TRY(make_zeros(graph, &own->given[i], (graph->n_slots + UINT64_C(1)) * bytes));
        GRAPH_TRY(make_zeros(graph, &own->ranks[i], n * bytes));
    }
    GRAPH_TRY(make_zeros(graph, &own->partial, (n / own->group_items + 1) * 2 * bytes));
    GRAPH_TRY(make_zeros(graph, &own->known, N_KNOWN * 2 * bytes));
    GRAPH_TRY(graph_pull_reals(graph, &own->shares, shares));
    GRAPH_TRY(build(graph));
    for (uint32_t part = 0; part < own->n_parts; part++) {
        struct graph_strips *strips = &own->strips[part];
        GRAPH_TRY(make_zeros(graph, &own->sums[part], (strips->n_cut + n + WARP) * bytes));
        GRAPH_TRY(interleave(graph, strips));
    }
    return 0;
}

/* Lists words of other nodes: of each the first ones, to the last that an own edge comes from. */
static uint32_t list_words(const struct gravel_graph *graph, uint64_t *n_words, uint32_t *slots)
{
    uint32_t n = 0;
    for (uint64_t edge = 0; edge < graph->n_edges; edge++) {
        const uint32_t node = graph->from[edge] / graph->block,
                       index = graph->from[edge] - node * graph->block;
        if (node != graph->node && index >= n_words[node])
            n_words[node] = index + UINT64_C(1);
    }
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        for (uint32_t i = 0; i < n_words[node]; i++)
            slots[n++] = node * graph->block + i;
    return n;
}

/* Collective. */
static int make_mirror(struct gravel_graph *graph)
{
    struct graph_pagerank *own = graph->pagerank;
    const uint64_t n_slots = graph->n_slots;
    uint64_t *n_words = calloc(graph->n_nodes, sizeof *n_words);
    uint32_t *slots = malloc(n_slots * sizeof *slots);
    int code = n_words && slots ? 0 : graph_fail_memory(call, 4 * n_slots);
    if (!code) {
        own->n_copied = list_words(graph, n_words, slots);
        code = graph_buffer(graph, &own->copied, slots, own->n_copied * sizeof *slots);
    }
    const struct gravel_words words =
        GRAVEL_WORDS(.type = own->is_double ? GRAVEL_DOUBLE : GRAVEL_FLOAT, .n_words = n_words);
    code = graph_keep_mirror(graph, call, &own->kept, code, graph->block * own->bytes, words);
    free(n_words);
    free(slots);
    return code;
}

int graph_pull_make(struct gravel_graph *graph, bool is_double, const double *shares)
{
    GRAPH_TRY(graph_agree(graph, call, make_own(graph, is_double, shares)));
    return graph->n_nodes > 1 ? make_mirror(graph) : 0;
}

void graph_pagerank_free(struct gravel_graph *graph)
{
    struct graph_pagerank *own = graph->pagerank;
    if (!own)
        return;
    cl_mem *buffers[] = {&own->given[0], &own->given[1], &own->ranks[0], &own->ranks[1],
                         &own->sums[0],  &own->sums[1],  &own->sums[2],  &own->shares,
                         &own->partial,  &own->known,    &own->copied,   &own->wishes};
    clFinish(graph->queue);
    graph_kept_free(graph, &own->kept);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    for (uint32_t part = 0; part < N_PARTS; part++)
        graph_strips_free(&own->strips[part], graph);
    for (uint32_t i = 0; i < N_KNOWN; i++)
        if (own->done[i])
            clReleaseEvent(own->done[i]);
    if (own->reader)
        clReleaseCommandQueue(own->reader);
    free(own);
    graph->pagerank = NULL;
}
