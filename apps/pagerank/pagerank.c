/* SPDX-License-Identifier: MIT */
/*
 * PageRank by the library gravel-graph: read, call, check, print.
 *
 * Path:    main -> node_graph -> gravel_graph_pagerank -> check
 * Owner:   node_graph.c's.
 * Threads: main's.
 * Source:  Page, Brin, Motwani, Winograd, The PageRank Citation Ranking, 1999; Beamer, Asanovic, Patterson, The GAP
 *          Benchmark Suite, 2015 (flags).
 */
#include "graph/node_graph.h"
#include "graph/serial.h"

#include <math.h>
#include <stdlib.h>

/* How far a rank may be from the serial one, of that: floats, doubles. */
#define FLOAT_TOLERANCE 1e-3
#define DOUBLE_TOLERANCE 1e-9

struct pagerank {
    struct node_graph graph; /* results: ranks */
    double tolerance;        /* ends it once all ranks together change less; 0: never */
    bool is_double;
    struct gravel_graph_pagerank_options asked;
};

static void rank(void *self)
{
    struct pagerank *pagerank = self;
    /* The library never ends by a negative one, and takes 0 for its own. */
    pagerank->asked.tolerance =
        pagerank->tolerance > 0
            ? pagerank->tolerance / (double)pagerank->graph.part.whole.n_vertices
            : -1;
    pagerank->asked.type = pagerank->is_double ? GRAVEL_DOUBLE : GRAVEL_FLOAT;
    TRY(gravel_graph_pagerank(pagerank->graph.graph, &pagerank->asked, pagerank->graph.results));
}

/* All trials make as many iterations as the one that warmed up. */
static void describe(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    snprintf(trials->variant, sizeof trials->variant, "%s",
             pagerank->is_double ? "double" : "float");
    node_graph_describe(self, trials);
    trials->work *= pagerank->asked.n_iterations;
    trials_add_number(trials, "iterations", pagerank->asked.n_iterations);
    trials_add_real(trials, "tolerance", pagerank->tolerance);
}

/* @return  this node's vertices with a wrong rank [count]; a NaN is wrong. */
static uint64_t check(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    const struct graph_part *part = &pagerank->graph.part;
    const void *ranks = pagerank->graph.results;
    const double tolerance = pagerank->is_double ? DOUBLE_TOLERANCE : FLOAT_TOLERANCE;
    uint64_t n_wrong = 0;
    const double begin_s = trials_clock();
    double *right =
        serial_ranks(&part->whole, pagerank->asked.damping, pagerank->asked.n_iterations, true);
    trials_add_serial(trials, "push along edges, serial", begin_s);
    for (uint64_t i = 0; i < part->rows.n_vertices; i++) {
        const double found =
            pagerank->is_double ? ((const double *)ranks)[i] : (double)((const float *)ranks)[i];
        n_wrong += !(fabs(found - right[part->first + i]) <= tolerance * right[part->first + i]);
    }
    free(right);
    return n_wrong;
}

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make at most this many iterations (20)",
     OPTION_NUMBER(struct pagerank, asked.most_iterations, 1, 1000000)},
    {"tolerance", 't', "SUM",
     "Stop once all ranks together change less than this; 0 never stops (1e-4)",
     OPTION_REAL(struct pagerank, tolerance)},
    {"double", 0, NULL, "Compute in double precision", OPTION_FLAG(struct pagerank, is_double)},
    {0}};

static const struct app app = {
    .name = "pagerank",
    .doc = "Rank the vertices of a graph, and say how many edges a second that were, over all "
           "iterations.",
    NODE_GRAPH_APP("PageRank:", own_options),
    .run = rank,
    .describe = describe,
    .check = check};

int main(int argc, char **argv)
{
    struct pagerank pagerank = {.graph = NODE_GRAPH_DEFAULT(.vertex_bytes = sizeof(double)),
                                .tolerance = 1e-4,
                                .asked = GRAVEL_GRAPH_PAGERANK(.damping = 0.85)};
    pagerank.asked.most_iterations = 20;
    return app_main(&app, &pagerank, argc, argv);
}
