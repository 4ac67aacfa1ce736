/* SPDX-License-Identifier: MIT */
/*
 * From options to a graph of the library. See node_graph.h.
 *
 * Path:    an application -> this -> part.c -> gravel_graph_create
 * Owner:   see node_graph.h.
 * Threads: main's.
 */
#include "graph/node_graph.h"
#include "graph/serial.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The heap has words of each vertex at every node, and frames of rounds, which take a share of it. */
#define HEAP_BYTES (UINT64_C(128) << 20)
#define HEAP_BYTES_A_VERTEX 48

/* Gives the library each edge of the rows; of an undirected graph once, from its lower end. */
static void create(struct node_graph *self)
{
    static const uint32_t types[] = {
        [GRAPH_UNWEIGHTED] = 0, [GRAPH_UINT] = GRAVEL_UINT, [GRAPH_FLOAT] = GRAVEL_FLOAT};
    const struct graph *rows = &self->part.rows;
    const bool is_undirected = self->part.wish.is_undirected;
    uint32_t *from = graph_list_sources(rows, self->part.first), *to = rows->neighbours;
    uint64_t n = rows->n_edges;
    if (is_undirected) {
        to = app_array(rows->n_edges, sizeof *to, "edges");
        n = 0;
        for (uint64_t e = 0; e < rows->n_edges; e++)
            if (from[e] < rows->neighbours[e]) {
                from[n] = from[e];
                to[n++] = rows->neighbours[e];
            }
    }
    const struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = self->part.survey.n_vertices, .n_edges = n, .from = from,
                           .to = to, .id_bytes = 4, .is_undirected = is_undirected,
                           .weights = rows->weights, .weight_type = types[rows->weights_are]);
    TRY(gravel_graph_create(&self->graph, self->node.gravel, &edges));
    TRY(gravel_graph_facts_read(self->graph, &self->facts, sizeof self->facts));
    assert(self->facts.first == self->part.first && self->facts.n == rows->n_vertices);
    if (is_undirected)
        free(to);
    free(from);
}

void node_graph_open(struct node_graph *self, struct part_wish wish)
{
    struct block_range own;
    uint64_t n_own;
    part_survey(&self->part, self->options.seed, wish);
    const uint64_t n = self->part.survey.n_vertices;
    if (self->source != UINT64_MAX && self->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)self->source,
            (unsigned long long)n - 1);
    node_open(&self->node, HEAP_BYTES + HEAP_BYTES_A_VERTEX * n);
    TRY(gravel_share(self->node.gravel, n, &own.first, &n_own)); /* as the library's results are */
    own.last = own.first + n_own;
    node_part_of(&self->node, &self->part, own);
    if (!wish.is_undirected && !wish.no_weights)
        graph_draw_weights(&self->part.rows, own.first, self->options.seed);
    if (self->source == UINT64_MAX)
        self->source = node_part_draw_source(&self->node, &self->part, self->options.seed);
    create(self);
}

void node_graph_close(void *graph)
{
    struct node_graph *self = graph;
    free(self->results);
    TRY(gravel_graph_destroy(self->graph));
    part_close(&self->part);
}

void node_graph_describe(void *graph, struct trials *trials)
{
    const struct node_graph *self = graph;
    const uint64_t n_edges = self->facts.n_edges * (self->part.wish.is_undirected ? 2 : 1);
    trials->work = (double)n_edges;
    part_describe(&self->part, self->options.seed, n_edges, trials);
    trials_add_real(trials, "create_seconds", (double)self->facts.create_ns * 1e-9);
}

void node_graph_whole(const struct node_graph *self, struct graph *whole)
{
    part_whole(whole, &self->part);
    if (!self->part.wish.is_undirected && !self->part.wish.no_weights)
        graph_draw_weights(whole, 0, self->options.seed);
}

/* ---- searches ------------------------------------------------------------------------------------ */

/* Returns the result of this node's i-th vertex; infinite if it is far. */
static double distance_of(const struct node_graph *self, uint64_t i)
{
    const union graph_weight found = ((const union graph_weight *)self->results)[i];
    if (self->part.rows.weights_are == GRAPH_FLOAT)
        return (double)found.as_float;
    return found.as_uint == GRAVEL_GRAPH_FAR ? (double)INFINITY : found.as_uint;
}

void node_graph_describe_search(void *graph, struct trials *trials)
{
    struct node_graph *self = graph;
    uint64_t n_edges = 0, n_reached = 0;
    for (uint64_t i = 0; i < self->facts.n; i++) {
        const bool is_reached = !isinf(distance_of(self, i));
        n_edges += is_reached ? graph_degree(&self->part.rows, i) : 0;
        n_reached += is_reached;
    }
    n_edges = node_sum(&self->node, n_edges);
    node_graph_describe(self, trials);
    trials->work = (double)n_edges;
    trials_add_number(trials, "source", self->source);
    trials_add_number(trials, "reached_vertices", node_sum(&self->node, n_reached));
    trials_add_number(trials, "reached_edges", n_edges);
}

/*
 * Compares in every bit, floats too: rounding never turns two sums round, so the least of all paths is the same whichever way
 * it is found.
 */
uint64_t node_graph_check_search(void *graph, struct trials *trials)
{
    const struct node_graph *self = graph;
    struct graph whole;
    uint64_t n_wrong = 0;
    node_graph_whole(self, &whole);
    const double begin_s = trials_clock();
    double *right = serial_distances(&whole, self->source);
    trials_add_serial(trials, "Dijkstra, serial", begin_s);
    for (uint64_t i = 0; i < self->facts.n; i++)
        n_wrong += distance_of(self, i) != right[self->facts.first + i];
    free(right);
    graph_free(&whole);
    return n_wrong;
}
