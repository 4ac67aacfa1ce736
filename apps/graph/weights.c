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

#include <stdlib.h>

static uint32_t drawn_weight(uint64_t key, uint32_t u, uint32_t v)
{
    uint64_t ends = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
    return 1 + (uint32_t)(random_at(key, ends) % GRAPH_MOST_DRAWN_WEIGHT);
}

void graph_draw_weights(struct graph *rows, const uint32_t *vertices, uint64_t seed)
{
    if (rows->weights_are != GRAPH_UNWEIGHTED)
        return;
    uint64_t key = random_key(~seed); /* not the one that drew the edges */
    rows->weights = malloc(rows->n_edges ? rows->n_edges * sizeof *rows->weights : 1);
    if (!rows->weights)
        die("no memory for weights of %llu edges", (unsigned long long)rows->n_edges);
    rows->weights_are = GRAPH_UINT;
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            rows->weights[e].as_uint =
                drawn_weight(key, vertices ? vertices[u] : (uint32_t)u, rows->neighbours[e]);
}
