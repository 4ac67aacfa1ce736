/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex to all, over a graph whose vertices, and the edges that leave
 * them, are spread over all nodes.
 *
 * Every vertex that came nearer offers each neighbour a distance: a message that lowers the
 * neighbour's distance, wherever that is, if it is less. An owner finds what came nearer by a
 * second copy of its distances.
 *
 * Path:    main -> open.c -> search.c -> reference.c -> report
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003;
 *          Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags, weights); Orr 2016,
 *          section 5.4.2.
 */
#include "sssp.h"
#include "node_app.h"

#include <math.h>
#include <stdlib.h>

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "SSSP:", 1},
    {"source", 'r', "VERTEX", 0, "Start here (a vertex with edges, drawn by --seed)", 0},
    {"delta", 'd', "WIDTH", 0,
     "Settle distances in buckets of this width, nearest first; 0: all at once (0)", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct sssp *sssp = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        node_app_inputs(state, node_app_graph_children, &sssp->options, &sssp->node);
        return 0;
    case 'r':
        sssp->has_source = true;
        return options_number(state, "-r", value, 0, GRAPH_MAX_VERTICES - 1, &sssp->source);
    case 'd':
        return options_real(state, "-d", value, &sssp->delta);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "Find the shortest paths from one vertex of a graph to all "
                                        "others, and say how many edges a second that took.",
                                 .children = node_app_graph_children};

static void reset(void *app)
{
    sssp_reset(app);
}

static void search(void *app)
{
    sssp_search(app);
}

/* One search, so that the device's compiler has done its work before the clock runs. It also tells
 * which vertices are reached. */
static void warm_up(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    sssp_reset(sssp);
    sssp_search(sssp);
    uint64_t *distances = sssp_read(sssp), n_edges = 0;
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        n_edges += distances[u] == FAR_OF(sssp) ? 0 : graph_degree(rows, u);
    free(distances);
    sssp->n_reached_edges = node_sum(&sssp->node, n_edges);
}

static json_t *parameters(const struct sssp *sssp)
{
    static const char *const forms[] = {"uint", "ulong", "float"};
    const struct graph_survey *survey = &sssp->part.survey;
    json_t *object = app_graph_parameters(&sssp->options, survey->n_vertices, survey->n_edges);
    app_add_number(object, "source", sssp->source);
    json_object_set_new(object, "delta", json_real(sssp->delta));
    json_object_set_new(object, "distances", json_string(forms[sssp->form]));
    app_add_number(object, "rounds", sssp->n_rounds);
    app_add_number(object, "buckets", sssp->n_buckets);
    app_add_number(object, "reached_vertices", sssp->n_reached);
    app_add_number(object, "reached_edges", sssp->n_reached_edges);
    app_add_number(object, "group_items", sssp->node.group_items);
    return object;
}

static uint64_t check(void *app, struct trials *trials)
{
    struct sssp *sssp = app;
    uint64_t n_wrong = sssp_check(sssp);
    json_object_set_new(trials->parameters, "serial_seconds", json_real(sssp->check_s));
    if (sssp->node.number == 0 && !trials->json)
        printf("  source %llu, %llu rounds in %llu buckets, %llu of %llu vertices reached; "
               "Dijkstra, serial: %.6f s\n",
               (unsigned long long)sssp->source, (unsigned long long)sssp->n_rounds,
               (unsigned long long)sssp->n_buckets, (unsigned long long)sssp->n_reached,
               (unsigned long long)sssp->part.survey.n_vertices, sssp->check_s);
    return n_wrong;
}

static int run(struct sssp *sssp)
{
    static const struct node_app_steps steps = {.reset = reset, .run = search, .check = check};
    char input[256];
    app_graph_name(input, sizeof input, &sssp->options);
    struct trials trials = {.name = "sssp",
                            .variant = sssp->delta > 0 ? "delta" : "rounds",
                            .input = input,
                            .unit = "edges/s",
                            .work = (double)sssp->n_reached_edges,
                            .parameters = parameters(sssp)};
    return node_app_run(&trials, &steps, &sssp->node, &sssp->options, sssp);
}

/* What can only be judged by the graph. */
static void check_options(const struct sssp *sssp)
{
    uint64_t n = sssp->part.survey.n_vertices;
    if (sssp->has_source && sssp->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)sssp->source,
            (unsigned long long)n - 1);
    if (sssp->form != SSSP_FLOAT &&
        (sssp->delta != floor(sssp->delta) || sssp->delta > (double)UINT32_MAX))
        die("-d: weights are whole numbers, and %g is not in 0..%u", sssp->delta, UINT32_MAX);
}

int main(int argc, char **argv)
{
    struct sssp sssp = {.options = OPTIONS_DEFAULT, .node = NODE_DEFAULT};
    options_parse(&argp, argc, argv, &sssp);
    part_survey(&sssp.part, &sssp.options, (struct part_wish){.refuse_negative = true});
    sssp_choose_form(&sssp);
    check_options(&sssp);
    sssp_open(&sssp);
    warm_up(&sssp);
    int status = run(&sssp);
    sssp_close(&sssp);
    return status;
}
