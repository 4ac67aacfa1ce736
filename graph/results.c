/* SPDX-License-Identifier: MIT */
/*
 * Between the caller's vertices and the graph's slots, behind an algorithm and before it. See graph.h.
 *
 * Path:    bfs.c and its like -> this -> results.cl; exchange.c, gravel_reduce.
 * Owner:   the caller's arrays; graph->picker, made at the first results.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_ITEMS 256u /* a launch has a multiple of them, so that a driver finds groups */

extern const char graph_results_cl[];

int graph_slot(struct gravel_graph *graph, const char *call, uint64_t vertex, uint32_t *slot)
{
    const bool is_here = vertex >= graph->first && vertex - graph->first < graph->n_results;
    /* The least of each: the slot, the vertex, and the most that it is at any node. */
    uint64_t least[3] = {is_here ? graph->slot_of[vertex - graph->first] : GRAPH_NO_SLOT, vertex,
                         ~vertex};
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_MIN, GRAVEL_ULONG, least, 3));
    if (least[1] != ~least[2])
        return graph_fail(GRAVEL_EMISMATCH,
                          "%s: vertex is %" PRIu64 " at one node and %" PRIu64 " at another (the "
                          "same at every node)",
                          call, least[1], ~least[2]);
    if (vertex >= graph->n_vertices)
        return graph_fail(GRAVEL_EINVAL,
                          "%s: vertex %" PRIu64 " out of range (%" PRIu64 " vertices)", call,
                          vertex, graph->n_vertices);
    *slot = (uint32_t)least[0];
    return 0;
}

void graph_pick(const struct gravel_graph *graph, void *out, const void *words, uint32_t bytes)
{
    const uint32_t *slots = graph->slot_of;
    if (bytes == 4) {
#pragma omp parallel for if (graph->n_results > GRAPH_FEW)
        for (uint64_t i = 0; i < graph->n_results; i++)
            ((uint32_t *)out)[i] = ((const uint32_t *)words)[slots[i]];
    } else {
#pragma omp parallel for if (graph->n_results > GRAPH_FEW)
        for (uint64_t i = 0; i < graph->n_results; i++)
            ((uint64_t *)out)[i] = ((const uint64_t *)words)[slots[i]];
    }
}

/* Words of all slots, in blocks of nodes. */
struct blocks {
    const struct gravel_graph *graph;
    char *words;
    uint64_t bytes; /* of a block */
    bool is_real;   /* of sums */
};

static void take_words(void *context, uint32_t source, uint64_t at, const void *data,
                       uint64_t bytes)
{
    const struct blocks *blocks = context;
    if (source != blocks->graph->node)
        memcpy(blocks->words + source * blocks->bytes + at, data, bytes);
}

static void add_words(void *context, uint32_t source, uint64_t at, const void *data, uint64_t bytes)
{
    const struct blocks *blocks = context;
    char *own = blocks->words + blocks->graph->node * blocks->bytes + at;
    const uint64_t n = source == blocks->graph->node ? 0 : bytes / sizeof(uint64_t);
    if (blocks->is_real)
        for (uint64_t i = 0; i < n; i++)
            ((double *)own)[i] += ((const double *)data)[i];
    else
        for (uint64_t i = 0; i < n; i++)
            ((uint64_t *)own)[i] += ((const uint64_t *)data)[i];
}

/* Sends every node its block, or each the own one. Collective. */
static int exchange_blocks(struct gravel_graph *graph, struct blocks *blocks, bool is_own_sent,
                           graph_take *take)
{
    if (graph->n_nodes == 1)
        return 0;
    GRAPH_TRY(graph_exchange_open(graph, blocks->bytes));
    struct graph_sent *sent = calloc(graph->n_nodes, sizeof *sent);
    int code = sent ? 0 : graph_fail_memory("gravel_graph: results", graph->n_nodes * sizeof *sent);
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        sent[node] = (struct graph_sent){
            blocks->words + (is_own_sent ? graph->node : node) * blocks->bytes, blocks->bytes};
    code = graph_exchange(graph, code, blocks->bytes, sent, NULL, take, blocks);
    free(sent);
    code = graph_agree(graph, "gravel_graph", code);
    GRAPH_KEEP(code, graph_exchange_close(graph));
    return code;
}

int graph_share(struct gravel_graph *graph, void *words, uint32_t bytes)
{
    struct blocks blocks = {graph, words, (uint64_t)graph->block * bytes, false};
    return exchange_blocks(graph, &blocks, true, take_words);
}

int graph_add_up(struct gravel_graph *graph, void *words, bool is_real)
{
    struct blocks blocks = {graph, words, graph->block * UINT64_C(8), is_real};
    return exchange_blocks(graph, &blocks, false, add_words);
}

/* ---- results ----------------------------------------------------------------------------------- */

/* Makes the kernels, and room for results of 8 bytes. */
static int make_picker(struct gravel_graph *graph)
{
    static const char *const names[] = {"pick4", "pick8"};
    struct graph_picker *picker = &graph->picker;
    cl_program program;
    cl_int error = CL_SUCCESS;
    if (picker->picked)
        return 0;
    GRAPH_TRY(gravel_program_build(graph->gravel, "results.cl", graph_results_cl, "", &program));
    for (int i = 0; i < 2 && !error; i++)
        picker->kernels[i] = clCreateKernel(program, names[i], &error);
    clReleaseProgram(program);
    GRAPH_TRY(graph_check_cl("clCreateKernel", error, 0));
    GRAPH_TRY(graph_buffer(graph, &picker->slot_of, graph->slot_of,
                           graph->n_results * sizeof *graph->slot_of));
    return graph_buffer(graph, &picker->picked, NULL, graph->n_results * sizeof(cl_ulong));
}

/* Picks on the device, where the words of all slots are. */
static int pick(struct gravel_graph *graph, cl_mem words, uint32_t bytes, void *out)
{
    const uint64_t n = graph->n_results;
    const size_t n_items = (n + GROUP_ITEMS - 1) / GROUP_ITEMS * GROUP_ITEMS;
    if (!n)
        return 0;
    int code = make_picker(graph);
    if (code) {
        graph_picker_free(graph); /* the next results make it again */
        return code;
    }
    const struct graph_picker *picker = &graph->picker;
    const cl_kernel kernel = picker->kernels[bytes == 8];
    GRAPH_TRY(GRAPH_SET(kernel, 0, GRAPH_UINT(n), GRAPH_MEM(picker->slot_of), GRAPH_MEM(words),
                        GRAPH_MEM(picker->picked)));
    GRAPH_TRY(graph_check_cl(
        "clEnqueueNDRangeKernel",
        clEnqueueNDRangeKernel(graph->queue, kernel, 1, NULL, &n_items, NULL, 0, NULL, NULL), 0));
    return graph_read(graph, picker->picked, 0, out, n * bytes);
}

/* Picks at the host, where nodes have brought each other the words of their own slots. Collective. */
static int share_and_pick(struct gravel_graph *graph, const char *call, cl_mem own, uint32_t bytes,
                          void *out)
{
    const uint64_t words_bytes = (uint64_t)graph->n_slots * bytes;
    void *words = malloc(words_bytes);
    int code =
        words ? graph_read(graph, own, 0, (char *)words + (uint64_t)graph_first_slot(graph) * bytes,
                           (uint64_t)graph->n_own * bytes)
              : graph_fail_memory(call, words_bytes);
    code = graph_agree(graph, call, code);
    if (!code)
        code = graph_share(graph, words, bytes);
    if (!code && out)
        graph_pick(graph, out, words, bytes);
    free(words);
    return code;
}

int graph_results(struct gravel_graph *graph, const char *call, cl_mem words, bool is_whole,
                  uint32_t bytes, void *out)
{
    return is_whole || graph->n_nodes == 1
               ? graph_agree(graph, call, out ? pick(graph, words, bytes, out) : 0)
               : share_and_pick(graph, call, words, bytes, out);
}

void graph_picker_free(struct gravel_graph *graph)
{
    struct graph_picker *picker = &graph->picker;
    for (int i = 0; i < 2; i++)
        if (picker->kernels[i])
            clReleaseKernel(picker->kernels[i]);
    graph_release(graph, &picker->slot_of);
    graph_release(graph, &picker->picked);
    *picker = (struct graph_picker){0};
}
