/* SPDX-License-Identifier: MIT */
/*
 * Between the caller's vertices and the graph's slots, behind an algorithm and before it. See graph.h.
 *
 * Path:    bfs.c and its like -> this -> keep.c, results.cl; exchange.c, gravel_reduce.
 * Owner:   the caller's arrays; graph->results, made at the first results.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_SHARE 8u                  /* of the heap, for all pieces */
#define MOST_PIECE (UINT64_C(4) << 20) /* [words] of all other nodes */
#define LEAST_PIECE 64u

/* Kernels and buffers that are kept; of several nodes a mirror of pieces of n words, which the heap memory is of, and WHOLE,
 * [n_slots] of 8 bytes, where one does not have the words of all. */
enum { PICK4, PICK8, SHOW, SEE, N_KERNELS };
enum { SLOT_OF, PICKED, WHOLE };

extern const char graph_results_cl[];

int graph_slot(struct gravel_graph *graph, const char *call, uint64_t vertex, uint32_t *slot)
{
    const bool is_here = vertex >= graph->first && vertex - graph->first < graph->n_results;
    /* The least of each: the slot, the vertex, and the most that it is at any node. */
    uint64_t least[3] = {is_here ? graph->slot_of[vertex - graph->first] : GRAPH_NO_SLOT, vertex,
                         ~vertex};
    GRAPH_TRY(graph_reduce(graph, GRAVEL_MIN, GRAVEL_ULONG, least, 3));
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

void graph_pick(const struct gravel_graph *graph, void *out, const void *words)
{
#pragma omp parallel for num_threads(graph_threads(graph, graph->n_results))
    for (uint64_t i = 0; i < graph->n_results; i++)
        ((uint64_t *)out)[i] = ((const uint64_t *)words)[graph->slot_of[i]];
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
        memcpy(blocks->words + at, data, bytes);
}

static void add_words(void *context, uint32_t source, uint64_t at, const void *data, uint64_t bytes)
{
    const struct blocks *blocks = context;
    char *own = blocks->words + blocks->graph->node * blocks->bytes + at % blocks->bytes;
    const uint64_t n = source == blocks->graph->node ? 0 : bytes / sizeof(uint64_t);
    if (blocks->is_real)
        for (uint64_t i = 0; i < n; i++)
            ((double *)own)[i] += ((const double *)data)[i];
    else
        for (uint64_t i = 0; i < n; i++)
            ((uint64_t *)own)[i] += ((const uint64_t *)data)[i];
}

int graph_share_blocks(struct gravel_graph *graph, int code, void *words, uint64_t block_bytes)
{
    struct blocks blocks = {graph, words, block_bytes, false};
    return graph->n_nodes == 1 ? code
                               : graph_exchange_once(graph, code, block_bytes,
                                                     blocks.words + graph->node * block_bytes, 0,
                                                     block_bytes, NULL, take_words, &blocks);
}

int graph_share(struct gravel_graph *graph, const char *call, int code, void *words, uint32_t bytes)
{
    code = graph_share_blocks(graph, code, words, (uint64_t)graph->block * bytes);
    return graph_agree(graph, call, code);
}

int graph_add_up(struct gravel_graph *graph, void *words, bool is_real)
{
    struct blocks blocks = {graph, words, graph->block * UINT64_C(8), is_real};
    if (graph->n_nodes == 1)
        return 0;
    return graph_agree(graph, "gravel_graph",
                       graph_exchange_once(graph, 0, blocks.bytes, words, blocks.bytes,
                                           blocks.bytes, NULL, add_words, &blocks));
}

/* ---- results ----------------------------------------------------------------------------------- */

/* Makes the kernels, and room for results of 8 bytes. */
static int make(struct gravel_graph *graph, struct graph_kept *kept)
{
    static const char *const functions[] = {"pick4", "pick8", "show", "see"};
    const bool has_others = graph->n_nodes > 1;
    GRAPH_TRY(graph_keep_kernels(graph, kept, "results.cl", graph_results_cl,
                                 has_others ? "-DSEVERAL_NODES" : "", functions,
                                 has_others ? N_KERNELS : SHOW));
    if (has_others) {
        GRAPH_TRY(gravel_kernel_set_arena(graph->gravel, kept->kernels[SHOW], 6));
        GRAPH_TRY(gravel_kernel_set_arena(graph->gravel, kept->kernels[SEE], 8));
    }
    GRAPH_TRY(graph_buffer(graph, &kept->buffers[SLOT_OF], graph->slot_of,
                           graph->n_results * sizeof *graph->slot_of));
    return graph_buffer(graph, &kept->buffers[PICKED], NULL, graph->n_results * sizeof(cl_ulong));
}

/* Makes what is kept, if it is not there. */
static int prepare(struct gravel_graph *graph)
{
    struct graph_kept *kept = &graph->results;
    return kept->is_whole ? 0 : graph_keep(graph, kept, make(graph, kept));
}

/* Picks on the device, where the words of all slots are. */
static int pick(struct gravel_graph *graph, cl_mem words, uint32_t bytes, void *out)
{
    const struct graph_kept *kept = &graph->results;
    const uint64_t n = graph->n_results;
    if (!n)
        return 0;
    GRAPH_TRY(prepare(graph));
    const cl_kernel kernel = kept->kernels[bytes == 8 ? PICK8 : PICK4];
    GRAPH_TRY(GRAPH_SET(kernel, 0, GRAPH_UINT(n), GRAPH_ARGUMENT(kept->buffers[SLOT_OF]),
                        GRAPH_MEM(words), GRAPH_ARGUMENT(kept->buffers[PICKED])));
    GRAPH_TRY(graph_launch(graph, kernel, n, 0, NULL));
    return graph_read(graph, kept->buffers[PICKED], 0, out, n * bytes);
}

/* Makes a mirror of a piece of every other node's words. Collective. */
static int make_mirror(struct gravel_graph *graph)
{
    struct graph_kept *kept = &graph->results;
    const uint64_t n_others = graph->n_nodes - 1, all = 2 * (uint64_t)graph->block,
                   share = gravel_config_of(graph->gravel)->heap_bytes / HEAP_SHARE /
                           sizeof(uint32_t) / (1 + 3 * n_others), /* 2 copies, and what is given */
        most = share < MOST_PIECE / n_others ? share : MOST_PIECE / n_others,
                   piece = most > all           ? all
                           : most > LEAST_PIECE ? most
                                                : LEAST_PIECE;
    uint64_t *n_words = calloc(graph->n_nodes, sizeof *n_words);
    int code = n_words ? 0 : graph_fail_memory("gravel_graph: results", 8 * graph->n_nodes);
    for (uint32_t node = 0; node < graph->n_nodes && !code; node++)
        n_words[node] = node == graph->node ? 0 : piece;
    if (!code)
        code = graph_buffer(graph, &kept->buffers[WHOLE], NULL, graph->n_slots * sizeof(cl_ulong));
    const struct gravel_words words = GRAVEL_WORDS(.type = GRAVEL_UINT, .n_words = n_words);
    code = graph_keep_mirror(graph, "gravel_graph", kept, code, piece * sizeof(uint32_t), words);
    kept->n = (uint32_t)piece;
    free(n_words);
    return code;
}

/* Shows the other nodes a piece of own words, and sees theirs. Collective. @param block  [words] of a node */
static int share_piece(struct gravel_graph *graph, int code, cl_mem own, uint64_t n_own,
                       uint64_t block, uint64_t first)
{
    const struct graph_kept *kept = &graph->results;
    const uint64_t piece = kept->n, n_copies = (graph->n_nodes - 1) * piece,
                   left = first < n_own ? n_own - first : 0, n_shown = left < piece ? left : piece,
                   n_seen = block - first < piece ? block - first : piece;
    if (!code)
        code = GRAPH_SET(kept->kernels[SHOW], 0, GRAPH_UINT(first), GRAPH_UINT(n_shown),
                         GRAPH_MEM(own), GRAPH_ULONG(graph->node * block),
                         GRAPH_ARGUMENT(kept->buffers[WHOLE]), GRAPH_ULONG(kept->heap));
    if (!code)
        code = graph_launch(graph, kept->kernels[SHOW], n_shown, 0, NULL);
    if (!code)
        code = graph_check_cl("clFinish", clFinish(graph->queue), 0); /* before it travels */
    GRAPH_KEEP(code, gravel_mirror_begin(kept->mirror));
    GRAPH_KEEP(code, gravel_mirror_end(kept->mirror));
    if (!code)
        code = GRAPH_SET(kept->kernels[SEE], 0, GRAPH_UINT(first), GRAPH_UINT(n_seen),
                         GRAPH_UINT(piece), GRAPH_UINT(n_copies), GRAPH_UINT(graph->node),
                         GRAPH_ULONG(block), GRAPH_ARGUMENT(kept->buffers[WHOLE]),
                         GRAPH_ULONG(gravel_mirror_offset(kept->mirror)));
    return code ? code : graph_launch(graph, kept->kernels[SEE], n_copies, 0, NULL);
}

/* Makes the words of all slots from every node's own ones, in `whole`. Collective. */
static int share_words(struct gravel_graph *graph, const char *call, cl_mem own, uint32_t bytes)
{
    struct graph_kept *kept = &graph->results;
    const uint64_t per_slot = bytes / sizeof(uint32_t), block = graph->block * per_slot;
    int code = graph_agree(graph, call, prepare(graph));
    if (!code && !kept->mirror)
        code = make_mirror(graph);
    if (code)
        return graph_keep(graph, kept, code);
    for (uint64_t first = 0; first < block; first += kept->n)
        code = share_piece(graph, code, own, graph->n_own * per_slot, block, first);
    return code;
}

int graph_results(struct gravel_graph *graph, const char *call, cl_mem words, bool is_whole,
                  uint32_t bytes, void *out)
{
    const bool is_shared = !is_whole && graph->n_nodes > 1;
    int code = is_shared ? share_words(graph, call, words, bytes) : 0;
    if (!code && out)
        code = pick(graph, is_shared ? graph->results.buffers[WHOLE] : words, bytes, out);
    return graph_agree(graph, call, code);
}
