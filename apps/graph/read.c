/* SPDX-License-Identifier: MIT */
/*
 * Edge lists: an edge a line: from, to, and a weight of all if the first edge has one; vertices from 0, weights whole, "#"
 * comments, n = largest vertex + 1.
 *
 * Path: part.c -> this -> frame/text.h
 * Source: GAP Benchmark Suite (.el, .wel); SNAP (.txt, .tsv).
 */
#include "graph/graph.h"
#include "frame/die.h"
#include "frame/text.h"

#include <stdlib.h>

/*
 * Vertices without edges cost memory that nothing in the body stands for, so a file may have this
 * many, and VERTICES_PER_EDGE more for each edge. Lists with sparse numbers must be renumbered
 * first.
 */
#define SPARE_VERTICES (UINT64_C(1) << 20)
#define VERTICES_PER_EDGE 64

static void read_edge(struct graph_stream *stream)
{
    struct text *text = stream->text;
    struct graph_edge edge = {.from = text_uint(text, "vertex", UINT32_MAX - 1)};
    edge.to = text_uint(text, "vertex", UINT32_MAX - 1);
    const uint64_t n = stream->n_items++, last = edge.from > edge.to ? edge.from : edge.to;
    if (n == 0)
        stream->has_weights = text_has_word(text);
    if (stream->has_weights)
        edge.weight = text_uint(text, "weight", UINT32_MAX);
    if (text_has_word(text))
        text_fail(text, "a word too many: an edge is from, to, and a weight if the first has one");
    stream->edges = app_room(stream->edges, n, &stream->room, sizeof *stream->edges, "edges");
    stream->edges[n] = edge;
    stream->n_vertices = last < stream->n_vertices ? stream->n_vertices : last + 1;
}

static void list(const struct graph_stream *stream, struct block_range edges, graph_visit *visit,
                 void *context)
{
    for (uint64_t i = edges.first; i < edges.last; i++) {
        const struct graph_edge edge = stream->edges[i];
        visit(context, edge);
        if (stream->goes_both_ways)
            visit(context, (struct graph_edge){edge.to, edge.from, edge.weight});
    }
}

void graph_read(struct graph_stream *stream, const char *path, bool goes_both_ways)
{
    *stream = (struct graph_stream){
        .list = list, .goes_both_ways = goes_both_ways, .text = text_open(path)};
    while (text_next_record(stream->text))
        read_edge(stream);
    if (stream->n_items == 0)
        text_fail(stream->text, "the file has no edges");
    if (stream->n_vertices > SPARE_VERTICES &&
        (stream->n_vertices - SPARE_VERTICES - 1) / VERTICES_PER_EDGE >= stream->n_items)
        text_fail(stream->text, "%llu vertices are too many for %llu edges: number them densely",
                  (unsigned long long)stream->n_vertices, (unsigned long long)stream->n_items);
    stream->n_edges = stream->n_items << goes_both_ways;
    stream->print = stream->text->print;
    text_close(stream->text);
    stream->text = NULL;
}

void graph_stream_free(struct graph_stream *stream)
{
    text_close(stream->text);
    free(stream->edges);
    free(stream->made);
    *stream = (struct graph_stream){0};
}
