/* SPDX-License-Identifier: MIT */
/*
 * Cuts rows into strips and slices. See pagerank.h.
 *
 * Path:    ranks.c -> this -> rows.c, device.c.
 * Owner:   tables of the host are freed on return.
 * Threads: one at a time.
 * Source:  Monakov, Lokhmotov, Avetisyan, Automatically Tuning Sparse Matrix-Vector Multiplication for GPU Architectures,
 *          2010 (slices).
 */
#include "pagerank.h"

#include <stdlib.h>

#define STRIP_EDGES 1024u /* of a strip, at most */
#define SHORT_EDGES 64u   /* of a short row, fewer than this */

/* Tables of the host. */
struct cutting {
    const cl_uint2 *rows;       /* [n_rows] */
    cl_uint2 *ordered, *strips; /* rows by their numbers; edges of strips */
    uint32_t *places, *firsts;
    uint64_t *slices;
};

static uint32_t edges_of(cl_uint2 row)
{
    return row.s[1] - row.s[0];
}

static uint32_t strips_of(uint32_t n_edges)
{
    return n_edges / STRIP_EDGES + (n_edges % STRIP_EDGES != 0);
}

/* Returns where in the new order: rows that are cut are one bucket, then there is one for each length. */
static uint32_t bucket_of(uint32_t n_edges)
{
    return n_edges > STRIP_EDGES ? 0 : STRIP_EDGES + 1 - n_edges;
}

/* Numbers rows from the longest to the shortest, stably. */
static void order_rows(struct graph_strips *strips, struct cutting *cutting, uint32_t n_rows)
{
    const uint32_t shortest = strips->lanes > 1 ? SHORT_EDGES : 1;
    uint32_t next[STRIP_EDGES + 2] = {0}, first = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        const uint32_t n = edges_of(cutting->rows[row]);
        next[bucket_of(n)]++;
        strips->n_wide += n > STRIP_EDGES;
        strips->n_cut += n > STRIP_EDGES ? strips_of(n) : 0;
        strips->n_long += n >= shortest;
        strips->n_short += n > 0 && n < shortest;
    }
    for (uint32_t bucket = 0; bucket < STRIP_EDGES + 2; bucket++) {
        const uint32_t n = next[bucket];
        next[bucket] = first;
        first += n;
    }
    for (uint32_t row = 0; row < n_rows; row++) {
        const uint32_t number = next[bucket_of(edges_of(cutting->rows[row]))]++;
        cutting->ordered[number] = cutting->rows[row];
        cutting->places[row] = strips->n_cut + number;
    }
    strips->n_strips = strips->n_cut + strips->n_long - strips->n_wide;
    strips->n_slices = (strips->n_short + strips->lanes - 1) / strips->lanes;
}

/* Cuts long rows into strips of equal lengths, and lays short ones into slices, as wide as their first row. */
static void cut(const struct graph_strips *strips, struct cutting *cutting)
{
    uint32_t strip = 0;
    for (uint32_t number = 0; number < strips->n_long; number++) {
        const cl_uint2 row = cutting->ordered[number];
        const uint32_t n = edges_of(row), n_parts = strips_of(n);
        if (number < strips->n_wide)
            cutting->firsts[number] = strip;
        for (uint32_t part = 0; part < n_parts; part++)
            cutting->strips[strip++] =
                (cl_uint2){{row.s[0] + (cl_uint)graph_part(n, part, n_parts),
                            row.s[0] + (cl_uint)graph_part(n, part + 1, n_parts)}};
    }
    cutting->firsts[strips->n_wide] = strips->n_cut;
    for (uint32_t slice = 0; slice < strips->n_slices; slice++) {
        const cl_uint2 widest = cutting->ordered[strips->n_long + slice * strips->lanes];
        cutting->slices[slice + 1] =
            cutting->slices[slice] + (uint64_t)strips->lanes * edges_of(widest);
    }
}

static int upload(struct graph_strips *strips, struct gravel_graph *graph,
                  const struct cutting *cutting)
{
    const uint64_t word = sizeof(uint32_t), n_rows = graph->n_own,
                   n_columns = cutting->slices[strips->n_slices];
    GRAPH_TRY(graph_buffer(graph, &strips->strips, cutting->strips,
                           strips->n_strips * sizeof *cutting->strips));
    GRAPH_TRY(graph_buffer(graph, &strips->firsts, cutting->firsts, (strips->n_wide + 1) * word));
    GRAPH_TRY(graph_buffer(graph, &strips->slices, cutting->slices,
                           (strips->n_slices + 1) * sizeof *cutting->slices));
    GRAPH_TRY(graph_buffer(graph, &strips->places, cutting->places, n_rows * word));
    GRAPH_TRY(graph_buffer(graph, &strips->rows, cutting->ordered + strips->n_long,
                           strips->n_short * sizeof *cutting->ordered));
    GRAPH_TRY(graph_buffer(graph, &strips->columns, NULL, n_columns * word));
    return graph->weight_type ? graph_buffer(graph, &strips->column_weights, NULL,
                                             n_columns * graph_weight_bytes(graph->weight_type))
                              : 0;
}

int graph_strips_make(struct graph_strips *strips, struct gravel_graph *graph, uint32_t lanes,
                      const cl_uint2 *rows)
{
    const uint64_t n = graph->n_own + UINT64_C(1), n_strips = n + graph->n_edges / STRIP_EDGES,
                   bytes = n * (sizeof(cl_uint2) + sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
                           n_strips * sizeof(cl_uint2);
    struct cutting cutting = {.rows = rows, .ordered = calloc(1, bytes)};
    *strips = (struct graph_strips){.lanes = lanes};
    if (!cutting.ordered)
        return graph_fail_memory("gravel_graph: strips of rows", bytes);
    cutting.strips = cutting.ordered + n;
    cutting.slices = (uint64_t *)(cutting.strips + n_strips);
    cutting.places = (uint32_t *)(cutting.slices + n);
    cutting.firsts = cutting.places + n;
    order_rows(strips, &cutting, graph->n_own);
    cut(strips, &cutting);
    const int code = upload(strips, graph, &cutting);
    free(cutting.ordered);
    return code;
}

void graph_strips_free(struct graph_strips *strips, struct gravel_graph *graph)
{
    cl_mem *buffers[] = {&strips->strips,  &strips->firsts,         &strips->slices,
                         &strips->columns, &strips->column_weights, &strips->rows,
                         &strips->places};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
}
