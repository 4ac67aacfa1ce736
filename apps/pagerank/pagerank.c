/* SPDX-License-Identifier: MIT */
/*
 * PageRank of a graph whose vertices, and the edges that leave them, are spread over all nodes in
 * blocks.
 *
 * An iteration sums up what a node's vertices give each vertex, and sends the sums for vertices of
 * other nodes, a word each (pull.c). With --send-own every edge is a message (push.c). Vertices without edges give their rank to all. The float form
 * is the usual one; the fixed-point form gives the same bits on any number of nodes.
 *
 * Path: main -> open_node (this node's part) -> iterate (pull.c or push.c) -> pagerank.cl -> check.c -> report
 * Owner: open_node makes what close_node frees.
 * Threads: main's.
 * Source: Page, Brin, Motwani, Winograd 1999; Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags, start,
 * stop, pulling); Dathathri et al., Gluon, PLDI 2018 (reduce); Orr 2016, section 5.4.2.
 */
#include "pagerank.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_ITERATIONS 1000000
#define PLAN_BYTES (UINT64_C(64) << 10)

static uint64_t n_groups(const struct pagerank *pagerank)
{
    const uint64_t group_items = pagerank->node.group_items;
    return (pagerank_n_own(pagerank) + group_items - 1) / group_items;
}

/* ---- open and close -------------------------------------------------------------------------- */

static void upload_degrees(struct pagerank *pagerank)
{
    uint64_t n = pagerank_n_own(pagerank);
    cl_uint *degrees = app_array(n, sizeof *degrees, "a list of edges");
    for (uint64_t u = 0; u < n; u++)
        degrees[u] = (cl_uint)graph_degree(&pagerank->part.rows, u);
    pagerank->degree = node_upload(&pagerank->node, n * sizeof *degrees, degrees);
}

/* The last word is no chunk's. */
static size_t partial_bytes(const struct pagerank *pagerank)
{
    return (pagerank->n_chunks + 1) * pagerank_rank_bytes(pagerank);
}

static void build(struct pagerank *pagerank)
{
    extern const char pagerank_cl[];
    char defines[64];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DEACH=%u%s%s", pagerank->node.group_items,
             pagerank->n_each, pagerank->is_fixed ? " -DPAGERANK_FIXED" : "",
             pagerank->node.schedule ? " -DHAS_TASKS" : "");
    node_build(&pagerank->node, "pagerank.cl", pagerank_cl, defines);
}

static void open_node(void *self)
{
    struct pagerank *pagerank = self;
    struct node *node = &pagerank->node;
    pagerank->sends_edges |= node->model != model_gravel;
    pagerank->way = pagerank->sends_edges ? &pagerank_pushed : &pagerank_pulled;
    if (node->schedule && pagerank->sends_edges)
        die("--schedule: no --send-own and no --model, as its vertices pull");
    part_survey(&pagerank->part, pagerank->options.seed, (struct part_wish){.no_weights = true});
    /* The heap suffices for one node alone, because only an open node knows how many there are. Words need sums, slots,
     * and the words that arrive, twice; while nodes exchange plans, of each node some bytes. */
    const uint64_t bytes = pagerank->part.survey.n_vertices * pagerank_rank_bytes(pagerank);
    node_open(node, pagerank->sends_edges ? 2 * bytes : 4 * bytes + PLAN_BYTES);
    node_part(node, &pagerank->part);
    uint64_t block_bytes = pagerank->part.partition.block * pagerank_rank_bytes(pagerank);
    TRY(gravel_alloc(node->gravel, block_bytes, &pagerank->sums[0]));
    pagerank->sums[1] = pagerank->sums[0];
    if (pagerank->sends_edges)
        TRY(gravel_alloc(node->gravel, block_bytes, &pagerank->sums[1]));
    pagerank->way->list(pagerank);
    upload_degrees(pagerank);
    part_forget_edges(&pagerank->part);
    pagerank->partial = node_array(node, partial_bytes(pagerank), NULL);
    pagerank->rank =
        node_array(node, pagerank_n_own(pagerank) * pagerank_rank_bytes(pagerank), NULL);
    pagerank->share =
        node_array(node, pagerank_n_own(pagerank) * pagerank_rank_bytes(pagerank), NULL);
    pagerank->totals =
        node_array(node, 2 * n_groups(pagerank) * pagerank_rank_bytes(pagerank), NULL);
    build(pagerank);
    pagerank->apply = node_kernel(node, "apply");
    NODE_SET(pagerank->apply, 2, ARRAY(pagerank->rank), ARRAY(pagerank->share),
             ARRAY(pagerank->degree));
    NODE_SET(pagerank->apply, 8, ARRAY(pagerank->totals), ARRAY(pagerank->chunks),
             ARRAY(pagerank->partial));
    pagerank->way->prepare(pagerank);
}

static void close_node(void *self)
{
    struct pagerank *pagerank = self;
    tasks_close(&pagerank->tasks);
    part_close(&pagerank->part);
    TRY(gravel_mirror_destroy(pagerank->slots));
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* Sums the groups' totals, then all nodes'. */
static void sum_totals(struct pagerank *pagerank)
{
    const bool is_fixed = pagerank->is_fixed;
    const uint64_t n = 2 * n_groups(pagerank);
    uint64_t fixed[2] = {0, 0};
    double real[2] = {0, 0};
    union rank *totals = app_array(n, sizeof *totals, "the groups' totals");
    node_read(&pagerank->node, pagerank->totals, n * pagerank_rank_bytes(pagerank), totals);
    for (uint64_t i = 0; i < n; i++)
        if (is_fixed)
            fixed[i % 2] += ((const cl_ulong *)totals)[i];
        else
            real[i % 2] += (double)((const cl_float *)totals)[i];
    free(totals);
    TRY(gravel_reduce(pagerank->node.gravel, GRAVEL_ADD, is_fixed ? GRAVEL_ULONG : GRAVEL_DOUBLE,
                      is_fixed ? (void *)fixed : real, 2));
    pagerank->change = is_fixed ? (double)fixed[0] / (double)RANK_ONE : real[0];
    pagerank->idle_fixed = fixed[1];
    pagerank->idle = real[1];
}

static union rank rank_of(const struct pagerank *pagerank, uint64_t fixed, double real)
{
    return pagerank->is_fixed ? (union rank){.fixed = fixed} : (union rank){.real = (cl_float)real};
}

static void set_rank(struct pagerank *pagerank, cl_uint index, union rank rank)
{
    NODE_SET(pagerank->apply, index, {pagerank_rank_bytes(pagerank), &rank});
}

static void apply(struct pagerank *pagerank, uint64_t sums, union rank base, union rank extra)
{
    struct node *node = &pagerank->node;
    NODE_SET(pagerank->apply, 5, ULONG(sums));
    set_rank(pagerank, 6, base);
    set_rank(pagerank, 7, extra);
    node_run(node, pagerank->apply, pagerank_n_own(pagerank));
    sum_totals(pagerank);
}

/* Ranks without sums are their base. */
static void reset(void *self)
{
    struct pagerank *pagerank = self;
    if (pagerank->node.schedule)
        TRY(gravel_steal_stats_reset(pagerank->tasks.steal));
    node_fill(&pagerank->node, pagerank->partial, 0, partial_bytes(pagerank));
    const uint64_t n = pagerank->part.survey.n_vertices;
    apply(pagerank, pagerank->sums[0], rank_of(pagerank, RANK_ONE / n, 1 / (double)n),
          rank_of(pagerank, 0, 0));
}

static void iterate_once(struct pagerank *pagerank, uint64_t sums)
{
    const uint64_t n = pagerank->part.survey.n_vertices;
    pagerank->way->sum(pagerank, sums);
    apply(pagerank, sums,
          rank_of(pagerank, (RANK_ONE - DAMP_FIXED(RANK_ONE)) / n, (1 - DAMPING) / (double)n),
          rank_of(pagerank, pagerank->idle_fixed / n, pagerank->idle / (double)n));
}

static void iterate(void *self)
{
    struct pagerank *pagerank = self;
    pagerank->n_done = 0;
    do
        iterate_once(pagerank, pagerank->sums[pagerank->n_done++ % 2]);
    while (pagerank->n_done < pagerank->n_iterations && pagerank->change >= pagerank->tolerance);
}

/* ---- the program ---------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make at most this many iterations (20)",
     OPTION_NUMBER(struct pagerank, n_iterations, 1, MAX_ITERATIONS)},
    {"tolerance", 't', "SUM",
     "Stop once all ranks together change less than this; 0 never stops (1e-4)",
     OPTION_REAL(struct pagerank, tolerance)},
    {"fixed", 0, NULL, "Add in fixed point: the same bits on any number of nodes",
     OPTION_FLAG(struct pagerank, is_fixed)},
    SEND_OWN_OPTION(struct pagerank, sends_edges),
    TASKS_OPTION(
        struct pagerank, node,
        "Pull ranks instead, by vertices shared out to groups' deques, on one node, by this "
        "policy of GRAVEL_STEAL_POLICY"),
    {0}};

/* All trials make as many iterations as the one that warmed up. */
static void describe(void *self, struct trials *trials)
{
    const struct pagerank *pagerank = self;
    const char *form = pagerank->is_fixed ? "fixed" : "float", *schedule = pagerank->node.schedule;
    snprintf(trials->variant, sizeof trials->variant, "%s%s%s", form, schedule ? "-" : "",
             schedule ? schedule : "");
    trials->work = (double)pagerank->part.survey.n_edges * (double)pagerank->n_done;
    part_describe(&pagerank->part, pagerank->options.seed, pagerank->part.survey.n_edges, trials);
    trials_add_number(trials, "iterations", pagerank->n_done);
    trials_add_real(trials, "tolerance", pagerank->tolerance);
    trials_add_word(trials, "send", pagerank->sends_edges ? "edges" : "words");
}

static void result(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    tasks_report(&pagerank->tasks, trials);
}

static const struct app app = {
    .name = "pagerank",
    .unit = "edges/s",
    .doc = "Rank the vertices of a graph: ranks are pulled along its edges, and nodes send each "
           "other sums. Say how many edges a second that were.",
    .groups = {{"PageRank:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct pagerank, part.options))},
    .has_models = true,
    APP_FIELDS(struct pagerank),
    .open = open_node,
    .reset = reset,
    .run = iterate,
    .describe = describe,
    .result = result,
    .check = check_ranks,
    .close = close_node};

int main(int argc, char **argv)
{
    struct pagerank pagerank = {
        .part.options = GRAPH_OPTIONS_DEFAULT, .n_iterations = 20, .tolerance = 1e-4, .n_each = 1};
    return app_main(&app, &pagerank, argc, argv);
}
