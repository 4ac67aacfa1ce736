/* SPDX-License-Identifier: MIT */
/*
 * bench-pagerank: PageRank in plain C, as a peer of apps/pagerank: its graphs, iterations, report.
 *
 *     mpirun -np 2 bench-pagerank --variant mpi-hand --mesh 100000 -i 5 -t 0 -v
 *
 *     mpi-hand   every edge's share goes to the target's owner by way of exchange.c
 *     serial     one rank adds it at once
 *
 * The check pulls, serially and in double precision, over the whole graph turned round.
 *
 * Path:    main -> apps/common/graph_part.c -> iterations -> exchange.c -> report.
 * Memory:  everything lives until the process ends.
 * Threads: the main thread.
 * Source:  Page, Brin, Motwani, Winograd 1999; Orr 2016, section 5.4.2.
 */
#include "app.h"
#include "exchange.h"
#include "graph_part.h"
#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAMPING 0.85
#define TOLERANCE 1e-3 /* of each rank, as in apps/pagerank */

/* What travels: 8 bytes an edge. */
struct record {
    uint32_t index; /* of the target, at its owner */
    float share;
};

struct pagerank {
    struct options options;
    uint64_t n_iterations;
    double no_tolerance; /* every trial makes all iterations; the option is read for likeness */
    bool is_serial;
    struct graph_part part;
    struct exchange exchange;
    uint32_t *to_rank, *to_index; /* [edges] the target's owner, and its place there */
    float *ranks, *shares, *sums; /* [own vertices] */
};

/* ---- options --------------------------------------------------------------------------------- */

enum { KEY_VARIANT = 0x3000 };

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "PageRank:", 1},
    {"iterations", 'i', "N", 0, "Make so many iterations (20)", 0},
    {"tolerance", 't', "0", 0, "Only 0: never stop before", 0},
    {"variant", KEY_VARIANT, "NAME", 0, "mpi-hand, or serial on one rank (mpi-hand)", 0},
    {0}};

static error_t parse_variant(struct argp_state *state, const char *value, bool *is_serial)
{
    *is_serial = strcmp(value, "serial") == 0;
    if (!*is_serial && strcmp(value, "mpi-hand"))
        argp_failure(state, 64, 0, "--variant: '%s' is neither mpi-hand nor serial", value);
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct pagerank *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &self->options;
        return 0;
    case 'i':
        return options_number(state, "-i", value, 1, 1000000, &self->n_iterations);
    case 't':
        if (options_real(state, "-t", value, &self->no_tolerance) == 0 && self->no_tolerance != 0)
            argp_failure(state, 64, 0, "-t: '%s' is not 0", value);
        return 0;
    case KEY_VARIANT:
        return parse_variant(state, value, &self->is_serial);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&options_run_argp, 0, NULL, 0}, {&options_graph_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "PageRank in plain C, on one core a rank.",
                                 .children = children};

/* ---- set-up ---------------------------------------------------------------------------------- */

static void *array_of(uint64_t n, size_t bytes)
{
    void *array = calloc(n ? n : 1, bytes);
    if (!array)
        die("no memory for %llu times %zu bytes", (unsigned long long)n, bytes);
    return array;
}

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
    part_survey(&self->part, &self->options, (struct part_wish){0});
    if (exchange_open(&self->exchange, add_records, self))
        die("no memory for buffers");
    if (self->is_serial && self->exchange.n_ranks > 1)
        die("--variant serial is for one rank, not %u", self->exchange.n_ranks);
    part_open(&self->part, self->exchange.n_ranks, self->exchange.rank);
    const struct graph *rows = &self->part.rows;
    self->to_rank = array_of(rows->n_edges, sizeof *self->to_rank);
    self->to_index = array_of(rows->n_edges, sizeof *self->to_index);
    for (uint64_t e = 0; e < rows->n_edges; e++) {
        self->to_rank[e] = partition_owner(&self->part.partition, rows->neighbours[e]);
        self->to_index[e] = (uint32_t)partition_index(&self->part.partition, rows->neighbours[e]);
    }
    self->ranks = array_of(rows->n_vertices, sizeof *self->ranks);
    self->shares = array_of(rows->n_vertices, sizeof *self->shares);
    self->sums = array_of(rows->n_vertices, sizeof *self->sums);
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* What every vertex gives each neighbour. @return the rank of all vertices without edges. */
static double set_shares(struct pagerank *self)
{
    const struct graph *rows = &self->part.rows;
    double idle = 0;
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
    struct pagerank *self = app;
    (void)trial;
    for (uint64_t i = 0; i < self->n_iterations; i++) {
        double idle = set_shares(self);
        if (self->is_serial)
            push_here(self);
        else
            push_to_owners(self);
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
        arrays[i] = array_of(graph.n_vertices, sizeof(double));
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
    char input[256];
    app_graph_name(input, sizeof input, &self->options);
    struct trials trials = {.name = "bench-pagerank",
                            .variant = self->is_serial ? "serial" : "mpi-hand",
                            .input = input,
                            .unit = "edges/s",
                            .work = (double)self->part.survey.n_edges * (double)self->n_iterations,
                            .n_nodes = self->exchange.n_ranks,
                            .node = self->exchange.rank,
                            .n_trials = self->options.n_trials,
                            .json = self->options.json};
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
    struct pagerank self = {.options = OPTIONS_DEFAULT, .n_iterations = 20};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    MPI_Init(&argc, &argv);
    set_up(&self);
    uint64_t n_wrong = run(&self);
    exchange_close(&self.exchange);
    part_close(&self.part);
    MPI_Finalize();
    free(self.to_rank);
    free(self.to_index);
    free(self.ranks);
    free(self.shares);
    free(self.sums);
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
