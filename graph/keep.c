/* SPDX-License-Identifier: MIT */
/*
 * What algorithms keep from call to call: made by the first, of a table of a kernel's arguments, and freed in one way.
 *
 * Path:    bfs.c and its like -> this -> device.c; gravel_rounds_create, gravel_program_build.
 * Owner:   each struct graph_kept is the graph's, which gravel_graph_destroy has freed.
 * Threads: one at a time.
 */
#include "graph.h"

#include <stdlib.h>

#define MOST_ROUNDS 256u /* of a run, behind which progress is reported */

int graph_keep_heap(struct gravel_graph *graph, const char *call, struct graph_kept *kept, int code,
                    uint64_t bytes)
{
    code = graph_agree(graph, call, code);
    return code || graph->n_nodes == 1
               ? code
               : gravel_alloc_named(graph->gravel, call, bytes, &kept->heap);
}

int graph_keep_mirror(struct gravel_graph *graph, const char *call, struct graph_kept *kept,
                      int code, uint64_t bytes, struct gravel_words words)
{
    uint64_t n = 0;
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        n += words.n_words[node];
    uint32_t *indices = code ? NULL : malloc((n + 1) * sizeof *indices), *next = indices;
    if (!code && !indices)
        code = graph_fail_memory(call, n * sizeof *indices);
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        for (uint32_t i = 0; i < words.n_words[node]; i++)
            *next++ = i;
    code = graph_keep_heap(graph, call, kept, code, bytes);
    words.offset = kept->heap;
    words.indices = indices;
    if (!code)
        code = gravel_mirror_create(&kept->mirror, graph->gravel, &words);
    free(indices);
    return code;
}

int graph_keep_rounds(struct gravel_graph *graph, const char *call, struct graph_kept *kept,
                      int code, const struct gravel_rounds_program *program, cl_uint first,
                      const struct graph_value *values, size_t n)
{
    uint64_t bytes = 0; /* of all, before one is made */
    for (size_t i = 0; i < n; i++)
        bytes += values[i].made ? values[i].bytes : 0;
    if (!code)
        code = graph_check_room(graph, call, bytes);
    for (size_t i = 0; i < n && !code; i++)
        if (values[i].made)
            code = graph_buffer(graph, values[i].made, values[i].value, values[i].bytes);
    code = graph_agree(graph, call, code);
    if (!code)
        code = gravel_rounds_create(&kept->rounds, graph->gravel, program);
    if (!code) {
        code = gravel_rounds_kernel(kept->rounds, &kept->kernels[0]);
        if (!code)
            code = graph_set(kept->kernels[0], first, values, n);
        code = graph_agree(graph, call, code);
    }
    return graph_keep(graph, kept, code);
}

int graph_keep_kernels(struct gravel_graph *graph, struct graph_kept *kept, const char *name,
                       const char *source, const char *options, const char *const *functions,
                       size_t n)
{
    cl_program program;
    cl_int error = CL_SUCCESS;
    GRAPH_TRY(gravel_program_build(graph->gravel, name, source, options, &program));
    for (size_t i = 0; i < n && !error; i++)
        kept->kernels[i] = clCreateKernel(program, functions[i], &error);
    clReleaseProgram(program);
    return graph_check_cl("clCreateKernel", error, 0);
}

int graph_keep(struct gravel_graph *graph, struct graph_kept *kept, int code)
{
    if (code)
        graph_kept_free(graph, kept);
    kept->is_whole = !code;
    return code;
}

int graph_run(struct gravel_graph *graph, const char *call, const struct graph_kept *kept, int code)
{
    struct gravel_rounds_ended ended;
    uint64_t n = 0;
    do { /* one run, if no node asks how far it is */
        const uint64_t few = n < 1 ? 1 : n < MOST_ROUNDS ? n : MOST_ROUNDS;
        code = graph_progress(graph, call, code, n, 0);
        GRAPH_TRY(graph_agree(graph, call, code));
        GRAPH_TRY(gravel_rounds_run(kept->rounds,
                                    n ? GRAVEL_UNTIL_ZERO | GRAVEL_CONTINUES : GRAVEL_UNTIL_ZERO,
                                    graph->is_watched ? few : UINT64_MAX, &ended, sizeof ended));
        n += ended.n_rounds;
    } while (ended.sum);
    return 0;
}

void graph_kept_free(struct gravel_graph *graph, struct graph_kept *kept)
{
    for (size_t i = 0; i < GRAPH_N(kept->kernels); i++)
        if (kept->kernels[i])
            clReleaseKernel(kept->kernels[i]);
    gravel_rounds_destroy(kept->rounds);
    gravel_mirror_destroy(kept->mirror);
    if (kept->heap)
        gravel_free(graph->gravel, kept->heap);
    for (size_t i = 0; i < GRAPH_N(kept->buffers); i++)
        graph_release(graph, &kept->buffers[i]);
    for (size_t i = 0; i < GRAPH_N(kept->rows); i++)
        graph_rows_free(graph, &kept->rows[i]);
    for (size_t i = 0; i < GRAPH_N(kept->memory); i++)
        free(kept->memory[i]);
    *kept = (struct graph_kept){0};
}
