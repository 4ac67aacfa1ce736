/* SPDX-License-Identifier: MIT */
/*
 * PageRank, as NetworkX defines it and counts its iterations: what is asked for and what comes out. See pull.c.
 *
 * Path:    gravel_graph_pagerank -> this -> pull.c, exchange.c -> results.c.
 * Owner:   graph->pagerank, made by the first call, freed by graph_pagerank_free.
 * Threads: one at a time.
 */
#include "pagerank.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char call[] = "gravel_graph_pagerank";

/* ---- words of all nodes ---------------------------------------------------------------------- */

static void add_words(void *sums, uint32_t source, uint64_t at, const void *data, uint64_t bytes)
{
    (void)source;
    for (uint64_t i = 0; i < bytes / sizeof(double); i++)
        ((double *)sums)[at / sizeof(double) + i] += ((const double *)data)[i];
}

/* Adds up what all nodes have for each slot. Collective. @param words  [n_slots], then [block] for own slots' sums */
static int add_at_owners(struct gravel_graph *graph, double *words)
{
    const uint64_t bytes = graph->block * sizeof *words;
    double *sums = words + graph->n_slots;
    memset(sums, 0, bytes);
    if (graph->n_nodes == 1) {
        add_words(sums, 0, 0, words, bytes);
        return 0;
    }
    GRAPH_TRY(graph_exchange_open(graph, bytes));
    struct graph_sent *sent = calloc(graph->n_nodes, sizeof *sent);
    int code = sent ? 0 : graph_fail_memory(call, sizeof *sent);
    for (uint32_t node = 0; node < graph->n_nodes && sent; node++)
        sent[node] = (struct graph_sent){words + (uint64_t)node * graph->block, bytes};
    code = graph_exchange(graph, code, bytes, sent, NULL, add_words, sums);
    free(sent);
    code = graph_agree(graph, call, code);
    GRAPH_KEEP(code, graph_exchange_close(graph));
    return code;
}

static double weight_of(const struct gravel_graph *graph, uint64_t edge)
{
    switch (graph->weight_type) {
    case GRAVEL_UINT:
        return ((const uint32_t *)graph->weights)[edge];
    case GRAVEL_FLOAT:
        return (double)((const float *)graph->weights)[edge];
    case GRAVEL_DOUBLE:
        return ((const double *)graph->weights)[edge];
    default:
        return 1;
    }
}

/* Finds each own vertex's share: 1 / weight out, or 0. Collective. @return [block] in words, as add_at_owners */
static int find_shares(struct gravel_graph *graph, double *words)
{
    double *shares = words + graph->n_slots;
    memset(words, 0, graph->n_slots * sizeof *words);
    for (uint64_t edge = 0; edge < graph->n_edges; edge++)
        words[graph->from[edge]] += weight_of(graph, edge);
    GRAPH_TRY(add_at_owners(graph, words));
    for (uint32_t i = 0; i < graph->block; i++)
        shares[i] = shares[i] > 0 ? 1 / shares[i] : 0;
    return 0;
}

/* Brings the personalization to the owners of its vertices, its sum being 1. Collective. @param words  as add_at_owners */
static int find_wishes(struct gravel_graph *graph, const double *personalization, double *words)
{
    double *own = words + graph->n_slots, sum = 0;
    memset(words, 0, graph->n_slots * sizeof *words);
    for (uint64_t i = 0; i < graph->n_results; i++)
        words[graph->slot_of[i]] = personalization[i];
    GRAPH_TRY(add_at_owners(graph, words));
    for (uint32_t v = 0; v < graph->n_own; v++)
        sum += own[v];
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_ADD, GRAVEL_DOUBLE, &sum, 1));
    if (!(sum > 0) || isinf(sum))
        return graph_fail(GRAVEL_EINVAL,
                          "%s: the sum of the personalization is %g (more than 0, finite, allowed)",
                          call, sum);
    for (uint32_t v = 0; v < graph->n_own; v++)
        own[v] /= sum;
    return 0;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool has_double(const struct gravel_graph *graph)
{
    cl_device_fp_config has = 0;
    return !clGetDeviceInfo(graph->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof has, &has, NULL) &&
           has;
}

/* Refuses what this node gives. */
static int check(const struct gravel_graph *graph, const struct gravel_graph_pagerank *options,
                 const void *ranks)
{
    const double *wishes = options->personalization;
    if (options->bytes != sizeof *options)
        return graph_fail(
            GRAVEL_EINVAL,
            "%s: bytes is %zu (%zu expected): make options by GRAVEL_GRAPH_PAGERANK()", call,
            options->bytes, sizeof *options);
    if (!(options->damping >= 0 && options->damping <= 1))
        return graph_fail(GRAVEL_EINVAL, "%s: damping is %g (0 to 1 allowed)", call,
                          options->damping);
    if (!(options->tolerance >= 0))
        return graph_fail(GRAVEL_EINVAL, "%s: tolerance is %g (0 or more allowed)", call,
                          options->tolerance);
    if (options->most_iterations == 0 || options->most_iterations == UINT32_MAX)
        return graph_fail(GRAVEL_EINVAL, "%s: most_iterations is %u (1 to %u allowed)", call,
                          options->most_iterations, UINT32_MAX - 1);
    if (options->type != GRAVEL_FLOAT && options->type != GRAVEL_DOUBLE)
        return graph_fail(GRAVEL_EINVAL, "%s: type is %u (GRAVEL_FLOAT, GRAVEL_DOUBLE allowed)",
                          call, options->type);
    if (!ranks && graph->n_results)
        return graph_fail(GRAVEL_EINVAL, "%s: ranks is NULL (%" PRIu64 " expected)", call,
                          graph->n_results);
    for (uint64_t i = 0; wishes && i < graph->n_results; i++)
        if (!(wishes[i] >= 0) || isinf(wishes[i]))
            return graph_fail(GRAVEL_EINVAL,
                              "%s: personalization[%" PRIu64 "] is %g (0 or more, finite, allowed)",
                              call, i, wishes[i]);
    if ((options->type == GRAVEL_DOUBLE || graph->weight_type == GRAVEL_DOUBLE) &&
        !has_double(graph))
        return graph_fail(GRAVEL_ECAPABILITY, "%s: the device has no double, which %s", call,
                          options->type == GRAVEL_DOUBLE ? "type asks for: use GRAVEL_FLOAT"
                                                         : "the weights are");
    return 0;
}

/* Refuses what nodes give differently. Collective. @param is_wished  [out] there is a personalization */
static int compare(struct gravel_graph *graph, const struct gravel_graph_pagerank *options,
                   bool *is_wished)
{
    static const char *const members[] = {"damping", "tolerance", "most_iterations", "type",
                                          "whether there is a personalization"};
    /* The least of each, and of its negative; a node without results has no say in the last. */
    const double has = options->personalization != NULL, wish = graph->n_results ? has : INFINITY;
    double least[10] = {options->damping,
                        options->tolerance,
                        options->most_iterations,
                        options->type,
                        wish,
                        -options->damping,
                        -options->tolerance,
                        -(double)options->most_iterations,
                        -(double)options->type,
                        graph->n_results ? -has : INFINITY};
    if (graph->n_nodes > 1)
        GRAPH_TRY(gravel_reduce(graph->gravel, GRAVEL_MIN, GRAVEL_DOUBLE, least, 10));
    for (int i = 0; i < 5 && graph->n_vertices; i++)
        if (least[i] != -least[5 + i])
            return graph_fail(GRAVEL_EMISMATCH,
                              "%s: %s: %g at one node and %g at another (the same at every node)",
                              call, members[i], least[i], -least[5 + i]);
    *is_wished = least[4] > 0;
    return 0;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Finds shares, and makes what iterates; finds wishes. Collective. @param words  [n_slots + block] */
static int prepare(struct gravel_graph *graph, const struct gravel_graph_pagerank *options,
                   bool is_made, bool is_wished, double *words)
{
    if (!is_made) {
        graph_pagerank_free(graph);
        GRAPH_TRY(find_shares(graph, words));
        GRAPH_TRY(graph_pull_make(graph, options->type == GRAVEL_DOUBLE, words + graph->n_slots));
    }
    return is_wished ? find_wishes(graph, options->personalization, words) : 0;
}

/* Ranks, on a graph whose options are right. Collective. */
static int rank(struct gravel_graph *graph, struct gravel_graph_pagerank *options, bool is_wished,
                void *ranks)
{
    const bool is_double = options->type == GRAVEL_DOUBLE,
               is_made = graph->pagerank && graph_pull_is_double(graph) == is_double;
    const uint64_t n_words = (uint64_t)graph->n_slots + graph->block;
    double *words = NULL;
    cl_mem found;
    int code = 0;
    if (!is_made || is_wished) {
        words = malloc(n_words * sizeof *words);
        code = words ? 0 : graph_fail_memory(call, n_words * sizeof *words);
        code = graph_agree(graph, call, code);
        if (!code)
            code = prepare(graph, options, is_made, is_wished, words);
    }
    if (!code)
        code =
            graph_pull_iterate(graph, options, is_wished ? words + graph->n_slots : NULL, &found);
    if (!code)
        code = graph_results(graph, call, found, false, is_double ? sizeof(double) : sizeof(float),
                             ranks);
    free(words);
    return code;
}

/* Frees what is half made, or has not ended: the next call makes it again. Collective. */
static int give_up(struct gravel_graph *graph, int code)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", gravel_last_error());
    graph_pagerank_free(graph);
    return gravel_set_error(code, text);
}

int gravel_graph_pagerank(struct gravel_graph *graph, struct gravel_graph_pagerank *options,
                          void *ranks)
{
    struct gravel_graph_pagerank defaults = GRAVEL_GRAPH_PAGERANK();
    bool is_wished = false;
    options = options ? options : &defaults;
    if (!graph)
        return graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
    GRAPH_TRY(graph_agree(graph, call, check(graph, options, ranks)));
    GRAPH_TRY(compare(graph, options, &is_wished));
    options->n_iterations = 0;
    options->change = 0;
    if (!graph->n_vertices)
        return 0;
    const int code = rank(graph, options, is_wished, ranks);
    return code ? give_up(graph, code) : 0;
}
