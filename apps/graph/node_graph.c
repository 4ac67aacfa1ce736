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

#include <stdlib.h>

/* The heap has words of each vertex at every node, and frames of rounds, which take a share of it. */
#define HEAP_BYTES (UINT64_C(128) << 20)
#define HEAP_BYTES_A_VERTEX 48

/* Gives the library each edge of the rows; of an undirected graph once, from its lower end. */
static void create(struct node_graph *self)
{
    const struct graph *rows = &self->part.rows;
    const bool is_undirected = self->wish.is_undirected;
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
        GRAVEL_GRAPH_EDGES(.n_vertices = self->part.whole.n_vertices, .n_edges = n, .from = from,
                           .to = to, .id_bytes = 4, .is_undirected = is_undirected,
                           .weights = rows->weights,
                           .weight_type = rows->weights ? GRAVEL_UINT : 0);
    TRY(gravel_graph_create(&self->graph, self->node.gravel, &edges));
    if (is_undirected)
        free(to);
    free(from);
}

void node_graph_open(void *graph)
{
    struct node_graph *self = graph;
    struct block_range own;
    uint64_t n_own;
    part_open(&self->part, self->options.seed, self->wish);
    const uint64_t n = self->part.whole.n_vertices;
    if (self->source == UINT64_MAX)
        self->source = graph_draw_source(&self->part.whole, self->options.seed);
    if (self->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)self->source,
            (unsigned long long)n - 1);
    node_open(&self->node, HEAP_BYTES + HEAP_BYTES_A_VERTEX * n);
    TRY(gravel_share(self->node.gravel, n, &own.first, &n_own)); /* as the library's results are */
    own.last = own.first + n_own;
    node_part(&self->node, &self->part, own);
    self->results = app_array(
        n_own * self->vertex_bytes + self->part.rows.n_edges * self->edge_bytes, 1, "results");
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
    part_describe(&self->part, trials);
}

uint64_t node_graph_count_wrong(const struct node_graph *self, uint32_t *right)
{
    const uint32_t *found = self->results;
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < self->part.rows.n_vertices; i++)
        n_wrong += found[i] != right[self->part.first + i];
    free(right);
    return n_wrong;
}

/* ---- searches ------------------------------------------------------------------------------------ */

void node_graph_describe_search(void *graph, struct trials *trials)
{
    struct node_graph *self = graph;
    node_graph_describe(self, trials);
    part_describe_search(&self->part, &self->node, self->source, self->results, trials);
}

uint64_t node_graph_check_search(void *graph, struct trials *trials)
{
    const struct node_graph *self = graph;
    const double begin_s = trials_clock();
    uint32_t *right = serial_distances(&self->part.whole, self->source);
    trials_add_serial(trials, "Dijkstra, serial", begin_s);
    return node_graph_count_wrong(self, right);
}
