/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search. See bfs.cl for how.
 *
 * Path:    gravel_graph_bfs, and gravel_graph_sssp without weights -> this -> bfs.cl; results.c, parents.c.
 * Owner:   graph->bfs, made at the first call.
 * Threads: one at a time.
 */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>

extern const char graph_bfs_cl[];

/* struct bfs_sizes of bfs.cl. */
struct sizes {
    cl_ulong total, fronts;
    cl_uint n_slots, n_words, first, n_pulled, n_hubs, most;
};

#define KNOWN_BYTES 64 /* struct bfs_known has fewer */

struct graph_bfs {
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    struct sizes size;
    cl_mem hubs, level, bits, sent, lists, known;
    struct graph_parents parents;
};

/* Finds the rows that a pull walks: up to the last one with edges; and the hubs. */
static int find_hubs(struct gravel_graph *graph, struct graph_bfs *bfs)
{
    const uint64_t bytes = (graph->n_own + UINT64_C(1)) * sizeof(uint32_t);
    uint32_t *offsets = malloc(2 * bytes), *hubs;
    if (!offsets)
        return graph_fail_memory("gravel_graph_bfs: rows", 2 * bytes);
    hubs = offsets + graph->n_own + 1;
    int code = graph_read(graph, graph->pull.offsets, 0, offsets, bytes);
    for (uint32_t own = 0; own < graph->n_own && !code; own++) {
        const uint32_t n = offsets[own + 1] - offsets[own];
        if (n > 0)
            bfs->size.n_pulled = own + 1;
        if (n > GRAPH_PIECE)
            hubs[bfs->size.n_hubs++] = own;
    }
    if (!code)
        code = graph_buffer(graph, &bfs->hubs, hubs, bfs->size.n_hubs * sizeof *hubs);
    free(offsets);
    return code;
}

/* Makes what needs no other node. */
static int make_arrays(struct gravel_graph *graph, struct graph_bfs *bfs)
{
    struct sizes *size = &bfs->size;
    const uint64_t words_bytes = graph->n_slots / 8, slots_bytes = graph->n_slots * UINT64_C(4);
    *size = (struct sizes){.n_slots = graph->n_slots,
                           .n_words = graph->n_slots / 32,
                           .first = graph_first_slot(graph),
                           .most = graph->n_slots + (cl_uint)(graph->n_edges / GRAPH_PIECE)};
    GRAPH_TRY(graph_need_push(graph));
    GRAPH_TRY(graph_need_pull(graph));
    GRAPH_TRY(find_hubs(graph, bfs));
    GRAPH_TRY(graph_buffer(graph, &bfs->level, NULL, slots_bytes));
    GRAPH_TRY(graph_buffer(graph, &bfs->bits, NULL, 2 * words_bytes));
    GRAPH_TRY(graph_buffer(graph, &bfs->sent, NULL, words_bytes / graph->n_nodes));
    GRAPH_TRY(graph_buffer(graph, &bfs->lists, NULL, 2 * sizeof(cl_uint2) * size->most));
    return graph_buffer(graph, &bfs->known, NULL, KNOWN_BYTES);
}

static int set_arguments(struct gravel_graph *graph, struct graph_bfs *bfs)
{
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(bfs->size),        GRAPH_ARGUMENT(graph->push.offsets),
        GRAPH_ARGUMENT(graph->push.ends), GRAPH_ARGUMENT(graph->pull.offsets),
        GRAPH_ARGUMENT(graph->pull.ends), GRAPH_ARGUMENT(bfs->hubs),
        GRAPH_ARGUMENT(bfs->level),       GRAPH_ARGUMENT(bfs->bits),
        GRAPH_ARGUMENT(bfs->sent),        GRAPH_ARGUMENT(bfs->lists),
        GRAPH_ARGUMENT(bfs->known)};
    GRAPH_TRY(gravel_rounds_kernel(bfs->rounds, &bfs->kernel));
    return graph_set(bfs->kernel, 3, arguments, sizeof arguments / sizeof *arguments);
}

/* Collective. */
static int prepare(struct gravel_graph *graph, const char *call)
{
    char options[64];
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "bfs.cl", .source = graph_bfs_cl, .options = options,
                              .function = "bfs");
    if (graph->bfs)
        return 0;
    struct graph_bfs *bfs = graph->bfs = calloc(1, sizeof *bfs);
    int code = bfs ? make_arrays(graph, bfs) : graph_fail_memory(call, sizeof *bfs);
    /* What is counted of a front: its vertices, and of their edges those that are at their own node. */
    uint64_t total = graph->n_own + graph->n_edges / graph->n_nodes;
    code = graph_agree(graph, call, code);
    if (!code && graph->n_nodes > 1) {
        code = gravel_reduce(graph->gravel, GRAVEL_ADD, GRAVEL_ULONG, &total, 1);
        if (!code)
            code = gravel_alloc_named(graph->gravel, "gravel_graph_bfs", 2 * graph->n_slots / 8,
                                      &bfs->size.fronts);
    }
    snprintf(options, sizeof options, "-DLANES=%u -DN_NODES=%u", graph_lanes(graph),
             graph->n_nodes);
    if (!code)
        code = gravel_rounds_create(&bfs->rounds, graph->gravel, &program);
    if (!code) {
        bfs->size.total = total;
        code = graph_agree(graph, call, set_arguments(graph, bfs));
    }
    if (code)
        graph_bfs_free(graph);
    return code;
}

int graph_find_levels(struct gravel_graph *graph, const char *call, uint64_t source,
                      uint32_t *levels, uint64_t *parents)
{
    cl_uint slot;
    GRAPH_TRY(graph_slot(graph, call, source, &slot));
    GRAPH_TRY(prepare(graph, call));
    struct graph_bfs *bfs = graph->bfs;
    const struct graph_value argument = GRAPH_ARGUMENT(slot);
    GRAPH_TRY(graph_agree(graph, call, graph_set(bfs->kernel, 2, &argument, 1)));
    GRAPH_TRY(gravel_rounds_run(bfs->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, NULL, 0));
    GRAPH_TRY(graph_results(graph, call, bfs->level, true, sizeof *levels, levels));
    return graph_find_parents(graph, call, &bfs->parents, false, bfs->level, slot, parents);
}

int gravel_graph_bfs(struct gravel_graph *graph, uint64_t source, uint32_t *levels,
                     uint64_t *parents)
{
    return graph ? graph_find_levels(graph, "gravel_graph_bfs", source, levels, parents)
                 : graph_fail(GRAVEL_EINVAL, "gravel_graph_bfs: graph is NULL");
}

void graph_bfs_free(struct gravel_graph *graph)
{
    struct graph_bfs *bfs = graph->bfs;
    if (!bfs)
        return;
    if (bfs->kernel)
        clReleaseKernel(bfs->kernel);
    gravel_rounds_destroy(bfs->rounds);
    if (bfs->size.fronts)
        gravel_free(graph->gravel, bfs->size.fronts);
    cl_mem *const buffers[] = {&bfs->hubs, &bfs->level, &bfs->bits,
                               &bfs->sent, &bfs->lists, &bfs->known};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    graph_parents_free(graph, &bfs->parents);
    free(bfs);
    graph->bfs = NULL;
}
