/* SPDX-License-Identifier: MIT */
/*
 * Weights for a graph that has none. See weights.h.
 *
 * Path: weights.h -> this
 * Owner, threads: see weights.h.
 */
#include "graph/weights.h"
#include "frame/die.h"
#include "frame/random.h"
#include "graph/rows.h"

#include <stdlib.h>

static uint32_t drawn_weight(uint64_t key, uint32_t u, uint32_t v)
{
    uint64_t ends = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
    return 1 + (uint32_t)(random_at(key, ends) % GRAPH_MOST_DRAWN_WEIGHT);
}

struct draw {
    struct graph *graph;
    const uint32_t *vertices;
    uint64_t key;
};

static void draw_rows(void *context, struct graph_rows rows)
{
    const struct draw *draw = context;
    const struct graph *graph = draw->graph;
    for (uint64_t u = rows.first; u < rows.last; u++) {
        uint32_t from = draw->vertices ? draw->vertices[u] : (uint32_t)u;
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            graph->weights[e].as_uint = drawn_weight(draw->key, from, graph->neighbours[e]);
    }
}

void graph_draw_weights(struct graph *rows, const uint32_t *vertices, uint64_t seed)
{
    if (rows->weights_are != GRAPH_UNWEIGHTED)
        return;
    rows->weights = malloc(rows->n_edges ? rows->n_edges * sizeof *rows->weights : 1);
    if (!rows->weights)
        die("no memory for weights of %llu edges", (unsigned long long)rows->n_edges);
    rows->weights_are = GRAPH_UINT;
    struct draw draw = {rows, vertices, random_key(~seed)}; /* not the key that drew the edges */
    graph_rows_side_by_side(rows, draw_rows, &draw);
}
