/* SPDX-License-Identifier: MIT */
/* Small graphs for tests. See graphs.h. */
#include "graphs.h"

#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define GRID_WIDTH 37u
#define GRID_HEIGHT 23u
#define KRONECKER_SCALE 12u
#define N_RANDOM 300u

struct gravel *node_of_graphs;

static uint64_t draws; /* of the graph that is made */

/* Returns a number below n; the same ones for a shape, whatever its weights. */
static uint64_t draw(uint64_t n)
{
    return mix(draws++ * UINT64_C(0x9e3779b97f4a7c15)) % n;
}

void *must_calloc(uint64_t n, size_t bytes)
{
    void *memory = calloc(n + 1, bytes);
    MUST(memory);
    return memory;
}

bool has_double(void)
{
    cl_device_fp_config has = 0;
    clGetDeviceInfo(gravel_cl_device(node_of_graphs), CL_DEVICE_DOUBLE_FP_CONFIG, sizeof has, &has,
                    NULL);
    return has;
}

void expect_code(int code, int due, const char *text)
{
    if (code != due || !strstr(gravel_last_error(), text))
        die(__FILE__, __LINE__, "%s instead of %s, '%s': %s", gravel_strerror(code),
            gravel_strerror(due), text, gravel_last_error());
}

/* ---- shapes ------------------------------------------------------------------------------------ */

void graphs_add(struct graph_of_test *graph, uint64_t from, uint64_t to)
{
    graph->from[graph->n_edges] = from;
    graph->to[graph->n_edges++] = to;
}

static void path(struct graph_of_test *graph)
{
    for (uint64_t v = 0; v + 1 < graph->n_vertices; v++)
        graphs_add(graph, v, v + 1);
}

static void star(struct graph_of_test *graph)
{
    const uint64_t hub = graph->n_vertices / 2;
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        if (v != hub)
            graphs_add(graph, v % 3 ? hub : v, v % 3 ? v : hub);
}

static void grid(struct graph_of_test *graph)
{
    for (uint64_t v = 0; v < graph->n_vertices; v++) {
        if ((v + 1) % GRID_WIDTH)
            graphs_add(graph, v, v + 1);
        if (v + GRID_WIDTH < graph->n_vertices)
            graphs_add(graph, v + GRID_WIDTH, v);
    }
}

static void random_with_repeats(struct graph_of_test *graph)
{
    for (uint64_t i = 0; i < 4 * N_RANDOM; i++) {
        const uint64_t from = draw(N_RANDOM);
        graphs_add(graph, from, i % 16 == 0 ? from : draw(N_RANDOM / 2));
        if (i % 8 == 0) /* once more, and the other way */
            graphs_add(graph, graph->from[graph->n_edges - 1], graph->to[graph->n_edges - 1]);
        if (i % 11 == 0)
            graphs_add(graph, graph->to[graph->n_edges - 1], graph->from[graph->n_edges - 1]);
    }
}

static void kronecker(struct graph_of_test *graph)
{
    const uint64_t mask = graph->n_vertices - 1;
    for (uint64_t i = 0; i < graph->n_vertices * 16; i++) {
        uint64_t from = 0, to = 0;
        for (unsigned level = 0; level < KRONECKER_SCALE; level++) {
            const uint64_t drawn = draw(100);
            from = from << 1 | (drawn >= 76);
            to = to << 1 | ((drawn >= 57 && drawn < 76) || drawn >= 95);
        }
        graphs_add(graph, (from * 0x9e5 + 77) & mask,
                   (to * 0x9e5 + 77) & mask); /* hubs are anywhere */
    }
}

/* Rings of 1 to 12 vertices, and vertices without edges after each. */
static void disconnected(struct graph_of_test *graph)
{
    for (uint64_t begin = 0, n = 1; begin + n < graph->n_vertices;
         begin += n + n % 3, n = n % 12 + 1)
        for (uint64_t i = 0; i < n; i++)
            graphs_add(graph, begin + i, begin + (i + 1) % n);
}

static const struct shape {
    const char *name;
    uint64_t n_vertices, most_edges;
    void (*make)(struct graph_of_test *graph);
} shapes[] = {
    {"empty", 0, 0, NULL},
    {"one vertex", 1, 0, NULL},
    {"no edges", 200, 0, NULL},
    {"path", 130, 130, path},
    {"star", 500, 500, star},
    {"grid", GRID_WIDTH *GRID_HEIGHT, 2 * GRID_WIDTH *GRID_HEIGHT, grid},
    {"random", N_RANDOM, 12 * N_RANDOM, random_with_repeats},
    {"kronecker-12", 1u << KRONECKER_SCALE, 16u << KRONECKER_SCALE, kronecker},
    {"disconnected", 250, 250, disconnected},
};

static const struct kind {
    const char *name;
    uint32_t weight_type;
} kinds[] = {
    {"no weights", 0}, {"uint", GRAVEL_UINT}, {"float", GRAVEL_FLOAT}, {"double", GRAVEL_DOUBLE}};

#define N_SHAPES (sizeof shapes / sizeof *shapes)
#define N_KINDS (sizeof kinds / sizeof *kinds)

/* ---- graphs ------------------------------------------------------------------------------------ */

struct graph_of_test graphs_new(const char *name, uint64_t n_vertices, uint64_t most_edges)
{
    struct graph_of_test graph = {.n_vertices = n_vertices,
                                  .is_undirected = true,
                                  .from = must_calloc(most_edges, sizeof *graph.from),
                                  .to = must_calloc(most_edges, sizeof *graph.to)};
    snprintf(graph.name, sizeof graph.name, "%s", name);
    return graph;
}

struct graph_of_test graphs_two_hubs(uint64_t n_path, uint64_t n_hub)
{
    struct graph_of_test graph = graphs_new("two hubs", n_path + n_hub + 2, n_path + 2 * n_hub);
    for (uint64_t v = 0; v < n_path; v++)
        graphs_add(&graph, v, v + 1);
    for (uint64_t v = n_path + 1; v <= n_path + n_hub; v++)
        graphs_add(&graph, n_path, v);
    for (uint64_t v = n_path + 1; v <= n_path + n_hub; v++)
        graphs_add(&graph, v, n_path + n_hub + 1);
    return graph;
}

static void *make_weights(const struct graph_of_test *graph)
{
    uint64_t *weights =
        must_calloc(graph->n_edges, sizeof *weights); /* 8 bytes are enough for each type */
    for (uint64_t i = 0; i < graph->n_edges; i++) {
        const uint64_t weight = draw(33);
        if (graph->weight_type == GRAVEL_UINT)
            ((uint32_t *)weights)[i] = (uint32_t)weight;
        else if (graph->weight_type == GRAVEL_FLOAT)
            ((float *)weights)[i] = (float)weight / 4;
        else
            ((double *)weights)[i] = (double)weight / 4;
    }
    return weights;
}

bool graphs_make(struct graph_of_test *out, uint32_t i)
{
    if (i >= N_SHAPES * N_KINDS * 2)
        return false;
    const struct shape *shape = &shapes[i / N_KINDS / 2];
    const struct kind *kind = &kinds[i % N_KINDS];
    *out = graphs_new("", shape->n_vertices, shape->most_edges);
    out->is_undirected = i / N_KINDS % 2;
    out->weight_type = kind->weight_type;
    out->id_bytes = i % 3 * 4;
    snprintf(out->name, sizeof out->name, "%s, %s, %s", shape->name,
             out->is_undirected ? "undirected" : "directed", kind->name);
    draws = 0;
    if (shape->make)
        shape->make(out);
    MUST(out->n_edges <= shape->most_edges);
    out->weights = kind->weight_type ? make_weights(out) : NULL;
    return true;
}

void graphs_make_named(struct graph_of_test *out, const char *name)
{
    for (uint32_t i = 0; graphs_make(out, i); i++) {
        if (!strcmp(out->name, name))
            return;
        graphs_free(out);
    }
    die(__FILE__, __LINE__, "no graph is %s", name);
}

void graphs_free(struct graph_of_test *graph)
{
    free(graph->from);
    free(graph->to);
    free(graph->weights);
    *graph = (struct graph_of_test){0};
}

double graphs_weight(const struct graph_of_test *graph, uint64_t i)
{
    return graph_weight(graph->weight_type, graph->weights, i);
}

/* ---- parts ------------------------------------------------------------------------------------- */

uint32_t graphs_n_givers(void)
{
    const uint32_t n = gravel_n_nodes(node_of_graphs);
    return gravel_is_local(node_of_graphs, (gravel_node(node_of_graphs) + 1) % n) ? 1 : n;
}

/* The first node gives half of what each of the others gives. */
uint64_t graphs_first_edge(const struct graph_of_test *graph, uint32_t node)
{
    const uint64_t n = graphs_n_givers();
    return node == 0   ? 0
           : node >= n ? graph->n_edges
                       : graph->n_edges * (2 * node - 1) / (2 * n - 1);
}

struct gravel_graph_edges graphs_part(const struct graph_of_test *graph)
{
    static uint32_t *narrow[2];
    const uint32_t node = graphs_n_givers() == 1 ? 0 : gravel_node(node_of_graphs);
    const uint64_t first = graphs_first_edge(graph, node),
                   n = graphs_first_edge(graph, node + 1) - first;
    struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = graph->n_vertices, .n_edges = n,
                           .from = graph->from + first, .to = graph->to + first,
                           .id_bytes = graph->id_bytes, .is_undirected = graph->is_undirected,
                           .weight_type = graph->weight_type);
    if (graph->weights)
        edges.weights = (const char *)graph->weights +
                        first * (graph->weight_type == GRAVEL_DOUBLE ? sizeof(double) : 4);
    if (graph->id_bytes != 4)
        return edges;
    for (int end = 0; end < 2; end++) {
        free(narrow[end]);
        narrow[end] = must_calloc(n, sizeof **narrow);
        for (uint64_t i = 0; i < n; i++)
            narrow[end][i] = (uint32_t)(end ? graph->to : graph->from)[first + i];
    }
    edges.from = narrow[0];
    edges.to = narrow[1];
    return edges;
}

/* Returns whether a launch is a phase, or what this machine compiles is for another one's device. */
static bool is_slow(void)
{
    return !strcmp(gravel_step(node_of_graphs), "drain") || getenv("TEST_DEVICE");
}

void graphs_check_one(const struct graph_of_test *graph, graphs_check *check)
{
    const struct gravel_graph_edges part = graphs_part(graph);
    struct gravel_graph *made;
    const int code = gravel_graph_create(&made, node_of_graphs, &part);
    if (code)
        die(__FILE__, __LINE__, "graph %s: %s", graph->name, gravel_last_error());
    check(made, graph);
    OK(gravel_graph_destroy(made));
}

/* Of the table every n-th. */
static void each(uint32_t n, graphs_check *check)
{
    struct graph_of_test graph;
    for (uint32_t i = 0; graphs_make(&graph, i); i += n) {
        graphs_check_one(&graph, check);
        graphs_free(&graph);
    }
}

/* With several nodes each shape and each kind of weights once; where it is slow, half of these. */
void graphs_each(graphs_check *check)
{
    each(is_slow() ? 2 * N_KINDS + 1 : gravel_n_nodes(node_of_graphs) > 1 ? N_KINDS + 1 : 1, check);
}

/* Checks each shape; on a slow step two of three, in turn directed and undirected. */
void graphs_each_without_weights(graphs_check *check)
{
    each(is_slow() ? 3 * N_KINDS : N_KINDS, check);
}

/* ---- references -------------------------------------------------------------------------------- */

struct graphs_rows graphs_rows_of(const struct graph_of_test *graph, bool is_in)
{
    struct graphs_rows rows = {must_calloc(graph->n_vertices + 1, sizeof(uint64_t)),
                               must_calloc(2 * graph->n_edges, sizeof(uint64_t)),
                               must_calloc(2 * graph->n_edges, sizeof(uint64_t))};
    for (int pass = 0; pass < 2; pass++) { /* count, then insert */
        for (uint64_t i = 0; i < graph->n_edges; i++)
            for (int way = 0; way < 1 + (graph->is_undirected && graph->from[i] != graph->to[i]);
                 way++) {
                const bool is_turned = is_in != (way == 1);
                const uint64_t row = is_turned ? graph->to[i] : graph->from[i];
                if (pass == 0) {
                    rows.offsets[row + 2]++;
                } else {
                    const uint64_t at = rows.offsets[row + 1]++;
                    rows.ends[at] = is_turned ? graph->from[i] : graph->to[i];
                    rows.edges[at] = i;
                }
            }
        for (uint64_t v = 0; v < graph->n_vertices && pass == 0; v++)
            rows.offsets[v + 2] += rows.offsets[v + 1];
    }
    return rows;
}

void graphs_rows_free(struct graphs_rows *rows)
{
    free(rows->offsets);
    free(rows->ends);
    free(rows->edges);
    *rows = (struct graphs_rows){0};
}

/* ---- the node ---------------------------------------------------------------------------------- */

static void open_node(void)
{
    node_of_graphs = open_default(NULL);
}

static void close_node(void)
{
    OK(gravel_close(node_of_graphs));
}

const struct fixture fixture = {.open = open_node, .close = close_node};
