/* SPDX-License-Identifier: MIT */
/*
 * Betweenness. Every node has the edges of the whole graph, and takes its share of the sources, several at a time; the
 * sums are added up at the owners of the slots. So nodes exchange nothing while they search, and an edge is there in
 * either direction. See betweenness.cl.
 *
 * Path:    gravel_graph_betweenness -> this -> collect.c, rows.c, betweenness.cl; results.c.
 * Owner:   the graph keeps struct graph_betweenness from call to call, until one needs room for more sources at a time.
 * Threads: one at a time.
 */
#include "graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char call[] = "gravel_graph_betweenness";

extern const char graph_betweenness_cl[];

#define MOST_COPIES (UINT32_C(1) << 22) /* of slots, unless one source needs more */
#define KNOWN_BYTES 8u                  /* of struct known in betweenness.cl */
#define LANE_EDGES 32.0 /* of a row that has several lanes, each has as many or more */

struct graph_betweenness {
    uint32_t n_at_once; /* sources */
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    struct graph_rows out, in; /* of slots: the graph's if the node is alone */
    cl_mem sources, lanes, level, paths, worth, listed, partial, starts, known, n_reached,
        centrality;
};

/* Arguments of the kernel that change; those behind are set once. */
enum { FIRST_SOURCE = 2, N = 5 };

/* ---- what is asked for ------------------------------------------------------------------------- */

/* Refuses what this node gives, and marks sources. @param is_source  [n_vertices] */
static int check(const struct gravel_graph *graph,
                 const struct gravel_graph_betweenness_options *options, const double *centrality,
                 uint8_t *is_source)
{
    const uint64_t n = graph->n_vertices;
    if (options->bytes != sizeof *options)
        return graph_fail(
            GRAVEL_EINVAL,
            "%s: bytes is %zu (%zu expected): make options by GRAVEL_GRAPH_BETWEENNESS()", call,
            options->bytes, sizeof *options);
    if (options->has_endpoints > 1 || options->is_raw > 1)
        return graph_fail(GRAVEL_EINVAL, "%s: has_endpoints is %u, is_raw is %u (0 or 1 allowed)",
                          call, options->has_endpoints, options->is_raw);
    if (!centrality && graph->n_results)
        return graph_fail(GRAVEL_EINVAL, "%s: centrality is NULL (%" PRIu64 " expected)", call,
                          graph->n_results);
    if (options->sources && (options->n_sources == 0 || options->n_sources > n))
        return graph_fail(GRAVEL_EINVAL,
                          "%s: n_sources is %" PRIu64 " (1 to %" PRIu64 " vertices allowed)", call,
                          options->n_sources, n);
    memset(is_source, !options->sources, n);
    for (uint64_t i = 0; options->sources && i < options->n_sources; i++) {
        const uint64_t source = options->sources[i];
        if (source >= n)
            return graph_fail(GRAVEL_EINVAL,
                              "%s: sources[%" PRIu64 "] is %" PRIu64 " (below %" PRIu64 ")", call,
                              i, source, n);
        if (is_source[source])
            return graph_fail(GRAVEL_EINVAL,
                              "%s: sources[%" PRIu64 "] is %" PRIu64 " (different ones allowed)",
                              call, i, source);
        is_source[source] = 1;
    }
    return graph_has_double(graph)
               ? 0
               : graph_fail(GRAVEL_ECAPABILITY, "%s: the device has no double", call);
}

/* Refuses what nodes give differently. Collective. */
static int compare(struct gravel_graph *graph,
                   const struct gravel_graph_betweenness_options *options, const uint8_t *is_source)
{
    static const char *const names[] = {"n_sources", "has_endpoints", "is_raw", "a sum of sources"};
    /* Each, and its complement, whose least is that of the most. */
    uint64_t least[8] = {options->sources ? options->n_sources : graph->n_vertices,
                         options->has_endpoints, options->is_raw};
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        least[3] += is_source[v] ? v * UINT64_C(0x9e3779b97f4a7c15) ^ v << 7 : 0;
    for (int i = 0; i < 4; i++)
        least[4 + i] = ~least[i];
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_MIN, GRAVEL_ULONG, least, 8));
    for (int i = 0; i < 4; i++)
        if (least[i] != ~least[4 + i])
            return graph_fail(GRAVEL_EMISMATCH,
                              "%s: %s is %" PRIu64 " at one node and %" PRIu64
                              " at another (the same at every node)",
                              call, names[i], least[i], ~least[4 + i]);
    return 0;
}

/* ---- what is made ------------------------------------------------------------------------------ */

/* Finds each slot's lanes: as many as each has edges of the longer row, or fewer. @param n_lanes  [out] of all */
static int make_lanes(struct gravel_graph *graph, struct graph_betweenness *own, uint64_t *n_lanes)
{
    const uint64_t n = graph->n_slots;
    uint32_t *lanes = calloc(3, (n + 1) * sizeof *lanes), *out = lanes + n, *in = out + n + 1;
    if (!lanes)
        return graph_fail_memory(call, 3 * (n + 1) * sizeof *lanes);
    int code = graph_read(graph, own->out.offsets, 0, out, (n + 1) * sizeof *out);
    if (!code)
        code =
            graph_read(graph, own->in.offsets, 0, in, (own->in.n_rows + UINT64_C(1)) * sizeof *in);
    for (uint64_t slot = 0; slot < n && !code; slot++) {
        const uint32_t n_out = out[slot + 1] - out[slot],
                       n_in = slot < own->in.n_rows ? in[slot + 1] - in[slot] : 0,
                       n_edges = n_out > n_in ? n_out : n_in;
        lanes[slot] = (uint32_t)fmax(1, ceil(fmin(n_edges / LANE_EDGES, sqrt(n_edges))));
        *n_lanes += lanes[slot];
    }
    if (!code)
        code = graph_buffer(graph, &own->lanes, lanes, n * sizeof *lanes);
    free(lanes);
    return code;
}

static int make_buffers(struct gravel_graph *graph, struct graph_betweenness *own)
{
    const uint64_t n = graph->n_slots, n_copies = n * own->n_at_once;
    uint64_t n_lanes = 0;
    GRAPH_TRY(make_lanes(graph, own, &n_lanes));
    n_lanes *= own->n_at_once;
    if (n_lanes > INT32_MAX)
        return graph_fail(GRAVEL_ENOMEM, "%s: rows have %" PRIu64 " lanes (below 2^31)", call,
                          n_lanes);
    GRAPH_TRY(graph_buffer(graph, &own->sources, NULL, n * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &own->level, NULL, n_copies * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &own->paths, NULL, n_copies * sizeof(double)));
    GRAPH_TRY(graph_buffer(graph, &own->worth, NULL, n_copies * sizeof(double)));
    GRAPH_TRY(graph_buffer(graph, &own->listed, NULL, n_lanes * sizeof(cl_uint2)));
    GRAPH_TRY(graph_buffer(graph, &own->partial, NULL, n_lanes * sizeof(double)));
    GRAPH_TRY(graph_buffer(graph, &own->starts, NULL, (n + 4) * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &own->known, NULL, KNOWN_BYTES));
    GRAPH_TRY(graph_buffer(graph, &own->n_reached, NULL, own->n_at_once * sizeof(uint32_t)));
    return graph_buffer(graph, &own->centrality, NULL, n * sizeof(double));
}

static int make_kernel(struct gravel_graph *graph, struct graph_betweenness *own)
{
    GRAPH_TRY(gravel_rounds_kernel(own->rounds, &own->kernel));
    return GRAPH_SET(own->kernel, N, GRAPH_UINT(graph->n_slots), GRAPH_MEM(own->sources),
                     GRAPH_MEM(own->out.offsets), GRAPH_MEM(own->out.ends),
                     GRAPH_MEM(own->in.offsets), GRAPH_MEM(own->in.ends), GRAPH_MEM(own->lanes),
                     GRAPH_MEM(own->level), GRAPH_MEM(own->paths), GRAPH_MEM(own->worth),
                     GRAPH_MEM(own->listed), GRAPH_MEM(own->partial), GRAPH_MEM(own->starts),
                     GRAPH_MEM(own->known), GRAPH_MEM(own->n_reached), GRAPH_MEM(own->centrality));
}

/* Makes what searches from so many sources at once need, if it is not there. Collective. */
static int prepare(struct gravel_graph *graph, uint32_t n_at_once)
{
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "betweenness.cl", .source = graph_betweenness_cl,
                              .function = "betweenness");
    if (graph->betweenness && graph->betweenness->n_at_once >= n_at_once)
        return 0;
    graph_betweenness_free(graph);
    struct graph_betweenness *own = graph->betweenness = calloc(1, sizeof *own);
    int code = graph_agree(graph, call, own ? 0 : graph_fail_memory(call, sizeof *own));
    if (!code) {
        own->n_at_once = n_at_once;
        code = graph_collect_rows(graph, call, &own->out, &own->in);
        if (!code)
            code = make_buffers(graph, own);
        code = graph_agree(graph, call, code);
    }
    if (!code)
        code = gravel_rounds_create(&own->rounds, graph->gravel, &program);
    if (!code)
        code = graph_agree(graph, call, make_kernel(graph, own));
    if (code)
        graph_betweenness_free(graph);
    return code;
}

void graph_betweenness_free(struct gravel_graph *graph)
{
    struct graph_betweenness *own = graph->betweenness;
    if (!own)
        return;
    gravel_rounds_destroy(own->rounds);
    if (own->kernel)
        clReleaseKernel(own->kernel);
    cl_mem *const buffers[] = {&own->sources, &own->lanes,     &own->level,     &own->paths,
                               &own->worth,   &own->listed,    &own->partial,   &own->starts,
                               &own->known,   &own->n_reached, &own->centrality};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    graph_rows_free(graph, &own->in);
    graph_rows_free(graph, &own->out);
    free(own);
    graph->betweenness = NULL;
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Gives the device this node's share of the sources, every n_nodes-th in the order of slots. @param sources  [n_slots]
 * scratch. @param n  [in, out] 0; of the share */
static int write_sources(struct gravel_graph *graph, const uint8_t *is_source, uint32_t *sources,
                         uint64_t *n)
{
    uint32_t n_all = 0;
    for (uint32_t slot = 0; slot < graph->n_slots; slot++) {
        const uint32_t vertex = graph->vertex_of[slot];
        if (vertex != GRAPH_NO_SLOT && is_source[vertex] && n_all++ % graph->n_nodes == graph->node)
            sources[(*n)++] = slot;
    }
    return graph_write(graph, graph->betweenness->sources, 0, sources, *n * sizeof *sources);
}

/* Searches from all sources, and goes back. Collective. @param n_sources  the most of any node. @param words  [n_slots]
 * scratch */
static int run(struct gravel_graph *graph, const uint8_t *is_source, uint32_t has_endpoints,
               uint64_t n_sources, void *words)
{
    const struct graph_betweenness *own = graph->betweenness;
    uint64_t n = 0;
    int code = write_sources(graph, is_source, words, &n);
    GRAPH_KEEP(code, graph_fill(graph, own->centrality, 0, graph->n_slots * sizeof(double)));
    for (uint64_t first = 0; first < n_sources; first += own->n_at_once) {
        const uint64_t left = first < n ? n - first : 0,
                       n_now = left < own->n_at_once ? left : own->n_at_once;
        if (!code)
            code = graph_fill(graph, own->known, 0, KNOWN_BYTES);
        if (!code)
            code = GRAPH_SET(own->kernel, FIRST_SOURCE, GRAPH_UINT(first), GRAPH_UINT(n_now),
                             GRAPH_UINT(has_endpoints));
        GRAPH_TRY(graph_agree(graph, call, code));
        GRAPH_TRY(gravel_rounds_run(own->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, NULL, 0));
    }
    return 0;
}

/* Returns what a sum of n_sources sources is multiplied by, as NetworkX does. @param is_source  the vertex is one */
static double scale_of(const struct gravel_graph *graph,
                       const struct gravel_graph_betweenness_options *options, uint64_t n_sources,
                       bool is_source)
{
    /* The vertices that a path over this one may end at, and those where it may begin. */
    const double is_left_out = !options->has_endpoints, n = (double)graph->n_vertices - is_left_out,
                 n_from = n_sources == graph->n_vertices
                              ? n
                              : (double)n_sources - is_source * is_left_out;
    return n < 2             ? 1
           : n_from < 1      ? (double)NAN
           : options->is_raw ? n / (n_from * (graph->is_undirected ? 2 : 1))
                             : 1 / (n_from * (n - 1));
}

/* Computes what is asked for. Collective. @param words  [n_slots] scratch */
static int compute(struct gravel_graph *graph,
                   const struct gravel_graph_betweenness_options *options, const uint8_t *is_source,
                   double *words, double *centrality)
{
    const uint64_t n_sources = options->sources ? options->n_sources : graph->n_vertices,
                   n_share = (n_sources + graph->n_nodes - 1) / graph->n_nodes,
                   n_fit = MOST_COPIES / graph->n_slots,
                   n_at_once = n_fit < n_share ? n_fit : n_share;
    GRAPH_TRY(prepare(graph, n_at_once ? (uint32_t)n_at_once : 1));
    GRAPH_TRY(run(graph, is_source, options->has_endpoints, n_share, words));
    GRAPH_TRY(graph_agree(graph, call,
                          graph_read(graph, graph->betweenness->centrality, 0, words,
                                     graph->n_slots * sizeof *words)));
    GRAPH_TRY(graph_add_up(graph, words, true));
    GRAPH_TRY(graph_share(graph, words, sizeof *words));
    graph_pick(graph, centrality, words, sizeof *words);
    for (uint64_t i = 0; i < graph->n_results; i++)
        centrality[i] *= scale_of(graph, options, n_sources, is_source[graph->first + i]);
    return 0;
}

int gravel_graph_betweenness(struct gravel_graph *graph,
                             const struct gravel_graph_betweenness_options *options,
                             double *centrality)
{
    const struct gravel_graph_betweenness_options all = GRAVEL_GRAPH_BETWEENNESS();
    options = options ? options : &all;
    if (!graph)
        return graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
    const uint64_t bytes = graph->n_slots * sizeof(double) + graph->n_vertices;
    double *words = malloc(bytes);
    uint8_t *is_source = words ? (uint8_t *)(words + graph->n_slots) : NULL;
    int code =
        words ? check(graph, options, centrality, is_source) : graph_fail_memory(call, bytes);
    code = graph_agree(graph, call, code);
    if (!code)
        code = compare(graph, options, is_source);
    if (!code && graph->n_vertices)
        code = compute(graph, options, is_source, words, centrality);
    free(words);
    return code;
}
