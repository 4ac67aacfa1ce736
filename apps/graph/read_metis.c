/* SPDX-License-Identifier: MIT */
/*
 * METIS .graph, also the format of the 10th DIMACS challenge: "n m [fmt [ncon]]", then one line per
 * vertex.
 *
 * Path: read.c -> this -> read.h
 * Threads: one at a time.
 * Source: METIS 5.1 manual, section 4.5. fmt is three digits: vertex sizes, vertex weights, edge
 * weights.
 *
 * Vertices are numbered from 1, and each edge is in both rows. Sizes and weights of vertices
 * are checked and left out. An empty line is a vertex without neighbours.
 */
#include "graph/read.h"

struct metis_header {
    uint64_t n_edges;          /* declared, each once */
    uint64_t n_vertex_numbers; /* size and weights before the neighbours of each row */
};

static struct metis_header read_header(struct graph_input *input)
{
    struct text *text = input->text;
    uint64_t format = 0, n_constraints = 0;
    if (!text_next_record(text, "%"))
        text_fail(text, "the file has no header line \"n m [fmt [ncon]]\"");
    input->n_vertices = text_uint(text, "number of vertices", 0, GRAPH_MAX_VERTICES);
    const uint64_t n_edges = text_uint(text, "number of edges", 0, UINT64_MAX / 2);
    if (text_word(text))
        format = text_uint(text, "fmt", 0, 111);
    if (format % 10 > 1 || format / 10 % 10 > 1)
        text_fail(text, "fmt %03u has a digit other than 0 and 1", (unsigned)format);
    if (text_word(text))
        n_constraints = text_uint(text, "ncon", 0, UINT32_MAX);
    const bool has_vertex_weights = format / 10 % 10;
    if (n_constraints && !has_vertex_weights)
        text_fail(text, "ncon is %u, but fmt %03u has no vertex weights", (unsigned)n_constraints,
                  (unsigned)format);
    if (has_vertex_weights && !n_constraints)
        n_constraints = 1;
    text_end_line(text);
    input->weights_are = format % 10 ? GRAPH_UINT : GRAPH_UNWEIGHTED;
    return (struct metis_header){n_edges, n_constraints + format / 100};
}

static void read_row(struct graph_input *input, const struct metis_header *header, uint32_t u)
{
    struct text *text = input->text;
    for (uint64_t i = 0; i < header->n_vertex_numbers; i++)
        text_uint(text, "vertex size or weight", 0, UINT32_MAX);
    while (text_word(text)) {
        const uint64_t v = text_uint(text, "neighbour", 1, input->n_vertices);
        struct graph_edge edge = {.from = u, .to = (uint32_t)v - 1};
        if (input->weights_are == GRAPH_UINT)
            edge.weight.as_uint = (uint32_t)text_uint(text, "edge weight", 0, UINT32_MAX);
        if (input->n_edges == 2 * header->n_edges)
            text_fail(text, "more than the declared %llu edges, twice each",
                      (unsigned long long)header->n_edges);
        graph_input_add(input, edge);
    }
    text_end_line(text);
}

void graph_read_metis(struct graph_input *input)
{
    struct text *text = input->text;
    const struct metis_header header = read_header(input);
    input->must_be_symmetric = true;
    for (uint64_t u = 0; u < input->n_vertices; u++) {
        while (text_peek(text) == '%')
            text_skip_line(text);
        if (text_peek(text) == TEXT_END)
            text_fail(text, "the file ends after %llu of %llu vertices", (unsigned long long)u,
                      (unsigned long long)input->n_vertices);
        read_row(input, &header, (uint32_t)u);
    }
    if (text_next_record(text, "%"))
        text_fail(text, "more lines than the declared %llu vertices",
                  (unsigned long long)input->n_vertices);
    if (input->n_edges != 2 * header.n_edges)
        text_fail(text, "%llu neighbours in all, but %llu edges need %llu (a loop two in its row)",
                  (unsigned long long)input->n_edges, (unsigned long long)header.n_edges,
                  (unsigned long long)(2 * header.n_edges));
}
