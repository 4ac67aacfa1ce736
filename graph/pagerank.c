/* SPDX-License-Identifier: MIT */
/*
 * PageRank, as NetworkX defines it and counts its iterations: what is asked for and what comes out. See pull.c.
 *
 * Path:    gravel_graph_pagerank -> this -> ranks.c, pull.c, exchange.c -> results.c.
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

/* Finds each own vertex's share: 1 / weight out, or 0. Collective. @param words  [n_slots] own slots' are found */
static int find_shares(struct gravel_graph *graph, double *words)
{
    double *shares = words + graph_first_slot(graph);
    memset(words, 0, graph->n_slots * sizeof *words);
    for (uint64_t edge = 0; edge < graph->n_edges; edge++)
        words[graph->from[edge]] += graph_weight(graph->weight_type, graph->weights, edge);
    GRAPH_TRY(graph_add_up(graph, words, true));
    for (uint32_t i = 0; i < graph->block; i++)
        shares[i] = shares[i] > 0 ? 1 / shares[i] : 0;
    return 0;
}

/* Brings the personalization to the owners of its vertices, its sum being 1. Collective. @param words  as find_shares */
static int find_wishes(struct gravel_graph *graph, const double *personalization, double *words)
{
    double *own = words + graph_first_slot(graph), sum = 0;
    memset(words, 0, graph->n_slots * sizeof *words);
    for (uint64_t i = 0; i < graph->n_results; i++)
        words[graph->slot_of[i]] = personalization[i];
    GRAPH_TRY(graph_add_up(graph, words, true));
    for (uint32_t v = 0; v < graph->n_own; v++)
        sum += own[v];
    GRAPH_TRY(graph_reduce(graph, GRAVEL_ADD, GRAVEL_DOUBLE, &sum, 1));
    if (!(sum > 0) || isinf(sum))
        return graph_fail(GRAVEL_EINVAL,
                          "%s: the sum of the personalization is %g (more than 0, finite, allowed)",
                          call, sum);
    for (uint32_t v = 0; v < graph->n_own; v++)
        own[v] /= sum;
    return 0;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Returns options with the defaults for what is 0. Those of another size keep it alone, which `check` refuses. */
static struct gravel_graph_pagerank_options
with_defaults(const struct gravel_graph_pagerank_options *options)
{
    struct gravel_graph_pagerank_options used = GRAVEL_GRAPH_PAGERANK();
    if (options && options->bytes == sizeof used)
        used = *options;
    else if (options)
        used.bytes = options->bytes;
    used.damping = used.damping == 0 ? 0.85 : used.damping;
    used.tolerance = used.tolerance == 0 ? 1e-6 : used.tolerance;
    used.most_iterations = used.most_iterations ? used.most_iterations : 100;
    used.type = used.type ? used.type : GRAVEL_DOUBLE;
    return used;
}

/* Refuses what this node gives. */
static int check(const struct gravel_graph *graph,
                 const struct gravel_graph_pagerank_options *options, const void *ranks)
{
    const double *wishes = options->personalization;
    if (options->bytes != sizeof *options)
        return graph_fail(
            GRAVEL_EINVAL,
            "%s: bytes is %zu (%zu expected): make options by GRAVEL_GRAPH_PAGERANK()", call,
            options->bytes, sizeof *options);
    if (!(options->damping >= 0 && options->damping <= 1))
        return graph_fail(GRAVEL_EINVAL, "%s: damping is %g (above 0, up to 1; 0 for 0.85)", call,
                          options->damping);
    if (isnan(options->tolerance))
        return graph_fail(GRAVEL_EINVAL, "%s: tolerance is not a number (any; 0 for 1e-6)", call);
    if (options->most_iterations == UINT32_MAX)
        return graph_fail(GRAVEL_EINVAL, "%s: most_iterations is %u (up to %u; 0 for 100)", call,
                          options->most_iterations, UINT32_MAX - 1);
    if (options->type != GRAVEL_FLOAT && options->type != GRAVEL_DOUBLE)
        return graph_fail(GRAVEL_EINVAL, "%s: type is %u (GRAVEL_FLOAT, GRAVEL_DOUBLE; 0 for it)",
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
        !graph_has_double(graph))
        return graph_fail(GRAVEL_ECAPABILITY, "%s: the device has no double, which %s", call,
                          options->type == GRAVEL_DOUBLE ? "type asks for: use GRAVEL_FLOAT"
                                                         : "the weights are");
    return 0;
}

/* Refuses what nodes give differently. Collective. @param is_wished  [out] there is a personalization */
static int compare(struct gravel_graph *graph, const struct gravel_graph_pagerank_options *options,
                   bool *is_wished)
{
    static const char *const members[] = {"damping", "tolerance", "most_iterations", "type",
                                          "whether there is a personalization"};
    /* The least of each, and of its negative; a node without results has no say in the last. */
    const double values[5] = {options->damping, options->tolerance, options->most_iterations,
                              options->type, options->personalization != NULL};
    double least[10];
    for (int i = 0; i < 5; i++) {
        least[i] = i < 4 || graph->n_results ? values[i] : INFINITY;
        least[5 + i] = i < 4 || graph->n_results ? -values[i] : INFINITY;
    }
    GRAPH_TRY(graph_reduce(graph, GRAVEL_MIN, GRAVEL_DOUBLE, least, 10));
    for (int i = 0; i < 5 && graph->n_vertices; i++)
        if (least[i] != -least[5 + i])
            return graph_fail(GRAVEL_EMISMATCH,
                              "%s: %s: %g at one node and %g at another (the same at every node)",
                              call, members[i], least[i], -least[5 + i]);
    *is_wished = least[4] > 0;
    return 0;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Finds shares, and makes what iterates; finds wishes. Collective. @param words  [n_slots] */
static int prepare(struct gravel_graph *graph, const struct gravel_graph_pagerank_options *options,
                   bool is_made, bool is_wished, double *words)
{
    if (!is_made) {
        graph_pagerank_free(graph);
        GRAPH_TRY(find_shares(graph, words));
        GRAPH_TRY(graph_pull_make(graph, options->type == GRAVEL_DOUBLE,
                                  words + graph_first_slot(graph)));
    }
    return is_wished ? find_wishes(graph, options->personalization, words) : 0;
}

/* Ranks, on a graph whose options are right. Collective. */
static int rank(struct gravel_graph *graph, struct gravel_graph_pagerank_options *options,
                bool is_wished, void *ranks)
{
    const bool is_double = options->type == GRAVEL_DOUBLE,
               is_made = graph->pagerank && graph->pagerank->is_double == is_double;
    double *words = NULL, *own = NULL;
    cl_mem found;
    int code = 0;
    if (!is_made || is_wished) {
        words = malloc(graph->n_slots * sizeof *words);
        code = words ? 0 : graph_fail_memory(call, graph->n_slots * sizeof *words);
        code = graph_agree(graph, call, code);
        if (!code)
            code = prepare(graph, options, is_made, is_wished, words);
    }
    if (!code && is_wished)
        own = words + graph_first_slot(graph);
    if (!code)
        code = graph_pull_iterate(graph, options, own, &found);
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

int gravel_graph_pagerank(struct gravel_graph *graph, struct gravel_graph_pagerank_options *options,
                          void *ranks)
{
    struct gravel_graph_pagerank_options used = with_defaults(options);
    bool is_wished = false;
    GRAPH_TRY(graph_enter(graph, call));
    GRAPH_TRY(graph_agree(graph, call, check(graph, &used, ranks)));
    GRAPH_TRY(compare(graph, &used, &is_wished));
    options = options ? options : &used;
    options->n_iterations = used.n_iterations = 0;
    options->change = used.change = 0;
    if (!graph->n_vertices)
        return 0;
    const int code = rank(graph, &used, is_wished, ranks);
    options->n_iterations = used.n_iterations;
    options->change = used.change;
    return code ? give_up(graph, code) : 0;
}
