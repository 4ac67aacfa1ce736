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
    uint64_t n_vertices;
    uint64_t n_entries;        /* twice the edges */
    uint64_t n_vertex_numbers; /* size and weights before the neighbours of each row */
    uint64_t n_loops;          /* read so far */
    bool has_edge_weights;
};

static bool read_format(struct text *text, struct metis_header *header)
{
    uint64_t format = 0, n_constraints = 0;
    const size_t n_digits = text_word(text);
    if (n_digits && !text_uint(text, "fmt", 0, 111, &format))
        return false;
    if (n_digits > 3)
        return text_fail(text, "fmt %0*u has more than three digits",
                         (int)(n_digits < 9 ? n_digits : 9), (unsigned)format);
    if (format % 10 > 1 || format / 10 % 10 > 1)
        return text_fail(text, "fmt %03u has a digit other than 0 and 1", (unsigned)format);
    if (text_word(text) && !text_uint(text, "ncon", 0, UINT32_MAX, &n_constraints))
        return false;
    bool has_vertex_weights = format / 10 % 10;
    if (n_constraints && !has_vertex_weights)
        return text_fail(text, "ncon is %u, but fmt %03u has no vertex weights",
                         (unsigned)n_constraints, (unsigned)format);
    if (has_vertex_weights && !n_constraints)
        n_constraints = 1;
    header->n_vertex_numbers = n_constraints + format / 100;
    header->has_edge_weights = format % 10;
    return true;
}

static bool read_header(struct text *text, struct metis_header *header)
{
    uint64_t n_edges;
    if (!text_next_record(text, "%"))
        return text_fail(text, "the file has no header line \"n m [fmt [ncon]]\"");
    if (!text_uint(text, "number of vertices", 0, GRAPH_MAX_VERTICES, &header->n_vertices) ||
        !text_uint(text, "number of edges", 0, UINT64_MAX / 2, &n_edges))
        return false;
    header->n_entries = 2 * n_edges;
    return read_format(text, header) && text_end_line(text);
}

static bool read_row(struct text *text, struct metis_header *header, uint32_t u,
                     struct graph_input *input)
{
    uint64_t number, neighbour, weight = 0;
    for (uint64_t i = 0; i < header->n_vertex_numbers; i++)
        if (!text_uint(text, "vertex size or weight", 0, UINT32_MAX, &number))
            return false;
    while (text_word(text)) {
        if (!text_uint(text, "neighbour", 1, header->n_vertices, &neighbour))
            return false;
        if (header->has_edge_weights && !text_uint(text, "edge weight", 0, UINT32_MAX, &weight))
            return false;
        if (input->n_edges == header->n_entries)
            return text_fail(text, "more than the declared %llu edges, twice each",
                             (unsigned long long)header->n_entries / 2);
        header->n_loops += neighbour - 1 == u;
        if (!graph_input_add(input, text,
                             (struct graph_edge){u, (uint32_t)neighbour - 1, {(uint32_t)weight}}))
            return false;
    }
    return text_end_line(text);
}

bool graph_read_metis(struct text *text, struct graph_input *input)
{
    struct metis_header header = {0};
    if (!read_header(text, &header))
        return false;
    input->n_vertices = header.n_vertices;
    input->weights_are = header.has_edge_weights ? GRAPH_UINT : GRAPH_UNWEIGHTED;
    input->must_be_symmetric = true;
    for (uint64_t u = 0; u < header.n_vertices; u++) {
        while (text_peek(text) == '%')
            text_skip_line(text);
        if (text_peek(text) == TEXT_END)
            return text_fail(text, "the file ends after %llu of %llu vertices",
                             (unsigned long long)u, (unsigned long long)header.n_vertices);
        if (!read_row(text, &header, (uint32_t)u, input))
            return false;
    }
    if (text_next_record(text, "%"))
        return text_fail(text, "more lines than the declared %llu vertices",
                         (unsigned long long)header.n_vertices);
    if (input->n_edges != header.n_entries)
        return text_fail(text, "%llu neighbours in all, but %llu edges need %llu%s",
                         (unsigned long long)input->n_edges,
                         (unsigned long long)header.n_entries / 2,
                         (unsigned long long)header.n_entries,
                         header.n_loops ? "; a loop needs two in its row" : "");
    return !text->has_failed;
}
