/* SPDX-License-Identifier: MIT */
/*
 * A spanning forest of least weight. Of several nodes each finds a forest of its own edges and sends it to every other
 * one, once. The forest of all these is the graph's: an edge that a node has left out is the last of a cycle.
 *
 * Of an undirected edge, which is there both ways, one way is enough. Edges have numbers in the order of (part, place),
 * which settle ties. The device has an edge in 16 bytes, or in 24 if its weight or its number needs 64 bits.
 *
 * Path:    gravel_graph_forest -> this -> keep.c, forest.cl, union.cl.h; exchange.c.
 * Owner:   graph->forest, made at the first call.
 * Threads: one at a time; and those of OpenMP.
 * Source:  Boruvka 1926; the cycle property, Tarjan, Data Structures and Network Algorithms, 1983.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char call[] = "gravel_graph_forest";

extern const char graph_forest_cl[];

struct known {
    uint32_t n_live[2], stage[2], n_chosen;
};

/* Of an edge in the order of all. */
struct place {
    uint64_t weight, number;
};
#define LAST_PLACE ((struct place){UINT64_MAX, UINT64_MAX})
#define N_SAMPLE 1024u

/* Buffers that are kept; and memory: struct forest; on several nodes [n_found] edges, own ones first. */
enum { EDGES, FOUND, LABELS, PARENTS, LIGHTEST, LOWEST, LISTS, KNOWN, CHOSEN, IS_IN };
enum { FOREST, FORESTS };

struct forest {
    uint32_t word_bytes; /* of a weight and of a number: 4 or 8 */
    uint32_t edge_bytes;
    uint32_t n_edges;       /* own, of both ways one, and no loops */
    struct place last;      /* of the first edges, which rounds begin with */
    uint64_t n_found;       /* in the forests of all nodes, at most */
    uint64_t first_given[]; /* [n_nodes + 1] number of each part's first edge */
};

/* ---- own edges --------------------------------------------------------------------------------- */

/* Returns whether the forest has edge i from here. The other way is at the target's node, which may be this one. */
static bool is_used(const struct gravel_graph *graph, uint64_t i)
{
    const uint32_t from = graph->from[i], to = graph_first_slot(graph) + graph->to[i];
    if (from == to || !graph->is_undirected)
        return from != to;
    return (from + to) % 2 ? from < to : from > to;
}

/* Returns where edge i is in the order of all: its weight by bits that rise with it, its number. */
static struct place place_of(const struct gravel_graph *graph, const struct forest *forest,
                             uint64_t i)
{
    const uint64_t given = graph->given[i], place = GRAPH_GIVEN_PLACE(given);
    uint64_t weight = 0;
    if (graph->weight_type == GRAVEL_DOUBLE)
        weight = ((const uint64_t *)graph->weights)[i] & INT64_MAX; /* -0 is 0 */
    else if (graph->weight_type)
        weight = ((const uint32_t *)graph->weights)[i];
    if (graph->weight_type == GRAVEL_FLOAT)
        weight &= INT32_MAX;
    return (struct place){weight, forest->first_given[GRAPH_GIVEN_NODE(given)] + place};
}

/* Stores an edge as forest.cl has it. */
static void store(const struct gravel_graph *graph, const struct forest *forest, char *edge,
                  uint64_t i)
{
    const uint32_t word_bytes = forest->word_bytes,
                   ends[] = {graph->from[i], graph_first_slot(graph) + graph->to[i]};
    const struct place place = place_of(graph, forest, i);
    memcpy(edge, ends, sizeof ends);
    memcpy(edge + sizeof ends, &place.weight, word_bytes); /* the low bytes are first */
    memcpy(edge + sizeof ends + word_bytes, &place.number, word_bytes);
}

/* Takes the edges to the device, from where each part of them has been stored. */
static int make_edges(struct gravel_graph *graph, struct forest *forest, cl_mem *out)
{
    const uint64_t n = graph->n_edges, bytes = forest->edge_bytes;
    const uint32_t n_parts = graph_parts(n);
    uint64_t ends[GRAPH_MOST_PARTS], n_used = 0;
    char *edges = malloc(n * bytes + 1);
    if (!edges)
        return graph_fail_memory(call, n * bytes);
#pragma omp parallel for reduction(+ : n_used) num_threads(graph_threads(graph, n))
    for (uint32_t part = 0; part < n_parts; part++) {
        const uint64_t begin = graph_part(n, part, n_parts), end = graph_part(n, part + 1, n_parts);
        ends[part] = begin;
        for (uint64_t i = begin; i < end; i++)
            if (is_used(graph, i))
                store(graph, forest, edges + ends[part]++ * bytes, i);
        n_used += ends[part] - begin;
    }
    forest->n_edges = (uint32_t)n_used;
    int code = graph_buffer(graph, out, NULL, n_used * bytes);
    for (uint32_t part = 0, at = 0; part < n_parts && !code; part++) {
        const uint64_t begin = graph_part(n, part, n_parts), n_here = ends[part] - begin;
        code = graph_write(graph, *out, at * bytes, edges + begin * bytes, n_here * bytes);
        at += (uint32_t)n_here;
    }
    free(edges);
    return code;
}

static int compare(const void *left, const void *right)
{
    const struct place *one = left, *other = right;
    return one->weight != other->weight
               ? (one->weight > other->weight) - (one->weight < other->weight)
               : (one->number > other->number) - (one->number < other->number);
}

/* Finds up to where in the order of edges there is about one for each vertex, by a sample of them. */
static struct place find_last(const struct gravel_graph *graph, const struct forest *forest)
{
    struct place sample[N_SAMPLE];
    if (forest->n_edges <= graph->n_vertices)
        return LAST_PLACE;
    for (uint64_t i = 0; i < N_SAMPLE; i++)
        sample[i] = place_of(graph, forest, graph->n_edges * i / N_SAMPLE);
    qsort(sample, N_SAMPLE, sizeof *sample, compare);
    return sample[N_SAMPLE * graph->n_vertices / forest->n_edges];
}

/* ---- what is made at the first call ------------------------------------------------------------ */

/* Finds each part's first number, and how many edges forests of nodes have. Collective. */
static int number_edges(struct gravel_graph *graph, struct forest *forest)
{
    const uint64_t most = graph->n_vertices * graph->n_nodes;
    uint64_t *counts = forest->first_given + 1;
    forest->word_bytes =
        graph->weight_type == GRAVEL_DOUBLE || graph->n_given >= UINT32_MAX ? 8 : 4;
    forest->edge_bytes = 2 * (uint32_t)sizeof(uint32_t) + 2 * forest->word_bytes;
    forest->n_found = graph->n_given < most ? graph->n_given : most;
    counts[graph->node] = graph->n_part;
    GRAPH_TRY(graph_reduce(graph, GRAVEL_ADD, GRAVEL_ULONG, counts, graph->n_nodes));
    for (uint32_t node = 1; node < graph->n_nodes; node++)
        counts[node] += counts[node - 1];
    return forest->n_found <= UINT32_MAX
               ? 0
               : graph_fail(GRAVEL_ENOMEM, "%s: forests may have %" PRIu64 " edges (below 2^32)",
                            call, forest->n_found);
}

/* Makes the edges, and of several nodes room for those of their forests. */
static int make_own(struct gravel_graph *graph, struct graph_kept *kept, struct forest *forest)
{
    const uint64_t found_bytes = forest->n_found * forest->edge_bytes;
    if (forest->word_bytes == 8 && !graph_has(graph, "cl_khr_int64_extended_atomics"))
        return graph_fail(GRAVEL_ECAPABILITY,
                          "%s: the device has no atomics of 64 bits (double weights need them)",
                          call);
    GRAPH_TRY(make_edges(graph, forest, &kept->buffers[EDGES]));
    forest->last = find_last(graph, forest);
    if (graph->n_nodes == 1)
        return 0;
    GRAPH_TRY(graph_buffer(graph, &kept->buffers[FOUND], NULL, found_bytes));
    kept->memory[FORESTS] = malloc(found_bytes + 1);
    return kept->memory[FORESTS] ? 0 : graph_fail_memory(call, found_bytes);
}

/* Collective. */
static int make(struct gravel_graph *graph, struct graph_kept *kept)
{
    const uint64_t n = graph->n_slots, words = (graph->n_nodes + UINT64_C(1)) * sizeof(uint64_t);
    struct forest *forest = kept->memory[FOREST] = calloc(1, sizeof *forest + words);
    cl_mem *own = kept->buffers;
    int code = forest ? 0 : graph_fail_memory(call, sizeof *forest + words);
    code = graph_agree(graph, call, code);
    if (!code)
        code = number_edges(graph, forest);
    if (code)
        return graph_keep(graph, kept, code);
    code = make_own(graph, kept, forest);
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "forest.cl", .source = graph_forest_cl,
                              .options = forest->word_bytes == 8 ? "-DIS_WIDE" : NULL,
                              .function = "forest");
    const uint32_t most = graph->n_nodes > 1 ? (uint32_t)forest->n_found : 0,
                   room = most > forest->n_edges ? most : forest->n_edges; /* of a list */
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(graph->n_slots),
        GRAPH_ROOM(own[LABELS], n * sizeof(uint32_t)),
        GRAPH_ROOM(own[PARENTS], n * sizeof(uint32_t)),
        GRAPH_ROOM(own[LIGHTEST], n * forest->word_bytes),
        GRAPH_ROOM(own[LOWEST], n * forest->word_bytes),
        GRAPH_ARGUMENT(room),
        GRAPH_ROOM(own[LISTS], UINT64_C(2) * room * sizeof(uint32_t)),
        GRAPH_ROOM(own[KNOWN], sizeof(struct known)),
        GRAPH_ROOM(own[CHOSEN], n * forest->edge_bytes),
        GRAPH_ARGUMENT(forest->first_given[graph->node]),
        GRAPH_ARGUMENT(graph->n_part),
        GRAPH_ROOM(own[IS_IN], graph->n_part + sizeof(uint32_t))};
    return graph_keep_rounds(graph, call, kept, code, &program, 6, arguments, GRAPH_N(arguments));
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Finds the forest of n edges. Collective. @param code  of what came before, at this node. */
static int run(struct gravel_graph *graph, cl_mem edges, uint64_t n, struct place last,
               uint64_t *n_in, int code)
{
    const struct graph_kept *kept = &graph->forest;
    struct known known = {0};
    if (!code)
        code = GRAPH_SET(kept->kernels[0], 2, GRAPH_UINT(n), GRAPH_MEM(edges),
                         GRAPH_ULONG(last.weight), GRAPH_ULONG(last.number));
    if (!code)
        code = graph_fill(graph, kept->buffers[IS_IN], 0, (graph->n_part + 3) / 4 * 4);
    GRAPH_TRY(graph_run(graph, call, kept, code));
    code =
        graph_agree(graph, call, graph_read(graph, kept->buffers[KNOWN], 0, &known, sizeof known));
    *n_in = known.n_chosen;
    return code;
}

/* Edges of forests as they come. */
struct coming {
    const struct gravel_graph *graph;
    char *forests;
    uint64_t bytes;
};

static void take_forest(void *context, uint32_t source, uint64_t at, const void *data,
                        uint64_t bytes)
{
    struct coming *coming = context;
    (void)at;
    if (source == coming->graph->node)
        return;
    memcpy(coming->forests + coming->bytes, data, bytes);
    coming->bytes += bytes;
}

/* Finds the forest of all nodes' forests. Collective. @param n_in  [in, out] edges of this node's; of the whole one. */
static int join_nodes(struct gravel_graph *graph, uint64_t *n_in)
{
    const struct graph_kept *kept = &graph->forest;
    const struct forest *forest = kept->memory[FOREST];
    const uint64_t most = graph->n_vertices * forest->edge_bytes,
                   own_bytes = *n_in * forest->edge_bytes;
    struct coming come = {graph, kept->memory[FORESTS], own_bytes};
    int code = graph_read(graph, kept->buffers[CHOSEN], 0, come.forests, own_bytes);
    code = graph_exchange_once(graph, code, most, come.forests, 0, own_bytes, NULL, take_forest,
                               &come);
    if (!code)
        code = graph_write(graph, kept->buffers[FOUND], 0, come.forests, come.bytes);
    return run(graph, kept->buffers[FOUND], come.bytes / forest->edge_bytes, LAST_PLACE, n_in,
               code);
}

int gravel_graph_forest(struct gravel_graph *graph, uint8_t *is_in, uint64_t *n_in)
{
    uint64_t n = 0;
    GRAPH_TRY(graph_enter(graph, call));
    struct graph_kept *kept = &graph->forest;
    GRAPH_TRY(graph_check_out(graph, call, "is_in", is_in, graph->n_part));
    if (!kept->is_whole)
        GRAPH_TRY(make(graph, kept));
    const struct forest *forest = kept->memory[FOREST];
    GRAPH_TRY(run(graph, kept->buffers[EDGES], forest->n_edges, forest->last, &n, 0));
    if (graph->n_nodes > 1)
        GRAPH_TRY(join_nodes(graph, &n));
    const int code = graph_read(graph, kept->buffers[IS_IN], 0, is_in, graph->n_part);
    GRAPH_TRY(graph_agree(graph, call, code));
    if (n_in)
        *n_in = n;
    return 0;
}
