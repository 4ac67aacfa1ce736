/* SPDX-License-Identifier: MIT */
/*
 * Edge lists: one edge a line, vertices from 0, "#" (SNAP) and "%" comments, n = largest vertex + 1. A first line
 * "% sym WEIGHTS" or "% asym WEIGHTS" is KONECT's: vertices count from 1, and an edge of sym goes in both directions.
 *
 * Path: read.c -> this -> read.h
 * Threads: one at a time.
 * Source: GAP Benchmark Suite (.el, .wel); SNAP and KONECT, whose .txt and .tsv have 2 to 4
 * columns: from, to, weight, time. The first edge decides how many columns all have; times are not
 * kept.
 */
#include "graph/read.h"

enum { MIN_COLUMNS = 2, WEIGHT_COLUMNS = 3, MAX_COLUMNS = 4 };

struct list {
    uint64_t first; /* number of the first vertex */
    bool both_ways;
};

static bool read_banner(struct text *text, struct list *list)
{
    if (text_peek(text) != '%' || !text_accept(text, "%"))
        return true;
    if (text_accept(text, "bip"))
        return text_fail(text, "a bipartite list numbers the vertices of each side from 1");
    list->both_ways = text_accept(text, "sym");
    list->first = list->both_ways || text_accept(text, "asym");
    text_skip_line(text);
    return true;
}

static bool read_ends(struct text *text, const struct list *list, struct graph_input *input,
                      struct graph_edge *edge)
{
    const uint64_t last = list->first + GRAPH_MAX_VERTICES - 1;
    uint64_t from, to;
    if (!text_uint(text, "vertex", list->first, last, &from) ||
        !text_uint(text, "vertex", list->first, last, &to))
        return false;
    edge->from = (uint32_t)(from - list->first);
    edge->to = (uint32_t)(to - list->first);
    uint64_t n_needed = (from > to ? from : to) + 1 - list->first;
    if (input->n_vertices < n_needed)
        input->n_vertices = n_needed;
    return true;
}

static bool read_edges(struct text *text, struct graph_input *input, int n_columns_min,
                       int n_columns_max)
{
    int n_columns = n_columns_min;
    struct list list = {0};
    if (!read_banner(text, &list))
        return false;
    while (text_next_record(text, "#%")) {
        struct graph_edge edge = {0};
        if (!read_ends(text, &list, input, &edge))
            return false;
        bool is_first = input->n_edges == 0;
        if (is_first && n_columns < n_columns_max && text_word(text))
            n_columns = WEIGHT_COLUMNS;
        if (n_columns >= WEIGHT_COLUMNS && !graph_input_weight(input, text, &edge.weight))
            return false;
        if (is_first && n_columns < n_columns_max && n_columns == WEIGHT_COLUMNS && text_word(text))
            n_columns = MAX_COLUMNS;
        if (n_columns == MAX_COLUMNS && !text_word(text))
            return text_fail(text, "time is missing");
        if (n_columns == MAX_COLUMNS)
            text->at += text_word(text); /* which may be anything */
        if (!text_end_line(text) || !graph_input_add(input, text, edge))
            return false;
        const struct graph_edge turned = {edge.to, edge.from, edge.weight};
        if (list.both_ways && edge.from != edge.to && !graph_input_add(input, text, turned))
            return false;
    }
    if (input->n_edges == 0)
        return text_fail(text, "the file has no edges");
    return !text->has_failed;
}

bool graph_read_el(struct text *text, struct graph_input *input)
{
    return read_edges(text, input, MIN_COLUMNS, MIN_COLUMNS);
}

bool graph_read_wel(struct text *text, struct graph_input *input)
{
    return read_edges(text, input, WEIGHT_COLUMNS, WEIGHT_COLUMNS);
}

bool graph_read_columns(struct text *text, struct graph_input *input)
{
    return read_edges(text, input, MIN_COLUMNS, MAX_COLUMNS);
}
