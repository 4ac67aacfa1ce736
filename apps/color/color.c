/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring by the library gravel-graph: read, call, check, print. Directions of edges, loops and repeated edges do
 * not count.
 *
 * Path:    main -> open_node -> gravel_graph_color -> check
 * Owner:   open_node makes what close_node frees.
 * Threads: main's.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Hasenplaug et al., Ordering Heuristics for
 *          Parallel Graph Coloring, 2014.
 */
#include "frame/app.h"
#include "graph/greedy.h"
#include "graph/node_part.h"

#include <gravel/graph.h>

/* The heap has a word of each vertex at every node, and what edges take while they travel. */
#define HEAP_BYTES (UINT64_C(128) << 20)
#define HEAP_BYTES_A_VERTEX 16

struct color {
    struct options options;
    struct node node;
    struct graph_part part;
    struct gravel_graph *graph;
    struct gravel_graph_facts facts;
    uint64_t n_edges; /* of the whole graph, each counted at both ends */
    uint32_t *colors; /* [facts.n] */
    uint32_t n_colors;
};

/* Gives each edge once, from the node of its lower end. */
static void create(struct color *color)
{
    const struct graph *rows = &color->part.rows;
    uint32_t *from = app_array(rows->n_edges, sizeof *from, "edges"),
             *to = app_array(rows->n_edges, sizeof *to, "edges");
    struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = color->part.survey.n_vertices, .from = from, .to = to,
                           .id_bytes = 4, .is_undirected = 1);
    for (uint64_t i = 0; i < rows->n_vertices; i++)
        for (uint64_t e = rows->offsets[i]; e < rows->offsets[i + 1]; e++)
            if (rows->neighbours[e] > color->part.first + i) {
                from[edges.n_edges] = (uint32_t)(color->part.first + i);
                to[edges.n_edges++] = rows->neighbours[e];
            }
    TRY(gravel_graph_create(&color->graph, color->node.gravel, &edges));
    TRY(gravel_graph_facts_read(color->graph, &color->facts, sizeof color->facts));
    free(from);
    free(to);
}

static void open_node(void *self)
{
    struct color *color = self;
    part_survey(&color->part, color->options.seed, (struct part_wish){.is_undirected = true});
    node_open(&color->node, HEAP_BYTES + HEAP_BYTES_A_VERTEX * color->part.survey.n_vertices);
    node_part(&color->node, &color->part);
    color->n_edges = node_sum(&color->node, color->part.rows.n_edges);
    create(color);
    color->colors = app_array(color->facts.n, sizeof *color->colors, "colours");
}

static void close_node(void *self)
{
    struct color *color = self;
    free(color->colors);
    TRY(gravel_graph_destroy(color->graph));
    part_close(&color->part);
}

static void run(void *self)
{
    struct color *color = self;
    TRY(gravel_graph_color(color->graph, color->colors, &color->n_colors));
}

static void describe(void *self, struct trials *trials)
{
    const struct color *color = self;
    trials->work = (double)color->n_edges;
    part_describe(&color->part, color->options.seed, color->n_edges, trials);
    trials_add_real(trials, "create_seconds", (double)color->facts.create_ns * 1e-9);
    trials_add_number(trials, "colors", color->n_colors);
}

/* Orders vertices: the highest degree is first, and of one degree the least number. */
static uint64_t key_of(const void *whole, uint32_t vertex)
{
    return (UINT32_MAX - graph_degree(whole, vertex)) << 32 | vertex;
}

/* @return  this node's vertices with another colour than the serial one [count] */
static uint64_t check(void *self, struct trials *trials)
{
    struct color *color = self;
    struct graph whole;
    uint64_t n_wrong = 0;
    part_whole(&whole, &color->part);
    const double begin_s = trials_clock();
    uint32_t *right = greedy_colors(&whole, &whole, key_of);
    trials_add_serial(trials, "greedy, serial", begin_s);
    for (uint64_t i = 0; i < color->facts.n; i++)
        n_wrong += color->colors[i] != right[color->facts.first + i];
    trials_say(trials, "  %u colours\n", color->n_colors);
    free(right);
    graph_free(&whole);
    return n_wrong;
}

static const struct app app = {
    .name = "color",
    .unit = "edges/s",
    .doc = "Colour the vertices of a graph so that neighbours differ, and say how many edges a "
           "second that took. Directions of edges, loops and repeated edges do not count.",
    .groups = {GRAPH_OPTIONS_GROUP(offsetof(struct color, part.options))},
    APP_FIELDS(struct color),
    .open = open_node,
    .run = run,
    .describe = describe,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct color color = {.part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &color, argc, argv);
}
