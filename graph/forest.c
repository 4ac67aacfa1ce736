/* SPDX-License-Identifier: MIT */
/*
 * A spanning forest of least weight. Of several nodes each finds a forest of its own edges and sends it to every other
 * one, once. The forest of all these is the graph's: an edge that a node has left out is the last of a cycle.
 *
 * Of an undirected edge, which is there both ways, one way is enough. Edges have numbers in the order of (part, place),
 * which settle ties. The device has an edge in 16 bytes, or in 24 if its weight or its number needs 64 bits.
 *
 * Path:    gravel_graph_forest -> this -> forest.cl, union.cl.h; exchange.c.
 * Owner:   the graph keeps struct graph_forest from the first call on.
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

struct graph_forest {
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    cl_mem edges, found, labels, parents, lightest, lowest, lists, known, chosen, is_in;
    uint32_t word_bytes; /* of a weight and of a number: 4 or 8 */
    uint32_t edge_bytes;
    uint32_t n_edges;      /* own, of both ways one, and no loops */
    uint32_t room;         /* for edges, in a list */
    struct place last;     /* of the first edges, which rounds begin with */
    uint64_t n_found;      /* in the forests of all nodes, at most */
    uint64_t *first_given; /* [n_nodes + 1] number of each part's first edge */
    char *forests;         /* [n_found] edges, own ones first; NULL on a node alone */
    uint64_t come;         /* of them [bytes] */
    struct graph_sent *sent;
};

/* Arguments of the kernel that change; those behind are set once. */
enum { N_EDGES = 2, N = 6 };

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
static struct place place_of(const struct gravel_graph *graph, uint64_t i)
{
    const uint64_t given = graph->given[i], place = GRAPH_GIVEN_PLACE(given);
    uint64_t weight = 0;
    if (graph->weight_type == GRAVEL_DOUBLE)
        weight = ((const uint64_t *)graph->weights)[i] & INT64_MAX; /* -0 is 0 */
    else if (graph->weight_type)
        weight = ((const uint32_t *)graph->weights)[i];
    if (graph->weight_type == GRAVEL_FLOAT)
        weight &= INT32_MAX;
    return (struct place){weight, graph->forest->first_given[GRAPH_GIVEN_NODE(given)] + place};
}

/* Stores an edge as forest.cl has it. */
static void store(const struct gravel_graph *graph, char *edge, uint64_t i)
{
    const uint32_t word_bytes = graph->forest->word_bytes,
                   ends[] = {graph->from[i], graph_first_slot(graph) + graph->to[i]};
    const struct place place = place_of(graph, i);
    memcpy(edge, ends, sizeof ends);
    memcpy(edge + sizeof ends, &place.weight, word_bytes); /* the low bytes are first */
    memcpy(edge + sizeof ends + word_bytes, &place.number, word_bytes);
}

/* Takes the edges to the device, from where each part of them has been stored. */
static int make_edges(struct gravel_graph *graph, struct graph_forest *own)
{
    const uint64_t n = graph->n_edges, bytes = own->edge_bytes;
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
                store(graph, edges + ends[part]++ * bytes, i);
        n_used += ends[part] - begin;
    }
    own->n_edges = (uint32_t)n_used;
    int code = graph_buffer(graph, &own->edges, NULL, n_used * bytes);
    for (uint32_t part = 0, at = 0; part < n_parts && !code; part++) {
        const uint64_t begin = graph_part(n, part, n_parts), n_here = ends[part] - begin;
        code = graph_write(graph, own->edges, at * bytes, edges + begin * bytes, n_here * bytes);
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
static struct place find_last(const struct gravel_graph *graph, const struct graph_forest *own)
{
    struct place sample[N_SAMPLE];
    if (own->n_edges <= graph->n_vertices)
        return LAST_PLACE;
    for (uint64_t i = 0; i < N_SAMPLE; i++)
        sample[i] = place_of(graph, graph->n_edges * i / N_SAMPLE);
    qsort(sample, N_SAMPLE, sizeof *sample, compare);
    return sample[N_SAMPLE * graph->n_vertices / own->n_edges];
}

/* ---- what is made at the first call ------------------------------------------------------------ */

/* Finds each part's first number, and how many edges forests of nodes have. Collective. */
static int number_edges(struct gravel_graph *graph, struct graph_forest *own)
{
    const uint64_t most = graph->n_vertices * graph->n_nodes;
    uint64_t *counts = own->first_given + 1;
    own->word_bytes = graph->weight_type == GRAVEL_DOUBLE || graph->n_given >= UINT32_MAX ? 8 : 4;
    own->edge_bytes = 2 * (uint32_t)sizeof(uint32_t) + 2 * own->word_bytes;
    own->n_found = graph->n_given < most ? graph->n_given : most;
    counts[graph->node] = graph->n_part;
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_ADD, GRAVEL_ULONG, counts, graph->n_nodes));
    for (uint32_t node = 1; node < graph->n_nodes; node++)
        counts[node] += counts[node - 1];
    return own->n_found <= UINT32_MAX
               ? 0
               : graph_fail(GRAVEL_ENOMEM, "%s: forests may have %" PRIu64 " edges (below 2^32)",
                            call, own->n_found);
}

static int make_buffers(struct gravel_graph *graph, struct graph_forest *own)
{
    const uint64_t n = graph->n_slots, bytes = own->edge_bytes;
    if (own->word_bytes == 8 && !graph_has(graph, "cl_khr_int64_extended_atomics"))
        return graph_fail(GRAVEL_ECAPABILITY,
                          "%s: the device has no atomics of 64 bits (double weights need them)",
                          call);
    GRAPH_TRY(make_edges(graph, own));
    own->last = find_last(graph, own);
    own->room = own->n_edges;
    if (graph->n_nodes > 1 && own->n_found > own->room)
        own->room = (uint32_t)own->n_found;
    GRAPH_TRY(graph_buffer(graph, &own->labels, NULL, n * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &own->parents, NULL, n * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &own->lightest, NULL, n * own->word_bytes));
    GRAPH_TRY(graph_buffer(graph, &own->lowest, NULL, n * own->word_bytes));
    GRAPH_TRY(graph_buffer(graph, &own->lists, NULL, UINT64_C(2) * own->room * sizeof(uint32_t)));
    GRAPH_TRY(graph_buffer(graph, &own->known, NULL, sizeof(struct known)));
    GRAPH_TRY(graph_buffer(graph, &own->chosen, NULL, n * bytes));
    GRAPH_TRY(graph_buffer(graph, &own->is_in, NULL, graph->n_part + sizeof(uint32_t)));
    if (graph->n_nodes == 1)
        return 0;
    GRAPH_TRY(graph_buffer(graph, &own->found, NULL, own->n_found * bytes));
    own->forests = malloc(own->n_found * bytes + 1);
    own->sent = calloc(graph->n_nodes, sizeof *own->sent);
    return own->forests && own->sent ? 0 : graph_fail_memory(call, own->n_found * bytes);
}

static int make_kernel(struct gravel_graph *graph, struct graph_forest *own)
{
    GRAPH_TRY(gravel_rounds_kernel(own->rounds, &own->kernel));
    return GRAPH_SET(own->kernel, N, GRAPH_UINT(graph->n_slots), GRAPH_MEM(own->labels),
                     GRAPH_MEM(own->parents), GRAPH_MEM(own->lightest), GRAPH_MEM(own->lowest),
                     GRAPH_UINT(own->room), GRAPH_MEM(own->lists), GRAPH_MEM(own->known),
                     GRAPH_MEM(own->chosen), GRAPH_ULONG(own->first_given[graph->node]),
                     GRAPH_ULONG(graph->n_part), GRAPH_MEM(own->is_in));
}

/* Collective. */
static int make(struct gravel_graph *graph)
{
    struct graph_forest *own = graph->forest = calloc(1, sizeof *own);
    if (own)
        own->first_given = calloc(graph->n_nodes + 1, sizeof *own->first_given);
    int code = own && own->first_given ? 0 : graph_fail_memory(call, sizeof *own);
    code = graph_agree(graph, call, code);
    if (!code)
        code = number_edges(graph, own);
    if (!code)
        code = graph_agree(graph, call, make_buffers(graph, own));
    if (!code) {
        const struct gravel_rounds_program program =
            GRAVEL_ROUNDS_PROGRAM(.name = "forest.cl", .source = graph_forest_cl,
                                  .options = own->word_bytes == 8 ? "-DIS_WIDE" : NULL,
                                  .function = "forest");
        code = gravel_rounds_create(&own->rounds, graph->gravel, &program);
    }
    if (!code)
        code = graph_agree(graph, call, make_kernel(graph, own));
    if (code)
        graph_forest_free(graph);
    return code;
}

void graph_forest_free(struct gravel_graph *graph)
{
    struct graph_forest *own = graph->forest;
    if (!own)
        return;
    gravel_rounds_destroy(own->rounds);
    if (own->kernel)
        clReleaseKernel(own->kernel);
    cl_mem *const buffers[] = {&own->edges,    &own->found,  &own->labels, &own->parents,
                               &own->lightest, &own->lowest, &own->lists,  &own->known,
                               &own->chosen,   &own->is_in};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    free(own->first_given);
    free(own->forests);
    free(own->sent);
    free(own);
    graph->forest = NULL;
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Finds the forest of n edges. Collective. @param code  of what came before, at this node. */
static int run(struct gravel_graph *graph, cl_mem edges, uint64_t n, struct place last,
               uint64_t *n_in, int code)
{
    const struct graph_forest *own = graph->forest;
    struct known known = {0};
    if (!code)
        code = GRAPH_SET(own->kernel, N_EDGES, GRAPH_UINT(n), GRAPH_MEM(edges),
                         GRAPH_ULONG(last.weight), GRAPH_ULONG(last.number));
    if (!code)
        code = graph_fill(graph, own->is_in, 0, (graph->n_part + 3) / 4 * 4);
    GRAPH_TRY(graph_agree(graph, call, code));
    GRAPH_TRY(gravel_rounds_run(own->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, NULL, 0));
    code = graph_agree(graph, call, graph_read(graph, own->known, 0, &known, sizeof known));
    *n_in = known.n_chosen;
    return code;
}

static void take_forest(void *context, uint32_t source, uint64_t at, const void *data,
                        uint64_t bytes)
{
    struct graph_forest *own = context;
    (void)source, (void)at;
    memcpy(own->forests + own->come, data, bytes);
    own->come += bytes;
}

/* Finds the forest of all nodes' forests. Collective. @param n_in  [in, out] edges of this node's; of the whole one. */
static int join_nodes(struct gravel_graph *graph, uint64_t *n_in)
{
    struct graph_forest *own = graph->forest;
    const uint64_t most = graph->n_vertices * own->edge_bytes;
    GRAPH_TRY(graph_exchange_open(graph, most));
    own->come = *n_in * own->edge_bytes;
    int code = graph_read(graph, own->chosen, 0, own->forests, own->come);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        own->sent[node] = (struct graph_sent){own->forests, node == graph->node ? 0 : own->come};
    code = graph_exchange(graph, code, most, own->sent, NULL, take_forest, own);
    GRAPH_KEEP(code, graph_exchange_close(graph));
    if (!code)
        code = graph_write(graph, own->found, 0, own->forests, own->come);
    return run(graph, own->found, own->come / own->edge_bytes, LAST_PLACE, n_in, code);
}

int gravel_graph_forest(struct gravel_graph *graph, uint8_t *is_in, uint64_t *n_in)
{
    uint64_t n = 0;
    int code = 0;
    if (!graph)
        return graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
    if (!is_in && graph->n_part)
        code = graph_fail(GRAVEL_EINVAL, "%s: is_in is NULL (memory for %" PRIu64 ")", call,
                          graph->n_part);
    GRAPH_TRY(graph_agree(graph, call, code));
    if (!graph->forest)
        GRAPH_TRY(make(graph));
    GRAPH_TRY(run(graph, graph->forest->edges, graph->forest->n_edges, graph->forest->last, &n, 0));
    if (graph->n_nodes > 1)
        GRAPH_TRY(join_nodes(graph, &n));
    code = graph_read(graph, graph->forest->is_in, 0, is_in, graph->n_part);
    GRAPH_TRY(graph_agree(graph, call, code));
    if (n_in)
        *n_in = n;
    return 0;
}
