/* SPDX-License-Identifier: MIT */
/*
 * Betweenness. Every node has the edges of the whole graph, and takes its share of the sources, several at a time; the
 * sums are added up at the owners of the slots. So nodes exchange nothing while they search, and an edge is there in
 * either direction. See betweenness.cl.
 *
 * Path:    gravel_graph_betweenness -> this -> collect.c, rows.c, keep.c, betweenness.cl; results.c.
 * Owner:   graph->betweenness, made by a call that needs room for more sources at a time.
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

/* Rows and buffers that are kept, for n sources at a time. Rows are of slots: the graph's if the node is alone. */
enum { OUT, IN };
enum { SOURCES, LANES, LEVEL, PATHS, WORTH, LISTED, PARTIAL, STARTS, KNOWN, N_REACHED, CENTRALITY };

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
    uint64_t values[4] = {options->sources ? options->n_sources : graph->n_vertices,
                          options->has_endpoints, options->is_raw};
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        values[3] += is_source[v] ? v * UINT64_C(0x9e3779b97f4a7c15) ^ v << 7 : 0;
    return graph_same(graph, call, 4, names, values);
}

/* ---- what is made ------------------------------------------------------------------------------ */

/* Finds each slot's lanes: as many as each has edges of the longer row, or fewer. @param n_lanes  [in, out] 0; of all
 * slots, and sources at a time */
static int make_lanes(struct gravel_graph *graph, struct graph_kept *kept, uint64_t *n_lanes)
{
    const struct graph_rows *rows_in = &kept->rows[IN];
    const uint64_t n = graph->n_slots;
    uint32_t *lanes = calloc(3, (n + 1) * sizeof *lanes), *out = lanes + n, *in = out + n + 1;
    if (!lanes)
        return graph_fail_memory(call, 3 * (n + 1) * sizeof *lanes);
    int code = graph_read(graph, kept->rows[OUT].offsets, 0, out, (n + 1) * sizeof *out);
    if (!code)
        code = graph_read(graph, rows_in->offsets, 0, in,
                          (rows_in->n_rows + UINT64_C(1)) * sizeof *in);
    for (uint64_t slot = 0; slot < n && !code; slot++) {
        const uint32_t n_out = out[slot + 1] - out[slot],
                       n_in = slot < rows_in->n_rows ? in[slot + 1] - in[slot] : 0,
                       n_edges = n_out > n_in ? n_out : n_in;
        lanes[slot] = (uint32_t)fmax(1, ceil(fmin(n_edges / LANE_EDGES, sqrt(n_edges))));
        *n_lanes += lanes[slot];
    }
    if (!code)
        code = graph_buffer(graph, &kept->buffers[LANES], lanes, n * sizeof *lanes);
    free(lanes);
    *n_lanes *= kept->n;
    return code || *n_lanes <= INT32_MAX
               ? code
               : graph_fail(GRAVEL_ENOMEM, "%s: rows have %" PRIu64 " lanes (below 2^31)", call,
                            *n_lanes);
}

/* Makes what searches from n_at_once sources at a time need. Collective. */
static int make(struct gravel_graph *graph, struct graph_kept *kept, uint32_t n_at_once)
{
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "betweenness.cl", .source = graph_betweenness_cl,
                              .function = "betweenness");
    const struct graph_rows *rows = kept->rows;
    cl_mem *own = kept->buffers;
    const uint64_t n = graph->n_slots, n_copies = n * n_at_once;
    uint64_t n_lanes = 0;
    graph_kept_free(graph, kept);
    kept->n = n_at_once;
    int code = graph_collect_rows(graph, call, &kept->rows[OUT], &kept->rows[IN]);
    if (!code)
        code = make_lanes(graph, kept, &n_lanes);
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(graph->n_slots),
        GRAPH_ROOM(own[SOURCES], n * sizeof(uint32_t)),
        GRAPH_ARGUMENT(rows[OUT].offsets),
        GRAPH_ARGUMENT(rows[OUT].ends),
        GRAPH_ARGUMENT(rows[IN].offsets),
        GRAPH_ARGUMENT(rows[IN].ends),
        GRAPH_ARGUMENT(own[LANES]),
        GRAPH_ROOM(own[LEVEL], n_copies * sizeof(uint32_t)),
        GRAPH_ROOM(own[PATHS], n_copies * sizeof(double)),
        GRAPH_ROOM(own[WORTH], n_copies * sizeof(double)),
        GRAPH_ROOM(own[LISTED], n_lanes * sizeof(cl_uint2)),
        GRAPH_ROOM(own[PARTIAL], n_lanes * sizeof(double)),
        GRAPH_ROOM(own[STARTS], (n + 4) * sizeof(uint32_t)),
        GRAPH_ROOM(own[KNOWN], KNOWN_BYTES),
        GRAPH_ROOM(own[N_REACHED], n_at_once * sizeof(uint32_t)),
        GRAPH_ROOM(own[CENTRALITY], n * sizeof(double))};
    return graph_keep_rounds(graph, call, kept, code, &program, 5, arguments, GRAPH_N(arguments));
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Searches from this node's share of the sources, every n_nodes-th in the order of slots, and goes back. Collective.
 * @param n_share  the most of any node. @param words  [out] [n_slots] sums of this node's sources */
static int run(struct gravel_graph *graph, const uint8_t *is_source, uint32_t has_endpoints,
               uint64_t n_share, void *words)
{
    const struct graph_kept *kept = &graph->betweenness;
    const cl_mem *own = kept->buffers;
    uint32_t *sources = words;
    uint64_t n = 0, n_all = 0;
    for (uint32_t slot = 0; slot < graph->n_slots; slot++) {
        const uint32_t vertex = graph->vertex_of[slot];
        if (vertex != GRAPH_NO_SLOT && is_source[vertex] && n_all++ % graph->n_nodes == graph->node)
            sources[n++] = slot;
    }
    int code = graph_write(graph, own[SOURCES], 0, sources, n * sizeof *sources);
    GRAPH_KEEP(code, graph_fill(graph, own[CENTRALITY], 0, graph->n_slots * sizeof(double)));
    for (uint64_t first = 0; first < n_share; first += kept->n) {
        const uint64_t left = first < n ? n - first : 0, n_now = left < kept->n ? left : kept->n;
        if (!code)
            code = graph_fill(graph, own[KNOWN], 0, KNOWN_BYTES);
        if (!code)
            code = GRAPH_SET(kept->kernels[0], 2, GRAPH_UINT(first), GRAPH_UINT(n_now),
                             GRAPH_UINT(has_endpoints));
        GRAPH_TRY(graph_agree(graph, call, graph_progress(graph, call, code, first, n_share)));
        GRAPH_TRY(gravel_rounds_run(kept->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, NULL, 0));
    }
    code = graph_progress(graph, call, code, n_share, n_share);
    if (!code)
        code = graph_read(graph, own[CENTRALITY], 0, words, graph->n_slots * sizeof(double));
    return graph_agree(graph, call, code);
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
                   n_fit = MOST_COPIES / graph->n_slots, n_less = n_fit < n_share ? n_fit : n_share,
                   n_at_once = n_less ? n_less : 1;
    struct graph_kept *kept = &graph->betweenness;
    if (!kept->is_whole || kept->n < n_at_once)
        GRAPH_TRY(make(graph, kept, (uint32_t)n_at_once));
    GRAPH_TRY(run(graph, is_source, options->has_endpoints, n_share, words));
    GRAPH_TRY(graph_add_up(graph, words, true));
    GRAPH_TRY(graph_share(graph, call, 0, words, sizeof *words));
    graph_pick(graph, centrality, words);
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
    GRAPH_TRY(graph_enter(graph, call));
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
