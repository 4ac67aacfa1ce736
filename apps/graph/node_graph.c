/* SPDX-License-Identifier: MIT */
/*
 * From options to a graph of the library. See node_graph.h.
 *
 * Path:    an application -> this -> part.c -> gravel_graph_create
 * Owner:   see node_graph.h.
 * Threads: main's.
 */
#include "graph/node_graph.h"

#include <assert.h>
#include <stdlib.h>

/* The heap has words of each vertex at every node, and frames of rounds, which take a share of it. */
#define HEAP_BYTES (UINT64_C(128) << 20)
#define HEAP_BYTES_A_VERTEX 48

static void create(struct node *node, struct node_graph *self)
{
    static const uint32_t types[] = {
        [GRAPH_UNWEIGHTED] = 0, [GRAPH_UINT] = GRAVEL_UINT, [GRAPH_FLOAT] = GRAVEL_FLOAT};
    const struct graph *rows = &self->part.rows;
    uint32_t *from = graph_list_sources(rows, self->part.first);
    const struct gravel_graph_edges edges =
        GRAVEL_GRAPH_EDGES(.n_vertices = self->part.survey.n_vertices, .n_edges = rows->n_edges,
                           .from = from, .to = rows->neighbours, .id_bytes = 4,
                           .weights = rows->weights, .weight_type = types[rows->weights_are]);
    TRY(gravel_graph_create(&self->graph, node->gravel, &edges));
    TRY(gravel_graph_facts_read(self->graph, &self->facts, sizeof self->facts));
    assert(self->facts.first == self->part.first && self->facts.n == rows->n_vertices);
    free(from);
}

void node_graph(struct node *node, struct node_graph *self, uint64_t seed, struct part_wish wish)
{
    wish.by_shares = true; /* as the library's results are */
    part_survey(&self->part, seed, wish);
    const uint64_t n = self->part.survey.n_vertices;
    if (self->source != NODE_GRAPH_DRAW_SOURCE && self->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)self->source,
            (unsigned long long)n - 1);
    node_open(node, HEAP_BYTES + HEAP_BYTES_A_VERTEX * n);
    node_part(node, &self->part);
    if (!wish.is_undirected && !wish.no_weights)
        graph_draw_weights(&self->part.rows, self->part.first, seed);
    if (self->source == NODE_GRAPH_DRAW_SOURCE)
        self->source = node_part_draw_source(node, &self->part, seed);
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
}
