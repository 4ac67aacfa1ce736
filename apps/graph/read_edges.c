/* SPDX-License-Identifier: MIT */
/*
 * Edge lists, .el, .wel, .txt, .tsv: an edge a line: from, to, and a weight of all if the first edge has one, behind which may
 * be a time, which is not kept; vertices from 0, "#" (SNAP) and "%" comments, n = largest vertex + 1. A first line
 * "% sym WEIGHTS" or "% asym WEIGHTS" is KONECT's: vertices count from 1, and an edge of sym goes in both directions.
 *
 * Path: read.c -> this -> read.h
 * Threads: one at a time.
 * Source: GAP Benchmark Suite (.el, .wel); SNAP and KONECT (.txt, .tsv).
 */
#include "graph/read.h"

struct list {
    uint64_t first; /* number of the first vertex */
    bool both_ways;
};

static struct list read_banner(struct text *text)
{
    struct list list = {0};
    if (text_peek(text) != '%' || !text_accept(text, "%"))
        return list;
    if (text_accept(text, "bip"))
        text_fail(text, "a bipartite list numbers the vertices of each side from 1");
    list.both_ways = text_accept(text, "sym");
    list.first = list.both_ways || text_accept(text, "asym");
    text_skip_line(text);
    return list;
}

void graph_read_list(struct graph_input *input)
{
    struct text *text = input->text;
    bool has_weights = false;
    const struct list list = read_banner(text);
    const uint64_t last = list.first + GRAPH_MAX_VERTICES - 1;
    while (text_next_record(text, "#%")) {
        const uint64_t from = text_uint(text, "vertex", list.first, last) - list.first;
        const uint64_t to = text_uint(text, "vertex", list.first, last) - list.first;
        const uint64_t n_needed = (from > to ? from : to) + 1;
        struct graph_edge edge = {.from = (uint32_t)from, .to = (uint32_t)to};
        input->n_vertices = n_needed > input->n_vertices ? n_needed : input->n_vertices;
        if (input->n_edges == 0)
            has_weights = text_word(text);
        if (has_weights) {
            edge.weight = graph_input_weight(input);
            text->at += text_word(text); /* a time, which may be anything */
        }
        text_end_line(text);
        graph_input_add(input, edge);
        if (list.both_ways && from != to)
            graph_input_add(input, (struct graph_edge){edge.to, edge.from, edge.weight});
    }
    if (input->n_edges == 0)
        text_fail(text, "the file has no edges");
}
