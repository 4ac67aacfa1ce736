/* SPDX-License-Identifier: MIT */
/*
 * Makes graphs: checks what is given, agrees with the other nodes on it, and has vertices ordered and edges spread.
 *
 * Path:    gravel_graph_create -> this -> order.c, spread.c.
 * Owner:   gravel_graph_destroy frees what is made here, and what algorithms keep.
 * Threads: one at a time.
 */
#include "graph.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST_BLOCK 64u
#define MOST_SLOTS (UINT64_C(1) << 32)

static const char call[] = "gravel_graph_create";

/* ---- what is given ----------------------------------------------------------------------------- */

static int check_members(const struct gravel_graph_edges *edges)
{
    const uint32_t type = edges->weight_type;
    if (edges->bytes != sizeof *edges)
        return graph_fail(GRAVEL_EINVAL, "%s: edges.bytes is %zu (%zu): use GRAVEL_GRAPH_EDGES",
                          call, edges->bytes, sizeof *edges);
    if (edges->n_vertices > UINT32_MAX)
        return graph_fail(GRAVEL_EINVAL, "%s: n_vertices is %" PRIu64 " (below 2^32)", call,
                          edges->n_vertices);
    if (edges->n_edges >> GRAPH_PLACE_BITS)
        return graph_fail(GRAVEL_EINVAL, "%s: n_edges is %" PRIu64 " (below 2^%d)", call,
                          edges->n_edges, GRAPH_PLACE_BITS);
    if (edges->id_bytes != 4 && edges->id_bytes != 8 && edges->id_bytes != 0)
        return graph_fail(GRAVEL_EINVAL, "%s: id_bytes is %u (4 or 8; 0 for 8)", call,
                          edges->id_bytes);
    if (edges->is_undirected > 1)
        return graph_fail(GRAVEL_EINVAL, "%s: is_undirected is %u (0 or 1)", call,
                          edges->is_undirected);
    if (type && type != GRAVEL_UINT && type != GRAVEL_FLOAT && type != GRAVEL_DOUBLE)
        return graph_fail(GRAVEL_EINVAL,
                          "%s: weight_type is %u (GRAVEL_UINT, GRAVEL_FLOAT, GRAVEL_DOUBLE, or 0 "
                          "without weights)",
                          call, type);
    if (!type && edges->weights)
        return graph_fail(GRAVEL_EINVAL, "%s: weight_type is 0, and there are weights", call);
    if (edges->n_edges && (!edges->from || !edges->to))
        return graph_fail(GRAVEL_EINVAL, "%s: %s is NULL", call, edges->from ? "to" : "from");
    if (edges->n_edges && type && !edges->weights)
        return graph_fail(GRAVEL_EINVAL, "%s: weights is NULL, and weight_type is %u", call, type);
    return 0;
}

/* Compares what is to be the same at every node, and adds up edges. Collective. */
static int compare(struct gravel_graph *graph, const struct gravel_graph_edges *edges)
{
    static const char *const names[] = {"n_vertices", "is_undirected", "weight_type"};
    const uint64_t values[] = {edges->n_vertices, edges->is_undirected, edges->weight_type};
    uint64_t sums[] = {edges->n_edges, edges->progress != NULL};
    GRAPH_TRY(graph_reduce(graph, GRAVEL_ADD, GRAVEL_ULONG, sums, 2));
    graph->n_part = edges->n_edges;
    graph->n_given = sums[0];
    graph->is_watched = sums[1];
    graph->progress = edges->progress;
    graph->progress_user = edges->progress_user;
    return graph_same(graph, call, 3, names, values);
}

static bool is_bad_weight(const struct gravel_graph_edges *edges, uint64_t i)
{
    const double weight = graph_weight(edges->weight_type, edges->weights, i);
    return !(weight >= 0 && weight <= DBL_MAX);
}

/* Looks at every edge, and names the first that is wrong. Not collective. */
static int check_edges(const struct gravel_graph *graph, const struct gravel_graph_edges *edges)
{
    const uint64_t n = edges->n_vertices;
    uint64_t bad = UINT64_MAX;
#pragma omp parallel for reduction(min : bad) num_threads(graph_threads(graph, edges->n_edges))
    for (uint64_t i = 0; i < edges->n_edges; i++)
        if (i < bad && (graph_id(edges->from, edges->id_bytes, i) >= n ||
                        graph_id(edges->to, edges->id_bytes, i) >= n || is_bad_weight(edges, i)))
            bad = i;
    if (bad == UINT64_MAX)
        return 0;
    const uint64_t from = graph_id(edges->from, edges->id_bytes, bad),
                   to = graph_id(edges->to, edges->id_bytes, bad);
    if (from >= n || to >= n)
        return graph_fail(GRAVEL_EINVAL,
                          "%s: %s[%" PRIu64 "] is %" PRIu64 " (below n_vertices, %" PRIu64 ")",
                          call, from >= n ? "from" : "to", bad, from >= n ? from : to, n);
    return graph_fail(GRAVEL_EINVAL, "%s: weights[%" PRIu64 "] is %g (0 or more, finite)", call,
                      bad, graph_weight(edges->weight_type, edges->weights, bad));
}

/* ---- create and destroy ------------------------------------------------------------------------ */

/* Are left to threads that wait for messages, if there are many: an idle thread of OpenMP keeps its core for a while. */
#define SPARE_CORES 4u

/* Finds which node this is, of those that have parts of the graph: nodes of one process are one. */
static void find_nodes(struct gravel_graph *graph)
{
    const uint32_t n_cores = gravel_cores(graph->gravel), node = gravel_node(graph->gravel),
                   n_nodes = gravel_n_nodes(graph->gravel);
    const bool is_one = n_nodes == 1 || gravel_is_local(graph->gravel, (node + 1) % n_nodes);
    graph->node = is_one ? 0 : node;
    graph->n_nodes = is_one ? 1 : n_nodes;
    graph->n_threads = (int)(n_cores > 2 * SPARE_CORES ? n_cores - SPARE_CORES : n_cores);
}

/* Divides slots among nodes. The same at every node. */
static int divide_slots(struct gravel_graph *graph)
{
    const uint64_t n = graph->n_vertices, n_nodes = graph->n_nodes,
                   block =
                       ((n + n_nodes - 1) / n_nodes + LEAST_BLOCK - 1) / LEAST_BLOCK * LEAST_BLOCK;
    graph->block = block ? (uint32_t)block : LEAST_BLOCK;
    if (block * n_nodes >= MOST_SLOTS)
        return graph_fail(
            GRAVEL_EINVAL,
            "%s: n_vertices is %" PRIu64 " (of %" PRIu64 " nodes at most %" PRIu64 ")", call, n,
            n_nodes, (MOST_SLOTS - 1) / n_nodes / LEAST_BLOCK * LEAST_BLOCK * n_nodes);
    graph->n_slots = (uint32_t)(graph->block * n_nodes);
    graph->n_own = (uint32_t)((n + n_nodes - 1 - graph->node) / n_nodes);
    return 0;
}

/* Makes what needs no other node. @param slots  [out] of all vertices, to be freed. */
static int make_arrays(struct gravel_graph *graph, uint32_t **slots)
{
    cl_int error;
    graph->context = gravel_cl_context(graph->gravel);
    graph->device = gravel_cl_device(graph->gravel);
    graph->queue = clCreateCommandQueueWithProperties(graph->context, graph->device, NULL, &error);
    GRAPH_TRY(graph_check_cl("clCreateCommandQueueWithProperties", error, 0));
    graph->first = 0;
    graph->n_results = graph->n_vertices;
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_share(graph->gravel, graph->n_vertices, &graph->first, &graph->n_results));
    const uint64_t n_words = graph->n_vertices + graph->n_results + 2 + graph->n_slots;
    *slots = malloc((graph->n_vertices + 1) * sizeof **slots);
    graph->slot_of = malloc((graph->n_results + 1) * sizeof *graph->slot_of);
    graph->vertex_of = malloc((uint64_t)graph->n_slots * sizeof *graph->vertex_of);
    return *slots && graph->slot_of && graph->vertex_of
               ? 0
               : graph_fail_memory("gravel_graph_create: slots of vertices", n_words * 4);
}

/* Orders vertices and spreads edges. Collective. */
static int make(struct gravel_graph *graph, const struct gravel_graph_edges *edges)
{
    uint32_t *slots = NULL;
    GRAPH_TRY(compare(graph, edges));
    graph->n_vertices = edges->n_vertices;
    graph->is_undirected = edges->is_undirected;
    graph->weight_type = edges->weight_type;
    GRAPH_TRY(divide_slots(graph));
    int code = check_edges(graph, edges);
    if (!code)
        code = make_arrays(graph, &slots);
    code = graph_agree(graph, call, code);
    if (!code) {
        code = graph_progress(graph, call, graph_order(graph, call, edges, slots), 1, 2);
        code = graph_agree(graph, call, code);
    }
    if (!code) {
        code = graph_progress(graph, call, graph_spread(graph, edges, slots), 2, 2);
        code = graph_agree(graph, call, code);
    }
    if (!code)
        memcpy(graph->slot_of, slots + graph->first, graph->n_results * sizeof *slots);
    free(slots);
    return code;
}

static void free_graph(struct gravel_graph *graph)
{
    graph_rows_free(graph, &graph->push);
    graph_rows_free(graph, &graph->pull);
    if (graph->queue)
        clReleaseCommandQueue(graph->queue);
    free(graph->slot_of);
    free(graph->vertex_of);
    free(graph->from);
    free(graph->to);
    free(graph->weights);
    free(graph->given);
    free(graph);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

int gravel_graph_create(struct gravel_graph **out, struct gravel *gravel,
                        const struct gravel_graph_edges *edges)
{
    const uint64_t begin = now_ns();
    if (out)
        *out = NULL;
    if (!gravel)
        return graph_fail(GRAVEL_EINVAL, "%s: gravel is NULL", call);
    struct gravel_graph nodes = {.gravel = gravel}, *graph = malloc(sizeof *graph);
    find_nodes(&nodes);
    int code = !out     ? graph_fail(GRAVEL_EINVAL, "%s: out is NULL", call)
               : !edges ? graph_fail(GRAVEL_EINVAL, "%s: edges is NULL", call)
               : !graph ? graph_fail_memory(call, sizeof *graph)
                        : check_members(edges);
    code = graph_agree(&nodes, call, code);
    if (code) {
        free(graph);
        return code;
    }
    *graph = nodes;
    code = make(graph, edges);
    if (code) {
        free_graph(graph);
        return code;
    }
    graph->create_ns = now_ns() - begin;
    *out = graph;
    return 0;
}

int gravel_graph_facts_read(const struct gravel_graph *graph, struct gravel_graph_facts *facts,
                            size_t bytes)
{
    if (!graph || !facts)
        return graph_fail(GRAVEL_EINVAL, "gravel_graph_facts_read: %s is NULL",
                          graph ? "facts" : "graph");
    if (bytes < sizeof *facts)
        return graph_fail(GRAVEL_EINVAL, "gravel_graph_facts_read: bytes is %zu (%zu)", bytes,
                          sizeof *facts);
    memset(facts, 0, bytes); /* members of a later version are 0 */
    *facts = (struct gravel_graph_facts){.n_vertices = graph->n_vertices,
                                         .n_edges = graph->n_given,
                                         .first = graph->first,
                                         .n = graph->n_results,
                                         .device_bytes = graph->device_bytes,
                                         .create_ns = graph->create_ns};
    return 0;
}

int gravel_graph_destroy(struct gravel_graph *graph)
{
    if (!graph)
        return 0;
    GRAPH_TRY(graph_enter(graph, "gravel_graph_destroy"));
    struct graph_kept *const kept[] = {&graph->bfs,          &graph->bfs_parents, &graph->sssp,
                                       &graph->sssp_parents, &graph->components,  &graph->forest,
                                       &graph->betweenness,  &graph->triangles,   &graph->colors,
                                       &graph->cores,        &graph->results};
    const int code = gravel_barrier(graph->gravel);
    graph_pagerank_free(graph);
    for (size_t i = 0; i < GRAPH_N(kept); i++)
        graph_kept_free(graph, kept[i]);
    free_graph(graph);
    return code;
}
