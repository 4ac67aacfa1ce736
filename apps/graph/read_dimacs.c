/* SPDX-License-Identifier: MIT */
/*
 * DIMACS .gr, shortest paths: "p sp n m", then m arcs "a from to weight"; vertices from 1, "c"
 * comments.
 *
 * Path: read.c -> this -> read.h
 * Threads: one at a time.
 * Source: 9th DIMACS implementation challenge, 2006, file formats.
 */
#include "graph/read.h"

static bool read_problem(struct text *text, uint64_t *n_vertices, uint64_t *n_arcs)
{
    if (!text_next_record(text, "c"))
        return text_fail(text, "the line \"p sp n m\" is missing");
    if (!text_accept(text, "p"))
        return text_fail(text, "'%s' before the line \"p sp n m\"", text_quote(text));
    if (!text_accept(text, "sp"))
        return text_fail(text, "problem '%s' is not sp", text_quote(text));
    return text_uint(text, "number of vertices", 0, GRAPH_MAX_VERTICES, n_vertices) &&
           text_uint(text, "number of arcs", 0, INT64_MAX, n_arcs) && text_end_line(text);
}

static bool read_arc(struct text *text, struct graph_input *input)
{
    uint64_t from, to, weight;
    if (!text_accept(text, "a"))
        return text_fail(text, "'%s' does not start an arc \"a from to weight\"", text_quote(text));
    if (!text_uint(text, "vertex", 1, input->n_vertices, &from) ||
        !text_uint(text, "vertex", 1, input->n_vertices, &to) ||
        !text_uint(text, "weight", 0, UINT32_MAX, &weight) || !text_end_line(text))
        return false;
    return graph_input_add(
        input, text, (struct graph_edge){(uint32_t)from - 1, (uint32_t)to - 1, {(uint32_t)weight}});
}

bool graph_read_dimacs(struct text *text, struct graph_input *input)
{
    uint64_t n_arcs;
    if (!read_problem(text, &input->n_vertices, &n_arcs))
        return false;
    input->weights_are = GRAPH_UINT;
    while (text_next_record(text, "c")) {
        if (input->n_edges == n_arcs)
            return text_fail(text, "more than the declared %llu arcs", (unsigned long long)n_arcs);
        if (!read_arc(text, input))
            return false;
    }
    if (input->n_edges < n_arcs)
        return text_fail(text, "the file ends after %llu of %llu arcs",
                         (unsigned long long)input->n_edges, (unsigned long long)n_arcs);
    return !text->has_failed;
}
