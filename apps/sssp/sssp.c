/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex to all, over a graph whose vertices, and the edges that leave
 * them, are spread over all nodes.
 *
 * Every vertex that came nearer offers each neighbour a distance. An own neighbour's is lowered in
 * place; of another node's vertex an accumulator keeps the least offer, and sends that, a word a
 * vertex and round. With --send-own every offer is a message, to own vertices too. An owner finds
 * what came nearer by a second copy of its distances (rounds.c). On one node, with --stay the search
 * is one kernel, which stays on the device (stay.c), and with --schedule vertices are tasks of groups'
 * deques (scheduled.c).
 *
 * Path:    main -> open_node (upload.c, this node's part; width.c) -> search -> rounds.c, scheduled.c or stay.c
 *          -> problem.c
 * Owner:   open_node makes what close_node frees.
 * Threads: main's, and its own, which it joins.
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003;
 *          Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags, weights); Che et al., Pannotia, 2013;
 *          Orr et al. 2015, section 5.3; Orr 2016, section 5.4.2.
 */
#include "sssp/sssp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS_BYTES 32768 /* of the heap, for --stay */

/* ---- source ---------------------------------------------------------------------------------- */

static bool is_own(const struct sssp *sssp, uint64_t v)
{
    return partition_has(&sssp->part.partition, sssp->part.node, v);
}

static void draw_source(struct sssp *sssp)
{
    const uint64_t n = sssp->part.survey.n_vertices;
    const uint64_t drawn = graph_draw_vertex(n, sssp->options.seed);
    const uint64_t steps = graph_steps_to_edges(&sssp->part.rows, sssp->part.first, n, drawn);
    sssp->source = (drawn + node_least(&sssp->node, steps)) % n;
}

/* ---- open and close -------------------------------------------------------------------------- */

/* So many at most, whatever groups a node takes: heaps are alike. */
static uint64_t filled_most(uint64_t n)
{
    return n + (uint64_t)SCANNED * NODE_MAX_GROUP;
}

/* What can only be judged by the graph. */
static void check_options(const struct sssp *sssp)
{
    const uint64_t n = sssp->part.survey.n_vertices;
    if (sssp->source != SSSP_DRAW_SOURCE && sssp->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)sssp->source,
            (unsigned long long)n - 1);
    if (!sssp->is_float && sssp->delta != SSSP_CHOOSE_WIDTH &&
        (sssp->delta != floor(sssp->delta) || sssp->delta > (double)UINT32_MAX))
        die("-d: weights are whole numbers, and %g is not in 0..%u", sssp->delta, UINT32_MAX);
    if (sssp->node.schedule && (sssp->delta > 0 || sssp->worth > 0 || sssp->sends_own))
        die("--schedule: no --delta, --worth, --send-own and --model");
    if (sssp->stays && (sssp->node.schedule || sssp->worth > 0 || sssp->sends_own))
        die("--stay: no --schedule, --worth, --send-own and --model");
}

static void open_node(void *self)
{
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    sssp->way = node->schedule ? &sssp_scheduled : sssp->stays ? &sssp_stay : &sssp_rounds;
    part_survey(&sssp->part, sssp->options.seed, (struct part_wish){.refuse_negative = true});
    sssp->is_float = sssp_is_float(&sssp->part.survey);
    sssp->sends_own |= node->model != model_gravel;
    check_options(sssp);
    /* As for one node, because only an open node knows how many there are. */
    node_open(node, filled_most(sssp->part.survey.n_vertices) * sizeof(cl_uint) +
                        (sssp->stays ? ROUNDS_BYTES : 0));
    node_part(node, &sssp->part);
    graph_draw_weights(&sssp->part.rows, sssp->part.first, sssp->options.seed);
    if (sssp->source == SSSP_DRAW_SOURCE)
        draw_source(sssp);
    TRY(gravel_alloc(node->gravel, filled_most(sssp->part.partition.block) * sizeof(cl_uint),
                     &sssp->distances));
    if (node->schedule)
        sssp->delta = sssp->worth = 0;
    else
        sssp_choose_widths(sssp);
    sssp_upload(sssp);
    sssp->way->prepare(sssp);
}

static void close_node(void *self)
{
    struct sssp *sssp = self;
    tasks_close(&sssp->tasks);
    TRY(gravel_rounds_destroy(sssp->stay.rounds));
    TRY(gravel_accumulator_destroy(sssp->offers));
    part_close(&sssp->part);
}

/* ---- a trial --------------------------------------------------------------------------------- */

uint32_t *sssp_read(struct sssp *sssp, cl_mem array, uint64_t n)
{
    uint32_t *distances = app_array(n, sizeof *distances, "distances");
    node_read(&sssp->node, array, n * sizeof *distances, distances);
    return distances;
}

/* The source is at 0, and all other vertices are out of reach; nothing is nearer than what is filled up. */
static void reset(void *self)
{
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    const uint64_t n_own = sssp_n_own(sssp);
    const cl_uint zero = 0;
    node_fill(node, sssp->settled, 0, sssp->n_settled * sizeof zero);
    node_fill(node, sssp->settled, SSSP_FAR, n_own * sizeof zero);
    node_fill(node, sssp->best, SSSP_FAR, sssp->n_best * sizeof zero);
    if (is_own(sssp, sssp->source))
        node_write(node, sssp->best,
                   partition_index(&sssp->part.partition, sssp->source) * sizeof zero, sizeof zero,
                   &zero);
    node_fill_heaps(node, sssp->distances, n_own, SSSP_FAR);
    sssp->way->reset(sssp);
    node_finish(node);
    TRY(gravel_barrier(node->gravel));
}

static void search(void *self)
{
    struct sssp *sssp = self;
    sssp->n_rounds = sssp->n_buckets = sssp->n_reached = 0;
    sssp->way->search(sssp);
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"source", 'r', "VERTEX",
     "Start here; vertices count from 0, whatever the file does (one with edges, drawn by --seed)",
     OPTION_NUMBER(struct sssp, source, 0, GRAPH_MAX_VERTICES - 1)},
    {"delta", 'd', "WIDTH",
     "Settle distances in buckets of this width, nearest first; 0: all at once (chosen by weights, "
     "degrees and size of the graph, and by what a round costs)",
     OPTION_REAL(struct sssp, delta)},
    {"worth", 'w', "VERTICES",
     "Let buckets become wider once the front no longer grows and a round lists fewer than these; "
     "0: never (chosen with the width by what a round costs; else 0)",
     OPTION_REAL(struct sssp, worth)},
    SEND_OWN_OPTION(struct sssp, sends_own),
    {"stay", 0, NULL,
     "Keep the search on the device, on one node: for many rounds of few vertices, as a mesh has",
     OPTION_FLAG(struct sssp, stays)},
    TASKS_OPTION(struct sssp, node,
                 "Share the vertices out to groups' deques, on one node, by this policy of "
                 "GRAVEL_STEAL_POLICY"),
    {0}};

/* The search that warmed up tells which vertices are reached. */
static uint64_t count_reached_edges(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    uint32_t *distances = sssp_read(sssp, sssp->settled, sssp_n_own(sssp));
    uint64_t n_edges = 0, n_too_far = 0;
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        n_edges += distances[u] == SSSP_FAR ? 0 : graph_degree(rows, u);
        n_too_far += distances[u] == sssp_too_far(sssp->is_float);
    }
    free(distances);
    n_too_far = node_sum(&sssp->node, n_too_far);
    if (n_too_far)
        die("vertices that are farther away than 32 bits hold: %llu; make the weights smaller",
            (unsigned long long)n_too_far);
    return node_sum(&sssp->node, n_edges);
}

static void describe(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    uint64_t n_reached_edges = count_reached_edges(sssp);
    snprintf(trials->variant, sizeof trials->variant, "%s",
             sssp->node.schedule ? sssp->node.schedule
             : sssp->stays       ? "stay"
             : sssp->delta > 0   ? "delta"
                                 : "rounds");
    trials->work = (double)n_reached_edges;
    part_describe(&sssp->part, sssp->options.seed, sssp->part.survey.n_edges, trials);
    trials_add_number(trials, "source", sssp->source);
    trials_add_real(trials, "delta", sssp->delta);
    trials_add_real(trials, "worth", sssp->worth);
    trials_add_word(trials, "send", sssp->sends_own ? "edges" : "words");
    trials_add_word(trials, "distances", sssp->is_float ? "float" : "uint");
    trials_add_number(trials, "rounds", sssp->n_rounds);
    trials_add_number(trials, "buckets", sssp->n_buckets);
    trials_add_number(trials, "reached_vertices", sssp->n_reached);
    trials_add_number(trials, "reached_edges", n_reached_edges);
}

/*
 * Dijkstra's distances over the whole graph. Each distance must agree in every bit, floats too: rounding never turns two
 * sums round, so the least of all paths is the same whichever way it is found.
 *
 * @return  this node's vertices with a wrong one [count].
 */
static uint64_t compare_with_dijkstra(struct sssp *sssp)
{
    struct graph whole;
    part_whole(&whole, &sssp->part);
    graph_draw_weights(&whole, 0, sssp->options.seed);
    double start = trials_clock();
    uint32_t *distance = sssp_dijkstra(&whole, sssp->is_float, sssp->source);
    sssp->check_s = trials_clock() - start;
    uint32_t *own = sssp_read(sssp, sssp->settled, sssp_n_own(sssp));
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < sssp_n_own(sssp); i++)
        n_wrong += own[i] != distance[sssp->part.first + i];
    free(own);
    free(distance);
    graph_free(&whole);
    return n_wrong;
}

static uint64_t check(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    uint64_t n_wrong = compare_with_dijkstra(sssp);
    trials_add_real(trials, "serial_seconds", sssp->check_s);
    trials_say(trials,
               "  source %llu, %llu rounds in %llu buckets, %llu of %llu vertices reached; "
               "Dijkstra, serial: %.6f s\n",
               (unsigned long long)sssp->source, (unsigned long long)sssp->n_rounds,
               (unsigned long long)sssp->n_buckets, (unsigned long long)sssp->n_reached,
               (unsigned long long)sssp->part.survey.n_vertices, sssp->check_s);
    return n_wrong;
}

static void result(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    tasks_report(&sssp->tasks, trials);
}

static const struct app app = {
    .name = "sssp",
    .unit = "edges/s",
    .doc = "Find the shortest paths from one vertex of a graph to all others, and say how many "
           "edges a second that took.",
    .groups = {{"SSSP:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct sssp, part.options))},
    .has_models = true,
    APP_FIELDS(struct sssp),
    .open = open_node,
    .reset = reset,
    .run = search,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct sssp sssp = {.part.options = GRAPH_OPTIONS_DEFAULT,
                        .source = SSSP_DRAW_SOURCE,
                        .delta = SSSP_CHOOSE_WIDTH,
                        .worth = SSSP_CHOOSE_WIDTH};
    return app_main(&app, &sssp, argc, argv);
}
