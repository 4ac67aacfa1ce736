/* SPDX-License-Identifier: MIT */
/*
 * Edge lists: an edge a line: from, to, and a weight of all if the first edge has one; vertices from 0, weights whole, "#"
 * comments, n = largest vertex + 1.
 *
 * Path: part.c -> this -> frame/text.h
 * Source: GAP Benchmark Suite (.el, .wel); SNAP (.txt, .tsv).
 */
#include "graph/sources.h"
#include "frame/die.h"

#include <stdlib.h>

/*
 * Vertices without edges cost memory that nothing in the body stands for, so a file may have this
 * many, and VERTICES_PER_EDGE more for each edge. Lists with sparse numbers must be renumbered
 * first.
 */
#define SPARE_VERTICES (UINT64_C(1) << 20)
#define VERTICES_PER_EDGE 64

/* ---- a file ------------------------------------------------------------------------------------ */

static void read_edge(struct graph_input *input)
{
    struct text *text = input->text;
    struct graph_edge edge = {.from = text_uint(text, "vertex", UINT32_MAX - 1)};
    edge.to = text_uint(text, "vertex", UINT32_MAX - 1);
    const uint64_t n = input->n_edges++, last = edge.from > edge.to ? edge.from : edge.to;
    if (n == 0)
        input->has_weights = text_has_word(text);
    if (input->has_weights)
        edge.weight = text_uint(text, "weight", UINT32_MAX);
    if (text_has_word(text))
        text_fail(text, "a word too many: an edge is from, to, and a weight if the first has one");
    input->edges = app_room(input->edges, n, &input->room, sizeof *input->edges, "edges");
    input->edges[n] = edge;
    input->n_vertices = last < input->n_vertices ? input->n_vertices : last + 1;
}

void graph_read(struct graph_input *input, const char *path)
{
    *input = (struct graph_input){.text = text_open(path)};
    while (text_next_record(input->text))
        read_edge(input);
    if (input->n_edges == 0)
        text_fail(input->text, "the file has no edges");
    if (input->n_vertices > SPARE_VERTICES &&
        (input->n_vertices - SPARE_VERTICES - 1) / VERTICES_PER_EDGE >= input->n_edges)
        text_fail(input->text, "%llu vertices are too many for %llu edges: number them densely",
                  (unsigned long long)input->n_vertices, (unsigned long long)input->n_edges);
    input->print = input->text->print;
    text_close(input->text);
    input->text = NULL;
}

void graph_input_free(struct graph_input *input)
{
    text_close(input->text);
    free(input->edges);
    *input = (struct graph_input){0};
}

/* ---- its edges ----------------------------------------------------------------------------------- */

static void list(const void *source, struct block_range edges, graph_visit *visit, void *context)
{
    const struct graph_input *input = source;
    for (uint64_t i = edges.first; i < edges.last; i++) {
        const struct graph_edge edge = input->edges[i];
        visit(context, edge);
        if (input->goes_both_ways)
            visit(context, (struct graph_edge){edge.to, edge.from, edge.weight});
    }
}

struct graph_stream graph_input_stream(const struct graph_input *input)
{
    return (struct graph_stream){.list = list,
                                 .source = input,
                                 .n_items = input->n_edges,
                                 .n_vertices = input->n_vertices,
                                 .n_edges = input->n_edges << input->goes_both_ways,
                                 .has_weights = input->has_weights};
}
