/* SPDX-License-Identifier: MIT */
/*
 * Colours, and core numbers: both peel vertices off the graph in rounds. See peel.cl for how. Of a node alone with a GPU
 * the host colours the hubs first: the first vertices, most of which know each other, so that rounds would colour them
 * nearly one by one.
 *
 * Path:    gravel_graph_color, gravel_graph_core_numbers -> this -> peel.cl; results.c.
 * Owner:   the graph keeps a struct graph_peel of each from its first call on.
 * Threads: one at a time; and those of OpenMP.
 */
#include "search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const char graph_peel_cl[];

/* struct peel_sizes of peel.cl. */
struct sizes {
    cl_ulong come;
    cl_uint n_slots, n_own, first, most, n_hubs;
};

#define KNOWN_BYTES 64 /* struct peel_known has fewer */
#define SPARE_WORDS 8u /* behind the marks of the last vertex */
#define MOST_HUBS 2048u

struct graph_peel {
    const char *call;
    bool is_coloring;
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    struct sizes size;
    cl_mem firsts, counts, starts, is_wanted, left, taken, values, seen, lists, known;
    /* Rows of those before each hub: [n_hubs + 1], numbers; NULL without hubs. */
    uint32_t *hub_offsets, *hub_ends;
};

/* ---- what is made at the first call ------------------------------------------------------------ */

/* What edges come to; zeroed before. */
struct tally {
    uint32_t *counts;    /* [n_own] edges that a vertex's count is of at first */
    uint32_t *lowers;    /* [n_slots] edges, the last of each row, along which counts are lowered */
    uint32_t *is_wanted; /* [n_own] whether a vertex lowers counts at other nodes */
    uint32_t *offsets;   /* [n_slots + 1] of rows */
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
            tally->lowers[from]++;
        }
        if (from / graph->block != graph->node && (!is_coloring || rank < before)) {
#pragma omp atomic write
            tally->is_wanted[to] = 1;
        }
    }
    return loop;
}

/* Makes the buffers that rounds only read. */
static int upload(struct gravel_graph *graph, struct graph_peel *own, const struct tally *tally)
{
    const uint64_t n_own = graph->n_own, n_slots = graph->n_slots, word = sizeof(uint32_t);
    uint32_t *firsts = tally->lowers, *starts = tally->offsets;
    GRAPH_TRY(graph_read(graph, graph->push.offsets, 0, tally->offsets, (n_slots + 1) * word));
    for (uint64_t slot = 0; slot < n_slots; slot++)
        firsts[slot] = tally->offsets[slot + 1] - tally->lowers[slot];
    GRAPH_TRY(graph_buffer(graph, &own->firsts, firsts, n_slots * word));
    GRAPH_TRY(graph_buffer(graph, &own->counts, tally->counts, n_own * word));
    GRAPH_TRY(graph_buffer(graph, &own->is_wanted, tally->is_wanted, n_own * word));
    starts[0] = 0;
    for (uint64_t i = 0; i < n_own && own->is_coloring; i++)
        starts[i + 1] = starts[i] + tally->counts[i] / 32 + (tally->counts[i] % 32 != 0);
    GRAPH_TRY(graph_buffer(graph, &own->starts, starts, own->is_coloring ? (n_own + 1) * word : 0));
    return graph_buffer(graph, &own->taken, NULL,
                        own->is_coloring ? (starts[n_own] + SPARE_WORDS) * word : 0);
}

/* Lists the hubs. Others may be before none of them. */
static int list_hubs(struct gravel_graph *graph, struct graph_peel *own)
{
    const uint32_t n = graph->n_own < MOST_HUBS ? graph->n_own : MOST_HUBS;
    uint32_t *offsets = own->hub_offsets = calloc(n + UINT64_C(2), sizeof *offsets);
    for (uint64_t i = 0; i < graph->n_edges && offsets; i++)
        if (graph->to[i] < n && graph->from[i] < graph->to[i])
            offsets[graph->to[i] + 2]++;
    for (uint32_t hub = 0; hub < n && offsets; hub++)
        offsets[hub + 2] += offsets[hub + 1];
    if (offsets)
        own->hub_ends = malloc((offsets[n + 1] + UINT64_C(1)) * sizeof *own->hub_ends);
    if (!own->hub_ends)
        return graph_fail_memory(own->call, graph->n_edges * sizeof *own->hub_ends);
    for (uint64_t i = 0; i < graph->n_edges; i++)
        if (graph->to[i] < n && graph->from[i] < graph->to[i])
            own->hub_ends[offsets[graph->to[i] + 1]++] = graph->from[i];
    own->size.n_hubs = n;
    return 0;
}

/* Makes what needs no other node. */
static int make_buffers(struct gravel_graph *graph, struct graph_peel *own)
{
    const uint64_t n_own = graph->n_own, n_slots = graph->n_slots, word = sizeof(uint32_t),
                   n_words = 2 * n_own + 2 * n_slots + 1;
    uint32_t *words = calloc(n_words, word);
    if (!words)
        return graph_fail_memory(own->call, n_words * word);
    const struct tally tally = {words, words + 2 * n_own, words + n_own,
                                words + 2 * n_own + n_slots};
    const uint32_t loop = count_edges(graph, own->is_coloring, &tally);
    int code = 0;
    if (loop != UINT32_MAX && !own->is_coloring)
        code = graph_fail(GRAVEL_EINVAL,
                          "%s: vertex %" PRIu32 " has a loop (none is allowed): leave loops out",
                          own->call, loop);
    if (!code)
        code = graph_need_push(graph);
    if (!code)
        code = upload(graph, own, &tally);
    free(words);
    GRAPH_TRY(code);
    const uint32_t n_lanes = graph_lanes(graph), piece = n_lanes == 1 ? 256 : 8 * n_lanes;
    own->size = (struct sizes){.n_slots = graph->n_slots,
                               .n_own = graph->n_own,
                               .first = graph_first_slot(graph),
                               .most = graph->n_slots + (cl_uint)(graph->n_edges / piece)};
    if (own->is_coloring && graph->n_nodes == 1 && n_lanes > 1)
        GRAPH_TRY(list_hubs(graph, own));
    GRAPH_TRY(graph_buffer(graph, &own->left, NULL, n_own * word));
    GRAPH_TRY(graph_buffer(graph, &own->values, NULL, n_own * word));
    GRAPH_TRY(graph_buffer(graph, &own->seen, NULL, graph->n_nodes > 1 ? n_slots * word : 0));
    GRAPH_TRY(graph_buffer(graph, &own->lists, NULL, 2 * sizeof(cl_uint2) * own->size.most));
    return graph_buffer(graph, &own->known, NULL, KNOWN_BYTES);
}

static int set_arguments(struct gravel_graph *graph, struct graph_peel *own)
{
    GRAPH_TRY(gravel_rounds_kernel(own->rounds, &own->kernel));
    return GRAPH_SET(own->kernel, 2, GRAPH_ARGUMENT(own->size), GRAPH_MEM(own->firsts),
                     GRAPH_MEM(graph->push.offsets), GRAPH_MEM(graph->push.ends),
                     GRAPH_MEM(own->counts), GRAPH_MEM(own->starts), GRAPH_MEM(own->is_wanted),
                     GRAPH_MEM(own->left), GRAPH_MEM(own->taken), GRAPH_MEM(own->values),
                     GRAPH_MEM(own->seen), GRAPH_MEM(own->lists), GRAPH_MEM(own->known));
}

static void free_peel(struct gravel_graph *graph, struct graph_peel *own)
{
    if (!own)
        return;
    if (own->kernel)
        clReleaseKernel(own->kernel);
    gravel_rounds_destroy(own->rounds);
    if (own->size.come)
        gravel_free(graph->gravel, own->size.come);
    cl_mem *const buffers[] = {&own->firsts, &own->counts, &own->starts, &own->is_wanted,
                               &own->left,   &own->taken,  &own->values, &own->seen,
                               &own->lists,  &own->known};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    free(own->hub_offsets);
    free(own->hub_ends);
    free(own);
}

void graph_peel_free(struct gravel_graph *graph)
{
    free_peel(graph, graph->colors);
    free_peel(graph, graph->cores);
    graph->colors = graph->cores = NULL;
}

/* Collective. */
static int make(struct gravel_graph *graph, const char *call, bool is_coloring,
                struct graph_peel **out)
{
    char options[96];
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "peel.cl", .source = graph_peel_cl, .options = options,
                              .function = "peel");
    struct graph_peel *own = calloc(1, sizeof *own);
    if (own)
        *own = (struct graph_peel){.call = call, .is_coloring = is_coloring};
    int code = own ? make_buffers(graph, own) : graph_fail_memory(call, sizeof *own);
    code = graph_agree(graph, call, code);
    if (!code && graph->n_nodes > 1)
        code = gravel_alloc_named(graph->gravel, call, graph->n_slots * sizeof(cl_uint),
                                  &own->size.come);
    snprintf(options, sizeof options, "-DLANES=%u -DN_NODES=%u -DIS_COLORING=%d",
             graph_lanes(graph), graph->n_nodes, is_coloring);
    if (!code)
        code = gravel_rounds_create(&own->rounds, graph->gravel, &program);
    if (!code)
        code = graph_agree(graph, call, set_arguments(graph, own));
    if (code)
        free_peel(graph, own);
    else
        *out = own;
    return code;
}

/* ---- the calls ----------------------------------------------------------------------------------- */

/* Colours the hubs one after the other. */
static int color_hubs(struct gravel_graph *graph, const struct graph_peel *own)
{
    uint32_t colors[MOST_HUBS], marks[MOST_HUBS + 1] = {0}; /* by colour: hub + 1 */
    for (uint32_t hub = 0; hub < own->size.n_hubs; hub++) {
        for (uint32_t e = own->hub_offsets[hub]; e < own->hub_offsets[hub + 1]; e++)
            marks[colors[own->hub_ends[e]]] = hub + 1;
        colors[hub] = 0;
        while (marks[colors[hub]] == hub + 1)
            colors[hub]++;
    }
    return graph_write(graph, own->values, 0, colors, own->size.n_hubs * sizeof *colors);
}

/* Peels, and gives the values of this node's vertices. Collective. @param out  [n of this node] */
static int peel(struct gravel_graph *graph, const char *call, const char *what,
                struct graph_peel **kept, uint32_t *out)
{
    int code = 0;
    if (!graph->is_undirected)
        return graph_fail(GRAVEL_EINVAL,
                          "%s: the graph is directed (undirected ones alone): create it with "
                          "is_undirected 1",
                          call);
    if (!out && graph->n_results)
        code = graph_fail(GRAVEL_EINVAL, "%s: %s is NULL (memory for %" PRIu64 ")", call, what,
                          graph->n_results);
    GRAPH_TRY(graph_agree(graph, call, code));
    if (!*kept)
        GRAPH_TRY(make(graph, call, kept == &graph->colors, kept));
    struct graph_peel *own = *kept;
    if (own->size.n_hubs) /* a node alone */
        GRAPH_TRY(color_hubs(graph, own));
    GRAPH_TRY(gravel_rounds_run(own->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, NULL, 0));
    return graph_results(graph, call, own->values, false, sizeof *out, out);
}

int gravel_graph_color(struct gravel_graph *graph, uint32_t *colors, uint32_t *n_colors)
{
    static const char call[] = "gravel_graph_color";
    uint32_t n = 0;
    if (!graph)
        return graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
    GRAPH_TRY(peel(graph, call, "colors", &graph->colors, colors));
#pragma omp parallel for reduction(max : n) num_threads(graph_threads(graph, graph->n_results))
    for (uint64_t i = 0; i < graph->n_results; i++)
        n = colors[i] >= n ? colors[i] + 1 : n;
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_MAX, GRAVEL_UINT, &n, 1));
    if (n_colors)
        *n_colors = n;
    return 0;
}

int gravel_graph_core_numbers(struct gravel_graph *graph, uint32_t *cores)
{
    static const char call[] = "gravel_graph_core_numbers";
    return graph ? peel(graph, call, "cores", &graph->cores, cores)
                 : graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
}
