/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex to all, over a graph whose vertices, and the edges that leave
 * them, are spread over all nodes.
 *
 * Every vertex that came nearer offers each neighbour a distance. An own neighbour's is lowered in
 * place; of another node's vertex an accumulator keeps the least offer, and sends that, a word a
 * vertex and round. With --send edges an offer is a message. An owner finds what came nearer by a
 * second copy of its distances.
 *
 * Path:    main -> open.c -> search.c -> problem.c -> report
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003;
 *          Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags, weights); Orr 2016,
 *          section 5.4.2.
 */
#include "sssp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static error_t take_source(struct argp_state *state, const struct app_option *option,
                           const char *value, void *field)
{
    struct sssp *sssp = field;
    sssp->has_source = true;
    return option_number(state, option, value, &sssp->source);
}

static error_t take_send(struct argp_state *state, const struct app_option *option,
                         const char *value, void *field)
{
    return option_either(state, option, value, field, "words", "edges");
}

static const struct app_option own_options[] = {
    {"source", 'r', "VERTEX", "Start here (a vertex with edges, drawn by --seed)", take_source, 0,
     0, GRAPH_MAX_VERTICES - 1},
    {"delta", 'd', "WIDTH",
     "Settle distances in buckets of this width, nearest first; 0: all at once (chosen by weights, "
     "degrees and size of the graph, and by what a round costs)",
     OPTION_REAL(struct sssp, delta)},
    {"send", 0, "WHAT",
     "Send the least distance offered to each vertex of another node, or one an edge (words; edges "
     "with --send-own or --model, or distances of 64 bits)",
     take_send, OPTION_AT(struct sssp, send, const char *), 0, 0},
    SEND_OWN_OPTION(struct sssp, sends_own),
    TASKS_OPTION(struct sssp, node,
                 "Share the vertices out to groups' deques, on one node, by this policy of "
                 "GRAVEL_STEAL_POLICY"),
    {0}};

/* The search that warmed up tells which vertices are reached. */
static uint64_t count_reached_edges(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    const uint64_t far = sssp_far(sssp->form);
    uint64_t *distances = sssp_read(sssp), n_edges = 0, n_infinite = 0;
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        n_edges += distances[u] == far ? 0 : graph_degree(rows, u);
        n_infinite +=
            sssp->form == SSSP_FLOAT && distances[u] != far && isinf(sssp_float_of(distances[u]));
    }
    free(distances);
    n_infinite = node_sum(&sssp->node, n_infinite);
    if (n_infinite)
        die("vertices that are farther away than a float holds: %llu; make the weights smaller",
            (unsigned long long)n_infinite);
    return node_sum(&sssp->node, n_edges);
}

static void describe(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    uint64_t n_reached_edges = count_reached_edges(sssp);
    snprintf(trials->variant, sizeof trials->variant, "%s",
             sssp->node.schedule ? sssp->node.schedule
             : sssp->delta > 0   ? "delta"
                                 : "rounds");
    trials->work = (double)n_reached_edges;
    part_describe(&sssp->part, sssp->options.seed, sssp->part.survey.n_edges, trials);
    trials_add_number(trials, "source", sssp->source);
    trials_add_real(trials, "delta", sssp->delta);
    trials_add_word(trials, "send", sssp->send);
    trials_add_word(trials, "own_vertices", sssp->sends_own ? "messages" : "in place");
    trials_add_word(trials, "distances", sssp_form_name(sssp->form));
    trials_add_number(trials, "rounds", sssp->n_rounds);
    trials_add_number(trials, "buckets", sssp->n_buckets);
    trials_add_number(trials, "reached_vertices", sssp->n_reached);
    trials_add_number(trials, "reached_edges", n_reached_edges);
    trials_add_number(trials, "group_items", sssp->node.group_items);
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
    graph_draw_weights(&whole, NULL, sssp->options.seed);
    double start = trials_clock();
    uint64_t *distance = sssp_dijkstra(&whole, sssp->form, sssp->source);
    sssp->check_s = trials_clock() - start;
    uint64_t *own = sssp_read(sssp), n_wrong = 0;
    for (uint64_t i = 0; i < sssp->part.rows.n_vertices; i++)
        n_wrong += own[i] != distance[sssp->part.vertices[i]];
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
    if (sssp->node.schedule)
        tasks_tell(&sssp->tasks, trials);
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
    .open = sssp_open,
    .reset = sssp_reset,
    .run = sssp_search,
    .describe = describe,
    .result = result,
    .check = check,
    .close = sssp_close};

int main(int argc, char **argv)
{
    struct sssp sssp = {.part.options = GRAPH_OPTIONS_DEFAULT, .delta = SSSP_CHOOSE_WIDTH};
    return app_main(&app, &sssp, argc, argv);
}
