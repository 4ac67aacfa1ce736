/* SPDX-License-Identifier: MIT */
/*
 * Finds parents from distances. See parents.cl for which.
 *
 * Path:    bfs.c, sssp.c -> this -> keep.c, parents.cl, results.c.
 * Owner:   what is kept is of one search's distances.
 * Threads: one at a time.
 */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char graph_parents_cl[];

/* Buffers that are kept. */
enum { VERTEX_OF, PASSES, PARENTS, N_LEFT };

static int make(struct gravel_graph *graph, struct graph_kept *kept, bool is_weighted,
                cl_mem distances)
{
    static const char *const functions[] = {"parents"};
    cl_mem *own = kept->buffers;
    char options[64];
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof(uint32_t);
    snprintf(options, sizeof options, "-DLANES=%u -DWEIGHT_%s", graph_lanes(graph),
             graph_weight_name(is_weighted ? graph->weight_type : 0));
    GRAPH_TRY(graph_need_pull(graph));
    GRAPH_TRY(graph_buffer(graph, &own[VERTEX_OF], graph->vertex_of, bytes));
    GRAPH_TRY(graph_buffer(graph, &own[PASSES], NULL, bytes));
    GRAPH_TRY(graph_buffer(graph, &own[PARENTS], NULL, bytes / graph->n_nodes));
    GRAPH_TRY(graph_buffer(graph, &own[N_LEFT], NULL, sizeof(cl_uint)));
    GRAPH_TRY(
        graph_keep_kernels(graph, kept, "parents.cl", graph_parents_cl, options, functions, 1));
    return GRAPH_SET(kept->kernels[0], 1, GRAPH_UINT(graph->n_own),
                     GRAPH_UINT(graph_first_slot(graph)), GRAPH_MEM(graph->pull.offsets),
                     GRAPH_MEM(graph->pull.ends),
                     GRAPH_MEM(is_weighted ? graph->pull.weights : graph->pull.ends),
                     GRAPH_MEM(distances), GRAPH_MEM(own[VERTEX_OF]), GRAPH_MEM(own[PASSES]),
                     GRAPH_MEM(own[PARENTS]), GRAPH_MEM(own[N_LEFT]));
}

/* Runs a pass. @param n_left  [out] own vertices that began it without a parent; pass 0 does not count */
static int run_pass(struct gravel_graph *graph, const struct graph_kept *kept, cl_uint pass,
                    uint64_t *n_left)
{
    cl_uint n = 0;
    GRAPH_TRY(graph_write(graph, kept->buffers[N_LEFT], 0, &n, sizeof n));
    GRAPH_TRY(GRAPH_SET(kept->kernels[0], 0, GRAPH_UINT(pass)));
    GRAPH_TRY(graph_launch(graph, kept->kernels[0], (uint64_t)graph->n_own * graph_lanes(graph), 0,
                           NULL));
    GRAPH_TRY(graph_read(graph, kept->buffers[N_LEFT], 0, &n, sizeof n));
    *n_left = n;
    return 0;
}

/* Passes until none is left: after the first one only where edges weigh nothing. Collective. */
static int run_passes(struct gravel_graph *graph, const char *call, const struct graph_kept *kept,
                      bool is_weighted, uint32_t *words)
{
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof *words;
    const cl_mem passes = kept->buffers[PASSES];
    uint64_t n_left = 0, before = UINT64_MAX;
    for (cl_uint pass = 0;; pass++) {
        GRAPH_TRY(graph_agree(graph, call, run_pass(graph, kept, pass, &n_left)));
        if (!is_weighted)
            return 0;
        if (pass > 0)
            GRAPH_TRY(graph_reduce(graph, GRAVEL_ADD, GRAVEL_ULONG, &n_left, 1));
        if (pass > 0 && !n_left)
            return 0;
        if (n_left == before)
            return graph_fail(GRAVEL_EKERNEL,
                              "%s: %llu vertices have a distance and no parent: the "
                              "device adds weights in two ways",
                              call, (unsigned long long)n_left);
        before = pass > 0 ? n_left : before;
        if (graph->n_nodes == 1)
            continue;
        /* Every node is to know which vertices have parents. */
        int code = graph_read(graph, passes, 0, words, bytes);
        code = graph_share(graph, call, code, words, sizeof *words);
        if (!code)
            code = graph_write(graph, passes, 0, words, bytes);
        GRAPH_TRY(graph_agree(graph, call, code));
    }
}

static int reset(struct gravel_graph *graph, const cl_mem *own, uint32_t source)
{
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof(uint32_t);
    const cl_uint first = 0, v = source - graph_first_slot(graph);
    GRAPH_TRY(graph_fill(graph, own[PASSES], UINT32_MAX, bytes));
    GRAPH_TRY(graph_fill(graph, own[PARENTS], UINT32_MAX, bytes / graph->n_nodes));
    GRAPH_TRY(graph_write(graph, own[PASSES], source * sizeof first, &first, sizeof first));
    return v >= graph->n_own ? 0
                             : graph_write(graph, own[PARENTS], v * sizeof v,
                                           &graph->vertex_of[source], sizeof v);
}

int graph_find_parents(struct gravel_graph *graph, const char *call, struct graph_kept *kept,
                       bool is_weighted, cl_mem distances, uint32_t source, uint64_t *out)
{
    const uint64_t words_bytes = graph->n_slots * sizeof(uint32_t);
    uint32_t is_wanted = out != NULL;
    GRAPH_TRY(graph_reduce(graph, GRAVEL_MAX, GRAVEL_UINT, &is_wanted, 1));
    if (!is_wanted)
        return 0;
    uint32_t *words = malloc(words_bytes);
    int code = words ? 0 : graph_fail_memory(call, words_bytes);
    if (!code && !kept->is_whole)
        code = graph_keep(graph, kept, make(graph, kept, is_weighted, distances));
    if (!code)
        code = reset(graph, kept->buffers, source);
    code = graph_agree(graph, call, code);
    if (!code)
        code = run_passes(graph, call, kept, is_weighted, words);
    if (!code)
        code = graph_results(graph, call, kept->buffers[PARENTS], false, sizeof *words, out);
    for (uint64_t i = out && !code ? graph->n_results : 0; i-- > 0;) { /* to 8 bytes, from behind */
        uint32_t parent;
        memcpy(&parent, (char *)out + i * sizeof parent, sizeof parent);
        out[i] = parent == UINT32_MAX ? GRAVEL_GRAPH_NONE : parent;
    }
    free(words);
    return code;
}
