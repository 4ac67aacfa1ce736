/* SPDX-License-Identifier: MIT */
/*
 * PageRank as the dissertation measures it: each iteration sends a message along every edge, to own vertices too, in any
 * model's way. With --schedule one node's vertices pull instead, as tasks that groups steal from each other.
 *
 * Vertices without edges give their rank to none, and so do those of the GAP benchmark suite. The library of graphs has the fast form.
 *
 * Path:    main -> open_node -> iterate -> pagerank.cl -> check
 * Owner:   open_node makes what close_node and node_close free.
 * Threads: main's.
 * Source:  Orr 2016, section 5.4.2; Orr et al. 2015, section 5.3; Beamer, Asanovic, Patterson 2015.
 */
#include "frame/app.h"
#include "frame/tasks.h"
#include "graph/node_part.h"
#include "graph/serial.h"

#include <math.h>
#include <stdlib.h>

#define DAMPING 0.85
#define TOLERANCE 1e-3 /* of each rank: a hub adds many floats one by one */

struct pagerank {
    struct options options;
    uint64_t n_iterations;
    struct node node;
    struct graph_part part;
    uint64_t sums; /* heap offset of float [block] */
    cl_kernel apply, push, pull;
    cl_mem offsets, from, to, rank, shares[2]; /* the second with --schedule */
    struct tasks tasks;                        /* with --schedule; then there is one node */
};

/* ---- open and close -------------------------------------------------------------------------- */

static void prepare_push(struct pagerank *pagerank)
{
    struct node *node = &pagerank->node;
    const struct graph *rows = &pagerank->part.rows;
    pagerank->from =
        node_upload(node, rows->n_edges * sizeof(cl_uint), graph_list_sources(rows, 0));
    pagerank->push = node_kernel(node, "push");
    NODE_SET(pagerank->push, 2, ULONG(pagerank->sums), UINT(pagerank->part.partition.block),
             ARRAY(pagerank->from), ARRAY(pagerank->to), ARRAY(pagerank->shares[0]));
}

static void prepare_pull(struct pagerank *pagerank)
{
    const uint64_t n = pagerank->part.rows.n_vertices;
    if (!pagerank->part.survey.is_symmetric)
        die("--schedule: vertices pull along their own edges, which here do not all go both ways");
    tasks_open_stretches(&pagerank->tasks, &pagerank->node, n);
    pagerank->shares[1] = node_array(&pagerank->node, n * sizeof(cl_float), NULL);
    pagerank->pull = node_kernel(&pagerank->node, "pull");
    NODE_SET(pagerank->pull, 1, UINT(n), FLOAT((1 - DAMPING) / (double)n), ARRAY(pagerank->offsets),
             ARRAY(pagerank->to));
    NODE_SET(pagerank->pull, 7, ARRAY(pagerank->rank));
}

static void open_node(void *self)
{
    extern const char pagerank_cl[];
    struct pagerank *pagerank = self;
    struct node *node = &pagerank->node;
    struct graph_part *part = &pagerank->part;
    if (node->schedule && node->model != model_gravel)
        die("--schedule: vertices pull and send nothing: no --model");
    part_survey(part, pagerank->options.seed, (struct part_wish){.no_weights = true});
    /* Asks for what one node needs: only an open node knows how many there are. */
    node_open(node, part->survey.n_vertices * sizeof(cl_float));
    node_part(node, part);
    const size_t bytes = part->rows.n_vertices * sizeof(cl_float);
    TRY(gravel_alloc(node->gravel, part->partition.block * sizeof(cl_float), &pagerank->sums));
    pagerank->offsets = node_part_offsets(node, part);
    pagerank->to = node_array(node, part->rows.n_edges * sizeof(cl_uint), part->rows.neighbours);
    pagerank->rank = node_array(node, bytes, NULL);
    pagerank->shares[0] = node_array(node, bytes, NULL);
    node_build(node, "pagerank.cl", pagerank_cl, node->schedule ? "-DHAS_TASKS" : "");
    pagerank->apply = node_kernel(node, "apply");
    NODE_SET(pagerank->apply, 2, ULONG(pagerank->sums));
    NODE_SET(pagerank->apply, 4, ARRAY(pagerank->offsets), ARRAY(pagerank->rank),
             ARRAY(pagerank->shares[0]));
    if (node->schedule)
        prepare_pull(pagerank);
    else
        prepare_push(pagerank);
}

static void close_node(void *self)
{
    struct pagerank *pagerank = self;
    tasks_close(&pagerank->tasks);
    part_close(&pagerank->part);
}

/* ---- a trial --------------------------------------------------------------------------------- */

/* Makes ranks of the sums, while no node adds to them. Collective. */
static void apply(struct pagerank *pagerank, double base)
{
    NODE_SET(pagerank->apply, 3, FLOAT(base));
    node_run(&pagerank->node, pagerank->apply, pagerank->part.rows.n_vertices);
    node_finish(&pagerank->node);
    TRY(gravel_barrier(pagerank->node.gravel));
}

/* Ranks without sums are their base. */
static void reset(void *self)
{
    struct pagerank *pagerank = self;
    node_fill_heaps(&pagerank->node, pagerank->sums, pagerank->part.rows.n_vertices, 0);
    apply(pagerank, 1 / (double)pagerank->part.survey.n_vertices);
    if (pagerank->node.schedule)
        TRY(gravel_steal_stats_reset(pagerank->tasks.steal));
}

static void iterate(void *self)
{
    static const struct node_bound bound = {.n_messages = 1, .message_bytes = 8};
    struct pagerank *pagerank = self;
    for (uint64_t i = 0; i < pagerank->n_iterations; i++)
        if (pagerank->node.schedule) {
            NODE_SET(pagerank->pull, 5, ARRAY(pagerank->shares[i % 2]),
                     ARRAY(pagerank->shares[(i + 1) % 2]));
            tasks_run(&pagerank->tasks, pagerank->pull);
        } else {
            node_send(&pagerank->node, pagerank->push, pagerank->part.rows.n_edges, bound);
            TRY(gravel_barrier(pagerank->node.gravel));
            apply(pagerank, (1 - DAMPING) / (double)pagerank->part.survey.n_vertices);
        }
}

/* ---- the program ----------------------------------------------------------------------------- */

static void describe(void *self, struct trials *trials)
{
    const struct pagerank *pagerank = self;
    const uint64_t n_edges = pagerank->part.survey.n_edges;
    trials->work = (double)n_edges * (double)pagerank->n_iterations;
    part_describe(&pagerank->part, pagerank->options.seed, n_edges, trials);
    trials_add_number(trials, "iterations", pagerank->n_iterations);
}

static void result(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    tasks_report(&pagerank->tasks, trials);
}

/* Compares with a serial computation in doubles. @return  this node's vertices with a wrong rank [count] */
static uint64_t check(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    const struct graph_part *part = &pagerank->part;
    const uint64_t n_own = part->rows.n_vertices;
    struct graph whole;
    uint64_t n_wrong = 0;
    part_whole(&whole, part);
    const double begin_s = trials_clock();
    double *ranks = serial_ranks(&whole, DAMPING, pagerank->n_iterations, false);
    trials_add_serial(trials, "a message an edge, serial", begin_s);
    cl_float *own = app_array(n_own, sizeof *own, "the check");
    node_read(&pagerank->node, pagerank->rank, n_own * sizeof *own, own);
    for (uint64_t i = 0; i < n_own; i++) /* a NaN is wrong */
        n_wrong +=
            !(fabs((double)own[i] - ranks[part->first + i]) <= TOLERANCE * ranks[part->first + i]);
    free(own);
    free(ranks);
    graph_free(&whole);
    return n_wrong;
}

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make this many iterations (20)",
     OPTION_NUMBER(struct pagerank, n_iterations, 1, 1000000)},
    TASKS_OPTION(struct pagerank, node,
                 "Pull ranks instead, by vertices shared out to groups' deques, on one node, by "
                 "this policy of GRAVEL_STEAL_POLICY"),
    {0}};

static const struct app app = {
    .name = "pagerank",
    .unit = "edges/s",
    .doc = "Rank the vertices of a graph by a message along every edge, and say how many edges a "
           "second that were.",
    .groups = {{"PageRank:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct pagerank, part.options))},
    .has_models = true,
    APP_FIELDS(struct pagerank),
    .open = open_node,
    .reset = reset,
    .run = iterate,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct pagerank pagerank = {.part.options = GRAPH_OPTIONS_DEFAULT, .n_iterations = 20};
    return app_main(&app, &pagerank, argc, argv);
}
