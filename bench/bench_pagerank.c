/* SPDX-License-Identifier: MIT */
/*
 * bench-pagerank: PageRank in plain C, as a peer of apps/pagerank: its graphs, iterations, report.
 *
 *     mpirun --bind-to none -np 2 bench-pagerank --variant mpi-hand --mesh 100000 -i 5 -t 0 -v
 *
 *     mpi-hand   every edge's share goes to the target's owner by way of exchange.c
 *     serial     one rank adds it at once
 *     pull       one rank, by OpenMP on all cores: every vertex adds up what its sources give it
 *
 * The check pulls, serially and in double precision, over the whole graph turned round.
 *
 * Path:    main -> apps/graph/part.c -> iterations -> exchange.c -> report.
 * Memory:  everything lives until the process ends.
 * Threads: the main thread; with pull OpenMP's, each of which writes the words of its own vertices.
 * Source:  Page, Brin, Motwani, Winograd 1999; Orr 2016, section 5.4.2; pull: Beamer, Asanovic, Patterson, The GAP
 *          Benchmark Suite, 2015.
 */
#include "exchange.h"
#include "frame/die.h"
#include "graph/part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAMPING 0.85
#define TOLERANCE 1e-3 /* of each rank, as in apps/pagerank */
#define PULLED 1024    /* vertices that a thread takes at a time: few enough that hubs spread */

enum variant { MPI_HAND, SERIAL, PULL };

/* What travels: 8 bytes an edge. */
struct record {
    uint32_t index; /* of the target, at its owner */
    float share;
};

struct pagerank {
    struct options options;
    uint64_t n_iterations;
    double no_tolerance; /* every trial makes all iterations; the option is read for likeness */
    enum variant variant;
    struct graph_part part;
    struct graph turned; /* with pull, of a graph that is not symmetric: edges turned round */
    struct exchange exchange;
    uint32_t *to_rank, *to_index; /* [edges] the target's owner, and its place there */
    float *ranks, *shares, *sums; /* [own vertices] */
};

/* ---- options --------------------------------------------------------------------------------- */

static error_t take_tolerance(struct argp_state *state, const struct app_option *option,
                              const char *value, void *field)
{
    double *tolerance = field;
    error_t error = option_real(state, option, value, tolerance);
    return error || *tolerance == 0 ? error : option_refuse(state, option, "'%s' is not 0", value);
}

static const char *const variants[] = {
    [MPI_HAND] = "mpi-hand",
    [SERIAL] = "serial",
#ifdef _OPENMP
    [PULL] = "pull",
#endif
};

static error_t take_variant(struct argp_state *state, const struct app_option *option,
                            const char *value, void *field)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        *(enum variant *)field = (enum variant)i;
        if (!strcmp(value, variants[i]))
            return 0;
    }
    return option_refuse(state, option, "'%s' is none of mpi-hand, serial, pull", value);
}

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make so many iterations (20)",
     OPTION_NUMBER(struct pagerank, n_iterations, 1, 1000000)},
    {"tolerance", 't', "0", "Only 0: never stop before", take_tolerance,
     OPTION_AT(struct pagerank, no_tolerance, double), 0, 0},
    {"variant", 0, "NAME",
     "mpi-hand; on one rank serial, or pull, on all cores, if the compiler has OpenMP (mpi-hand)",
     take_variant, OPTION_AT(struct pagerank, variant, enum variant), 0, 0},
    {0}};

static const struct option_group groups[] = {
    {"PageRank:", 1, own_options, 0},
    OPTIONS_RUN_GROUP(offsetof(struct pagerank, options)),
    GRAPH_OPTIONS_GROUP(offsetof(struct pagerank, part.options))};

/* ---- set-up ---------------------------------------------------------------------------------- */

/* The exchange_apply: add what has arrived. */
static void add_records(void *context, const void *records, uint32_t bytes)
{
    const struct pagerank *self = context;
    const struct record *record = records;
    for (uint32_t i = 0, n = bytes / sizeof *record; i < n; i++)
        self->sums[record[i].index] += record[i].share;
}

static void set_up(struct pagerank *self)
{
    part_survey(&self->part, self->options.seed, (struct part_wish){0});
    if (exchange_open(&self->exchange, add_records, self))
        die("no memory for buffers");
    if (self->variant != MPI_HAND && self->exchange.n_ranks > 1)
        die("--variant %s is for one rank, not %u", variants[self->variant],
            self->exchange.n_ranks);
    part_open(&self->part, self->exchange.n_ranks, self->exchange.rank);
    const struct graph *rows = &self->part.rows;
    self->to_rank = app_array(rows->n_edges, sizeof *self->to_rank, "the edges and ranks");
    self->to_index = app_array(rows->n_edges, sizeof *self->to_index, "the edges and ranks");
    for (uint64_t e = 0; e < rows->n_edges; e++) {
        self->to_rank[e] = partition_owner(&self->part.partition, rows->neighbours[e]);
        self->to_index[e] = (uint32_t)partition_index(&self->part.partition, rows->neighbours[e]);
    }
    if (self->variant == PULL && !self->part.survey.is_symmetric &&
        graph_transpose(&self->turned, rows))
        die("no memory to turn %llu edges round", (unsigned long long)rows->n_edges);
    self->ranks = app_array(rows->n_vertices, sizeof *self->ranks, "the edges and ranks");
    self->shares = app_array(rows->n_vertices, sizeof *self->shares, "the edges and ranks");
    self->sums = app_array(rows->n_vertices, sizeof *self->sums, "the edges and ranks");
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* What every vertex gives each neighbour. @return the rank of all vertices without edges. */
static double set_shares(struct pagerank *self)
{
    const struct graph *rows = &self->part.rows;
    double idle = 0;
#pragma omp parallel for reduction(+ : idle) if (self->variant == PULL)
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        uint64_t degree = graph_degree(rows, u);
        self->shares[u] = degree ? self->ranks[u] / (float)degree : 0;
        idle += degree ? 0 : (double)self->ranks[u];
    }
    MPI_Allreduce(MPI_IN_PLACE, &idle, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return idle;
}

static void push_here(struct pagerank *self)
{
    const struct graph *rows = &self->part.rows;
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            self->sums[self->to_index[e]] += self->shares[u];
}

/* A rank that is alone has all vertices, in their order. */
static void pull_here(struct pagerank *self)
{
    const struct graph *in = self->turned.offsets ? &self->turned : &self->part.rows;
#pragma omp parallel for schedule(dynamic, PULLED)
    for (uint64_t v = 0; v < in->n_vertices; v++) {
        float sum = 0;
        for (uint64_t e = in->offsets[v]; e < in->offsets[v + 1]; e++)
            sum += self->shares[in->neighbours[e]];
        self->sums[v] = sum;
    }
}

/* set_shares' sum over all ranks keeps the iterations apart, as exchange_finish asks. */
static void push_to_owners(struct pagerank *self)
{
    const struct graph *rows = &self->part.rows;
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
            struct record *record =
                exchange_append(&self->exchange, self->to_rank[e], sizeof *record);
            *record = (struct record){self->to_index[e], self->shares[u]};
        }
    exchange_finish(&self->exchange);
}

static void apply_sums(struct pagerank *self, double idle)
{
    double n = (double)self->part.survey.n_vertices;
    float base = (float)((1 - DAMPING) / n), extra = (float)(idle / n);
#pragma omp parallel for if (self->variant == PULL)
    for (uint64_t v = 0; v < self->part.rows.n_vertices; v++) {
        self->ranks[v] = base + (float)DAMPING * (self->sums[v] + extra);
        self->sums[v] = 0;
    }
}

static int reset(void *app, unsigned trial)
{
    struct pagerank *self = app;
    (void)trial;
    for (uint64_t v = 0; v < self->part.rows.n_vertices; v++)
        self->ranks[v] = (float)(1.0 / (double)self->part.survey.n_vertices);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

static int iterate(void *app, unsigned trial)
{
    static void (*const add_up[])(struct pagerank *) = {
        [MPI_HAND] = push_to_owners, [SERIAL] = push_here, [PULL] = pull_here};
    struct pagerank *self = app;
    (void)trial;
    for (uint64_t i = 0; i < self->n_iterations; i++) {
        double idle = set_shares(self);
        add_up[self->variant](self);
        apply_sums(self, idle);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

/* ---- the check ------------------------------------------------------------------------------- */

/* One iteration in double precision: `next` from `ranks`; `shares` is scratch. */
static void pull(const struct graph *graph, const struct graph *turned, const double *ranks,
                 double *shares, double *next)
{
    double n = (double)graph->n_vertices, idle = 0;
    for (uint64_t u = 0; u < graph->n_vertices; u++) {
        uint64_t degree = graph_degree(graph, u);
        shares[u] = degree ? ranks[u] / (double)degree : 0;
        idle += degree ? 0 : ranks[u];
    }
    for (uint64_t v = 0; v < graph->n_vertices; v++) {
        double sum = idle / n;
        for (uint64_t e = turned->offsets[v]; e < turned->offsets[v + 1]; e++)
            sum += shares[turned->neighbours[e]];
        next[v] = (1 - DAMPING) / n + DAMPING * sum;
    }
}

/* Own ranks that are wrong [count]. */
static uint64_t count_wrong(const struct pagerank *self, const double *right)
{
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < self->part.rows.n_vertices; i++) {
        double expected = right[self->part.vertices[i]];
        n_wrong += !(fabs((double)self->ranks[i] - expected) <= TOLERANCE * expected);
    }
    return n_wrong;
}

static uint64_t check(const struct pagerank *self)
{
    struct graph graph, turned;
    part_whole(&graph, &self->part);
    if (graph_transpose(&turned, &graph))
        die("no memory to turn %llu edges round", (unsigned long long)graph.n_edges);
    double *arrays[3];
    for (int i = 0; i < 3; i++)
        arrays[i] = app_array(graph.n_vertices, sizeof(double), "the edges and ranks");
    for (uint64_t v = 0; v < graph.n_vertices; v++)
        arrays[0][v] = 1 / (double)graph.n_vertices;
    for (uint64_t i = 0; i < self->n_iterations; i++)
        pull(&graph, &turned, arrays[i % 2], arrays[2], arrays[(i + 1) % 2]);
    uint64_t n_wrong = count_wrong(self, arrays[self->n_iterations % 2]);
    for (int i = 0; i < 3; i++)
        free(arrays[i]);
    graph_free(&turned);
    graph_free(&graph);
    MPI_Allreduce(MPI_IN_PLACE, &n_wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return n_wrong;
}

/* ---- main ------------------------------------------------------------------------------------ */

static uint64_t run(struct pagerank *self)
{
    struct trials trials = {.name = "bench-pagerank",
                            .unit = "edges/s",
                            .work = (double)self->part.survey.n_edges * (double)self->n_iterations,
                            .n_nodes = self->exchange.n_ranks,
                            .node = self->exchange.rank,
                            .n_trials = self->options.n_trials,
                            .json = self->options.json};
    snprintf(trials.variant, sizeof trials.variant, "%s", variants[self->variant]);
    graph_options_name(&self->part.options, trials.input, sizeof trials.input);
    int status = trials_run(&trials, reset, iterate, self);
    if (status)
        die("cannot run the trials: %s", strerror(-status));
    uint64_t n_wrong = self->options.verify ? check(self) : 0;
    status = trials_report(&trials, !self->options.verify ? TRIALS_UNCHECKED
                                    : n_wrong             ? TRIALS_FAILED
                                                          : TRIALS_PASSED);
    if (status)
        die("cannot write the report: %s", strerror(-status));
    trials_free(&trials);
    return n_wrong;
}

int main(int argc, char **argv)
{
    struct pagerank self = {
        .options = OPTIONS_DEFAULT, .part.options = GRAPH_OPTIONS_DEFAULT, .n_iterations = 20};
    options_parse(groups, sizeof groups / sizeof *groups,
                  "PageRank in plain C, on one core a rank, or on all cores.", &self, argc, argv);
    MPI_Init(&argc, &argv);
    set_up(&self);
    uint64_t n_wrong = run(&self);
    exchange_close(&self.exchange);
    part_close(&self.part);
    graph_free(&self.turned);
    MPI_Finalize();
    free(self.to_rank);
    free(self.to_index);
    free(self.ranks);
    free(self.shares);
    free(self.sums);
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
