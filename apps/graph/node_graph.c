/* SPDX-License-Identifier: MIT */
/*
 * From options to a graph of the library. See node_graph.h.
 *
 * Path:    an application -> this -> part.c -> gravel_graph_create
 * Owner:   see node_graph.h.
 * Threads: main's.
 */
#include "graph/node_graph.h"

#include <stdlib.h>

/* Of the heap: words of each vertex at every node, and frames of rounds, which have a share of it. */
#define HEAP_BYTES (UINT64_C(128) << 20)
#define HEAP_BYTES_A_VERTEX 48

static void draw_source(struct node *node, struct node_graph *self, uint64_t seed)
{
    const uint64_t n = self->part.survey.n_vertices, drawn = n ? graph_draw_vertex(n, seed) : 0;
    const uint64_t steps = graph_steps_to_edges(&self->part.rows, self->part.first, n, drawn);
    if (self->source == NODE_GRAPH_DRAW_SOURCE)
        self->source = n ? (drawn + node_least(node, steps)) % n : 0;
    else if (self->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)self->source,
            (unsigned long long)n - 1);
}

static void create(struct node *node, struct node_graph *self)
{
    static const uint32_t types[] = {
        [GRAPH_UNWEIGHTED] = 0, [GRAPH_UINT] = GRAVEL_UINT, [GRAPH_FLOAT] = GRAVEL_FLOAT};
    const struct graph *rows = &self->part.rows;
    uint32_t *from = app_array(rows->n_edges, sizeof *from, "edges");
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            from[e] = (uint32_t)(self->part.first + u);
    const struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = self->part.survey.n_vertices, .n_edges = rows->n_edges,
                           .from = from, .to = rows->neighbours, .id_bytes = 4,
                           .weights = rows->weights, .weight_type = types[rows->weights_are]);
    TRY(gravel_graph_create(&self->graph, node->gravel, &edges));
    TRY(gravel_graph_facts(self->graph, &self->facts, sizeof self->facts));
    free(from);
}

void node_graph(struct node *node, struct node_graph *self, uint64_t seed, struct part_wish wish)
{
    part_survey(&self->part, seed, wish);
    node_open(node, HEAP_BYTES + HEAP_BYTES_A_VERTEX * self->part.survey.n_vertices);
    node_part(node, &self->part);
    if (!wish.is_undirected && !wish.no_weights)
        graph_draw_weights(&self->part.rows, self->part.first, seed);
    draw_source(node, self, seed);
    create(node, self);
}

void node_graph_close(struct node_graph *self)
{
    TRY(gravel_graph_destroy(self->graph));
    part_close(&self->part);
}

void node_graph_describe(const struct node_graph *self, uint64_t seed, uint64_t n_edges,
                         struct trials *trials)
{
    part_describe(&self->part, seed, n_edges, trials);
    trials_add_real(trials, "create_seconds", (double)self->facts.create_ns * 1e-9);
    if (self->source != NODE_GRAPH_DRAW_SOURCE)
        trials_add_number(trials, "source", self->source);
}
