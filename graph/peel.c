/* SPDX-License-Identifier: MIT */
/*
 * Colours, and core numbers: both peel vertices off the graph in rounds. See peel.cl for how. Of several nodes, and of a
 * GPU, the host colours the hubs first: the first vertices, most of which know each other, so that rounds would colour
 * them nearly one by one. Each node colours all of them, and gives its own to the device.
 *
 * Path:    gravel_graph_color, gravel_graph_core_numbers -> this -> keep.c, peel.cl; results.c.
 * Owner:   graph->colors and graph->cores, made by the first call of each.
 * Threads: one at a time; and those of OpenMP.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const char graph_peel_cl[];

/* struct peel_sizes of peel.cl. */
struct sizes {
    cl_ulong come, marks;
    cl_uint n_slots, n_own, first, most, n_hubs;
};

#define KNOWN_BYTES 64 /* struct peel_known has fewer */
#define SPARE_WORDS 8u /* behind the marks of the last vertex */
#define HUBS 2048u     /* of a node alone; several have more, whose rounds take ten times as long */
#define MOST_HUBS 8192u

/* Buffers that are kept; and of n hubs memory: rows of those before each, [n + 2] offsets, ranks. */
enum { FIRSTS, COUNTS, STARTS, IS_WANTED, LEFT, TAKEN, VALUES, SEEN, MARKED, LISTS, KNOWN };
enum { HUB_OFFSETS, HUB_ENDS };

/* ---- what is made at the first call ------------------------------------------------------------ */

/* What edges come to; zeroed before. */
struct tally {
    uint32_t *counts;    /* [n_own] edges that a vertex's count is of at first */
    uint32_t *is_wanted; /* [n_own] whether a vertex lowers counts at other nodes */
    uint32_t *firsts;    /* [n_slots] edges, the last of each row, along which counts are lowered;
                            then the first of them */
    uint32_t *starts;    /* [n_slots + 1] offsets of rows; then [n_own + 1] words of marks */
};

/* Counts edges. @return  the least vertex that has a loop, or UINT32_MAX */
static uint32_t count_edges(const struct gravel_graph *graph, bool is_coloring,
                            const struct tally *tally)
{
    const uint32_t first = graph_first_slot(graph);
    uint32_t loop = UINT32_MAX;
#pragma omp parallel for reduction(min : loop) num_threads(graph_threads(graph, graph->n_edges))
    for (uint64_t i = 0; i < graph->n_edges; i++) {
        const uint32_t from = graph->from[i], to = graph->to[i], slot = first + to;
        const uint64_t before = graph_rank(graph, from), rank = graph_rank(graph, slot);
        if (from == slot)
            loop = graph->vertex_of[slot] < loop ? graph->vertex_of[slot] : loop;
        if (is_coloring ? before < rank : from != slot) {
#pragma omp atomic
            tally->counts[to]++;
#pragma omp atomic
            tally->firsts[from]++;
        }
        if (from / graph->block != graph->node && (!is_coloring || rank < before)) {
#pragma omp atomic write
            tally->is_wanted[to] = 1;
        }
    }
    return loop;
}

/* Makes of edges what rounds only read. */
static int tally_edges(struct gravel_graph *graph, const char *call, bool is_coloring,
                       const struct tally *tally)
{
    const uint32_t loop = count_edges(graph, is_coloring, tally);
    uint32_t *offsets = tally->starts, *starts = tally->starts;
    if (loop != UINT32_MAX && !is_coloring)
        return graph_fail(GRAVEL_EINVAL,
                          "%s: vertex %" PRIu32 " has a loop (none is allowed): leave loops out",
                          call, loop);
    GRAPH_TRY(graph_need_push(graph));
    GRAPH_TRY(graph_read(graph, graph->push.offsets, 0, offsets,
                         (graph->n_slots + UINT64_C(1)) * sizeof *offsets));
    for (uint64_t slot = 0; slot < graph->n_slots; slot++)
        tally->firsts[slot] = offsets[slot + 1] - tally->firsts[slot];
    starts[0] = 0;
    for (uint64_t i = 0; i < graph->n_own; i++)
        starts[i + 1] = starts[i] + tally->counts[i] / 32 + (tally->counts[i] % 32 != 0);
    return 0;
}

/* Lists the hubs by ranks. Others may be before none of them. Collective. */
static int list_hubs(struct gravel_graph *graph, const char *call, struct graph_kept *kept)
{
    const uint32_t most = graph->n_nodes > 1 ? MOST_HUBS : HUBS,
                   n = graph->n_vertices < most ? (uint32_t)graph->n_vertices : most;
    struct graph_columns edges;
    uint64_t n_edges;
    int code = graph_collect(graph, call, n, &edges, &n_edges);
    uint32_t *offsets = kept->memory[HUB_OFFSETS] = calloc(n + UINT64_C(2), sizeof *offsets),
             *ends = kept->memory[HUB_ENDS] = malloc((n_edges + 1) * sizeof *ends);
    if (!code && (!offsets || !ends))
        code = graph_fail_memory(call, (n_edges + n) * sizeof *ends);
    for (uint64_t i = 0; i < n_edges && !code; i++)
        offsets[graph_rank(graph, edges.other[i]) + 2]++;
    for (uint32_t hub = 0; hub < n && !code; hub++)
        offsets[hub + 2] += offsets[hub + 1];
    for (uint64_t i = 0; i < n_edges && !code; i++)
        ends[offsets[graph_rank(graph, edges.other[i]) + 1]++] =
            (uint32_t)graph_rank(graph, edges.key[i]);
    graph_columns_free(&edges);
    kept->n = n;
    return code;
}

/* Returns how many hubs are own vertices, the first ones. */
static uint32_t own_hubs(const struct gravel_graph *graph, const struct graph_kept *kept)
{
    return (kept->n + graph->n_nodes - 1 - graph->node) / graph->n_nodes;
}

/* Collective. */
static int make(struct gravel_graph *graph, const char *call, bool is_coloring,
                struct graph_kept *kept)
{
    cl_mem *own = kept->buffers;
    const uint64_t n_own = graph->n_own, n_slots = graph->n_slots, word = sizeof(uint32_t),
                   n_words = 2 * n_own + 2 * n_slots + 1;
    const uint32_t n_lanes = graph_lanes(graph), piece = n_lanes == 1 ? 256 : 8 * n_lanes;
    uint32_t *words = calloc(n_words, word);
    struct tally tally = {0};
    char options[96];
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "peel.cl", .source = graph_peel_cl, .options = options,
                              .function = "peel");
    snprintf(options, sizeof options, "-DLANES=%u -DN_NODES=%u -DIS_COLORING=%d", n_lanes,
             graph->n_nodes, is_coloring);
    int code = words ? 0 : graph_fail_memory(call, n_words * word);
    if (!code) {
        tally =
            (struct tally){words, words + n_own, words + 2 * n_own, words + 2 * n_own + n_slots};
        code = tally_edges(graph, call, is_coloring, &tally);
    }
    code = graph_agree(graph, call, code);
    if (!code && is_coloring && (graph->n_nodes > 1 || n_lanes > 1))
        code = list_hubs(graph, call, kept);
    const uint64_t n_starts = is_coloring ? n_own + 1 : 0,
                   n_taken = is_coloring && !code ? tally.starts[n_own] + SPARE_WORDS : 0;
    code = graph_keep_heap(graph, call, kept, code, n_slots * word + 2 * graph_marks_bytes(graph));
    const struct sizes size = {.come = kept->heap,
                               .marks = kept->heap + n_slots * word,
                               .n_slots = graph->n_slots,
                               .n_own = graph->n_own,
                               .first = graph_first_slot(graph),
                               .most = graph->n_slots + (cl_uint)(graph->n_edges / piece),
                               .n_hubs = own_hubs(graph, kept)};
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(size),
        GRAPH_COPY(own[FIRSTS], tally.firsts, n_slots * word),
        GRAPH_ARGUMENT(graph->push.offsets),
        GRAPH_ARGUMENT(graph->push.ends),
        GRAPH_COPY(own[COUNTS], tally.counts, n_own * word),
        GRAPH_COPY(own[STARTS], tally.starts, n_starts * word),
        GRAPH_COPY(own[IS_WANTED], tally.is_wanted, n_own * word),
        GRAPH_ROOM(own[LEFT], n_own * word),
        GRAPH_ROOM(own[TAKEN], n_taken * word),
        GRAPH_ROOM(own[VALUES], n_own * word),
        GRAPH_ROOM(own[SEEN], graph->n_nodes > 1 ? n_slots * word : 0),
        GRAPH_ROOM(own[MARKED], graph_marks_bytes(graph)),
        GRAPH_ROOM(own[LISTS], 2 * sizeof(cl_uint2) * size.most),
        GRAPH_ROOM(own[KNOWN], KNOWN_BYTES)};
    code = graph_keep_rounds(graph, call, kept, code, &program, 2, arguments, GRAPH_N(arguments));
    free(words);
    return code;
}

/* ---- the calls ----------------------------------------------------------------------------------- */

/* Colours the hubs one after the other, and writes those of own ones. */
static int color_hubs(struct gravel_graph *graph, const struct graph_kept *kept)
{
    const uint32_t *offsets = kept->memory[HUB_OFFSETS], *ends = kept->memory[HUB_ENDS];
    uint32_t colors[MOST_HUBS], marks[MOST_HUBS + 1] = {0}; /* by colour: hub + 1 */
    for (uint32_t hub = 0; hub < kept->n; hub++) {
        for (uint32_t e = offsets[hub]; e < offsets[hub + 1]; e++)
            marks[colors[ends[e]]] = hub + 1;
        colors[hub] = 0;
        while (marks[colors[hub]] == hub + 1)
            colors[hub]++;
    }
    for (uint32_t own = 0; own < own_hubs(graph, kept); own++)
        colors[own] = colors[own * graph->n_nodes + graph->node];
    return graph_write(graph, kept->buffers[VALUES], 0, colors,
                       own_hubs(graph, kept) * sizeof *colors);
}

/* Peels, and gives the values of this node's vertices. Collective. @param out  [n of this node] */
static int peel(struct gravel_graph *graph, const char *call, const char *what,
                struct graph_kept *kept, uint32_t *out)
{
    if (!graph->is_undirected)
        return graph_fail(GRAVEL_EINVAL,
                          "%s: the graph is directed (undirected ones alone): create it with "
                          "is_undirected 1",
                          call);
    GRAPH_TRY(graph_check_out(graph, call, what, out, graph->n_results));
    if (!kept->is_whole)
        GRAPH_TRY(make(graph, call, kept == &graph->colors, kept));
    GRAPH_TRY(graph_run(graph, call, kept, kept->n ? color_hubs(graph, kept) : 0));
    return graph_results(graph, call, kept->buffers[VALUES], false, sizeof *out, out);
}

int gravel_graph_color(struct gravel_graph *graph, uint32_t *colors, uint32_t *n_colors)
{
    static const char call[] = "gravel_graph_color";
    uint32_t n = 0;
    GRAPH_TRY(graph_enter(graph, call));
    GRAPH_TRY(peel(graph, call, "colors", &graph->colors, colors));
#pragma omp parallel for reduction(max : n) num_threads(graph_threads(graph, graph->n_results))
    for (uint64_t i = 0; i < graph->n_results; i++)
        n = colors[i] >= n ? colors[i] + 1 : n;
    GRAPH_TRY(graph_reduce(graph, GRAVEL_MAX, GRAVEL_UINT, &n, 1));
    if (n_colors)
        *n_colors = n;
    return 0;
}

int gravel_graph_core_numbers(struct gravel_graph *graph, uint32_t *cores)
{
    static const char call[] = "gravel_graph_core_numbers";
    GRAPH_TRY(graph_enter(graph, call));
    return peel(graph, call, "cores", &graph->cores, cores);
}
