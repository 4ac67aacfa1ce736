/* SPDX-License-Identifier: MIT */
/*
 * bfs, color, mst, pagerank and sssp by the library gravel-graph: read, call, check, print. The build makes a program of each
 * row of the table, whose number is PROGRAM. A graph without weights gets whole ones, 1 to 255 at random, the same in both
 * directions. color takes a graph without directions, loops and repeated edges.
 *
 * Path:    main -> open_graph -> gravel_graph_NAME -> the row's check
 * Source:  Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags, weights); graph/ names those of algorithms.
 */
#include "frame/app.h"
#include "graph/part.h"

#include <gravel/graph.h>

#include <stdlib.h>

/* The heap has words of each vertex at every node, and frames of rounds, which take a share of it. */
#define HEAP_BYTES (UINT64_C(128) << 20)
#define HEAP_BYTES_A_VERTEX 48
#define NOT_GIVEN UINT64_MAX

struct graphs {
    struct options options;
    struct node node;
    struct graph_part part;
    struct gravel_graph *graph;
    uint64_t source; /* -r, of a search; NOT_GIVEN: one with edges, drawn */
    struct gravel_graph_pagerank_options asked;
    void *results;   /* 4 bytes for each of this node's vertices; of mst 1 for each edge of these */
    uint64_t n_tree; /* edges of all trees */
    uint32_t n_colors;
};

/* ---- searches ---------------------------------------------------------------------------------- */

static void bfs(struct graphs *self)
{
    TRY(gravel_graph_bfs(self->graph, self->source, self->results, NULL));
}

static void sssp(struct graphs *self)
{
    TRY(gravel_graph_sssp(self->graph, self->source, self->results, NULL));
}

/* Describes what the search that warmed up has reached, whose edges are the work. Collective. */
static void describe_search(struct graphs *self, struct trials *trials)
{
    part_describe_search(&self->part, &self->node, self->source, self->results, trials);
}

static uint64_t check_search(const struct graphs *self)
{
    return part_count_wrong(&self->part, self->results,
                            serial_distances(&self->part.whole, self->source));
}

static const struct app_option search_options[] = {
    {"source", 'r', "VERTEX", "Begin at this vertex (one with edges, drawn)",
     OPTION_NUMBER(struct graphs, source, 0, GRAPH_MAX_VERTICES - 1)},
    {0}};

/* ---- colours ----------------------------------------------------------------------------------- */

static void color(struct graphs *self)
{
    TRY(gravel_graph_color(self->graph, self->results, &self->n_colors));
}

static void say_colors(struct graphs *self, struct trials *trials)
{
    trials_add_number(trials, "colors", self->n_colors);
    trials_say(trials, "  %u colours\n", self->n_colors);
}

/* Orders vertices: the highest degree is first, and of one degree the least number. */
static uint64_t key_of(const struct graph *graph, uint64_t vertex)
{
    return (UINT32_MAX - graph_degree(graph, vertex)) << 32 | vertex;
}

static uint64_t check_colors(const struct graphs *self)
{
    return part_count_wrong(&self->part, self->results, serial_colors(&self->part.whole, key_of));
}

/* ---- trees ------------------------------------------------------------------------------------- */

static void find_trees(struct graphs *self)
{
    TRY(gravel_graph_forest(self->graph, self->results, &self->n_tree));
}

static void say_trees(struct graphs *self, struct trials *trials)
{
    const struct graph *rows = &self->part.rows;
    const uint8_t *is_in = self->results;
    uint64_t weight = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        weight += is_in[e] ? rows->weights[e] : 0;
    weight = node_sum(&self->node, weight);
    trials_add_number(trials, "tree_edges", self->n_tree);
    trials_add_number(trials, "tree_weight", weight);
    trials_say(trials, "  %llu edges of weight %llu\n", (unsigned long long)self->n_tree,
               (unsigned long long)weight);
}

/* Compares with the trees of the whole graph, whose edges are those of all nodes in order. */
static uint64_t check_trees(const struct graphs *self)
{
    const struct graph *whole = &self->part.whole;
    const uint8_t *found = self->results;
    uint8_t *is_in = serial_forest(whole);
    const uint8_t *right = is_in + whole->offsets[self->part.first];
    uint64_t n_wrong = 0, n_tree = 0;
    for (uint64_t e = 0; e < self->part.rows.n_edges; e++)
        n_wrong += found[e] != right[e];
    for (uint64_t e = 0; e < whole->n_edges; e++)
        n_tree += is_in[e];
    free(is_in);
    return n_wrong + (n_tree != self->n_tree);
}

/* ---- ranks ------------------------------------------------------------------------------------- */

static void rank(struct graphs *self)
{
    TRY(gravel_graph_pagerank(self->graph, &self->asked, self->results));
}

static void describe_ranks(struct graphs *self, struct trials *trials)
{
    trials->work *= self->asked.n_iterations;
    trials_add_number(trials, "iterations", self->asked.n_iterations);
}

static uint64_t check_ranks(const struct graphs *self)
{
    return part_count_wrong_ranks(
        &self->part, self->results,
        serial_ranks(&self->part.whole, self->asked.damping, self->asked.n_iterations, true));
}

static const struct app_option rank_options[] = {
    {"iterations", 'i', "N", "Make this many iterations (20)",
     OPTION_NUMBER(struct graphs, asked.most_iterations, 1, 1000000)},
    {"tolerance", 't', "T", "End when the sum of all changes is below T times the vertices (never)",
     OPTION_REAL(struct graphs, asked.tolerance)},
    {0}};

/* ---- the programs ------------------------------------------------------------------------------ */

enum { BFS, COLOR, MST, PAGERANK, SSSP };

static const struct program {
    const char *name, *doc;
    struct part_wish wish;
    void (*run)(struct graphs *self);
    void (*describe)(struct graphs *self, struct trials *trials); /* may be NULL, as result may */
    void (*result)(struct graphs *self, struct trials *trials);
    const char *method;                           /* of the check, serial */
    uint64_t (*check)(const struct graphs *self); /* @return  what is wrong here [count] */
    const struct app_option *options;
} programs[] = {
    [BFS] = {"bfs", "Find the levels of all vertices of a graph, seen from one.", .run = bfs,
             .describe = describe_search, .method = "Dijkstra, serial", .check = check_search,
             .options = search_options},
    [COLOR] = {"color", "Colour the vertices of a graph so that neighbours differ.",
               .wish.is_undirected = true, .run = color, .result = say_colors,
               .method = "greedy, serial", .check = check_colors},
    [MST] = {"mst", "Find a graph's minimum spanning tree, or one for each of its parts.",
             .wish.has_weights = true, .run = find_trees, .result = say_trees,
             .method = "Kruskal, serial", .check = check_trees},
    [PAGERANK] = {"pagerank", "Rank the vertices of a graph.", .run = rank,
                  .describe = describe_ranks, .method = "push along edges, serial",
                  .check = check_ranks, .options = rank_options},
    [SSSP] = {"sssp", "Find the shortest paths from one vertex of a graph to all others.",
              .wish.has_weights = true, .run = sssp, .describe = describe_search,
              .method = "Dijkstra, serial", .check = check_search, .options = search_options}};

static const struct program *const program = &programs[PROGRAM];

/* ---- steps ------------------------------------------------------------------------------------- */

/* Gives the library each edge of the rows; of an undirected graph once, from its lower end. */
static void create(struct graphs *self)
{
    const struct graph *rows = &self->part.rows;
    uint32_t *from = graph_list_sources(rows, self->part.first);
    uint32_t *to = app_array(rows->n_edges, sizeof *to, "edges");
    uint64_t n = 0;
    for (uint64_t e = 0; e < rows->n_edges; e++)
        if (!program->wish.is_undirected || from[e] < rows->neighbours[e]) {
            from[n] = from[e];
            to[n++] = rows->neighbours[e];
        }
    const struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = self->part.whole.n_vertices, .n_edges = n, .from = from,
                           .to = to, .id_bytes = 4, .is_undirected = program->wish.is_undirected,
                           .weights = rows->weights,
                           .weight_type = rows->weights ? GRAVEL_UINT : 0);
    TRY(gravel_graph_create(&self->graph, self->node.gravel, &edges));
    free(to);
    free(from);
}

static void open_graph(void *graphs)
{
    struct graphs *self = graphs;
    struct block_range own;
    uint64_t n_own;
    part_open(&self->part, self->options.seed, program->wish);
    const uint64_t n = self->part.whole.n_vertices;
    if (self->source == NOT_GIVEN)
        self->source = graph_draw_source(&self->part.whole, self->options.seed);
    if (self->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)self->source,
            (unsigned long long)n - 1);
    node_open(&self->node, HEAP_BYTES + HEAP_BYTES_A_VERTEX * n);
    TRY(gravel_share(self->node.gravel, n, &own.first, &n_own)); /* as the library's results are */
    own.last = own.first + n_own;
    node_part(&self->node, &self->part, own);
    self->results = app_array(4 * n_own + self->part.rows.n_edges, 1, "results");
    create(self);
}

static void close_graph(void *graphs)
{
    struct graphs *self = graphs;
    free(self->results);
    TRY(gravel_graph_destroy(self->graph));
    part_close(&self->part);
}

static void run(void *self)
{
    program->run(self);
}

static void describe(void *graphs, struct trials *trials)
{
    struct graphs *self = graphs;
    part_describe(&self->part, trials);
    if (program->describe)
        program->describe(self, trials);
}

static void result(void *self, struct trials *trials)
{
    if (program->result)
        program->result(self, trials);
}

static uint64_t check(void *self, struct trials *trials)
{
    (void)trials;
    return program->check(self);
}

int main(int argc, char **argv)
{
    struct graphs graphs = {.source = NOT_GIVEN,
                            .asked =
                                GRAVEL_GRAPH_PAGERANK(.damping = 0.85, .tolerance = -1,
                                                      .most_iterations = 20, .type = GRAVEL_FLOAT)};
    const struct app app = {.name = program->name,
                            .unit = "edges/s",
                            .doc = program->doc,
                            .groups = {{"Problem:", 1, program->options, 0},
                                       GRAPH_OPTIONS_GROUP(offsetof(struct graphs, part.options))},
                            APP_FIELDS(struct graphs),
                            .open = open_graph,
                            .run = run,
                            .describe = describe,
                            .result = result,
                            .check = check,
                            .method = program->method,
                            .close = close_graph};
    return app_main(&app, &graphs, argc, argv);
}
