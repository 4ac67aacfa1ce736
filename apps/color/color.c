/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring of a graph whose vertices are spread over all nodes.
 *
 * Every vertex has a random priority. Each round, those that come before all their neighbours
 * without a colour take the least colour that is free, and put it to the nodes that have a copy of
 * them.
 *
 * Path: main -> open.c -> rounds.c -> reference.c -> report
 * Source: Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Che, Beckmann, Reinhardt,
 * Skadron, Pannotia, 2013; Orr 2016, section 5.4.2.
 */
#include "color.h"
#include "node_app.h"

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct color *color = state->input;
    (void)value;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    node_app_inputs(state, node_app_graph_children, &color->options, &color->node);
    return 0;
}

static const struct argp argp = {.parser = parse,
                                 .doc = "Colour the vertices of a graph so that neighbours differ, "
                                        "and say how many edges a second that took. Directions of "
                                        "edges, loops and repeated edges do not count.",
                                 .children = node_app_graph_children};

static void reset(void *app)
{
    color_reset(app);
}

static void run_rounds(void *app)
{
    color_run(app);
}

/* One trial, so that the device's compiler has done its work before the clock runs. */
static void warm_up(struct color *color)
{
    color_reset(color);
    color_run(color);
    color->n_colors = color_count(color);
}

static json_t *parameters(const struct color *color)
{
    json_t *object =
        app_graph_parameters(&color->options, color->part.survey.n_vertices, color->n_edges);
    app_add_number(object, "seed", color->options.seed);
    app_add_number(object, "rounds", color->n_rounds);
    app_add_number(object, "colors", color->n_colors);
    app_add_number(object, "group_items", color->node.group_items);
    return object;
}

static uint64_t check(void *app, struct trials *trials)
{
    struct color *color = app;
    uint64_t n_wrong = color_check(color);
    app_add_number(trials->parameters, "serial_colors", color->n_serial);
    json_object_set_new(trials->parameters, "serial_seconds", json_real(color->serial_s));
    if (color->node.number == 0 && !trials->json)
        printf("  %llu colours in %llu rounds; greedy, serial: %llu colours in %.6f s\n",
               (unsigned long long)color->n_colors, (unsigned long long)color->n_rounds,
               (unsigned long long)color->n_serial, color->serial_s);
    return n_wrong;
}

static int run(struct color *color)
{
    static const struct node_app_steps steps = {.reset = reset, .run = run_rounds, .check = check};
    char input[256];
    app_graph_name(input, sizeof input, &color->options);
    struct trials trials = {.name = "color",
                            .input = input,
                            .unit = "edges/s",
                            .work = (double)color->n_edges,
                            .parameters = parameters(color)};
    return node_app_run(&trials, &steps, &color->node, &color->options, color);
}

int main(int argc, char **argv)
{
    struct color color = {.options = OPTIONS_DEFAULT, .node = NODE_DEFAULT};
    options_parse(&argp, argc, argv, &color);
    part_survey(&color.part, &color.options, (struct part_wish){.is_undirected = true});
    color_open(&color);
    warm_up(&color);
    int status = run(&color);
    color_close(&color);
    return status;
}
