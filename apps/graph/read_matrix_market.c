/* SPDX-License-Identifier: MIT */
/*
 * Matrix Market .mtx: a square sparse matrix; entry (i, j) is the edge from i to j.
 *
 * Path: read.c -> this -> read.h
 * Threads: one at a time.
 * Source: R. Boisvert, R. Pozo, K. Remington, The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996.
 *
 * Symmetric matrices store the lower triangle; the upper one is added here. Real weights are whole where all are written so.
 */
#include "graph/read.h"

#include <string.h>

enum field { PATTERN, INTEGER, REAL };

struct matrix {
    enum field field;
    bool is_symmetric;
    uint64_t n_entries;
};

/* Steps over one of the words, which are separated by '|'. Returns its number among them. */
static unsigned take_word(struct text *text, const char *what, const char *words)
{
    char word[16];
    unsigned number = 0;
    for (const char *at = words; *at; number++) {
        const size_t n = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (text_accept(text, word))
            return number;
        at += n + (at[n] == '|');
    }
    text_fail(text, "%s '%s' is not %s", what, text_quote(text), words);
}

static struct matrix read_header(struct graph_input *input)
{
    struct text *text = input->text;
    if (!text_accept(text, "%%MatrixMarket"))
        text_fail(text, "the first line does not start with %%%%MatrixMarket");
    take_word(text, "object", "matrix");
    take_word(text, "format", "coordinate");
    const unsigned field = take_word(text, "field", "pattern|integer|real|double");
    struct matrix matrix = {.field = field < REAL ? field : REAL,
                            .is_symmetric = take_word(text, "symmetry", "general|symmetric")};
    text_end_line(text);
    if (!text_next_record(text, "%"))
        text_fail(text, "the line \"rows columns entries\" is missing");
    input->n_vertices = text_uint(text, "number of rows", 0, GRAPH_MAX_VERTICES);
    const uint64_t n_columns = text_uint(text, "number of columns", 0, GRAPH_MAX_VERTICES);
    matrix.n_entries = text_uint(text, "number of entries", 0, INT64_MAX);
    if (input->n_vertices != n_columns)
        text_fail(text, "a graph needs a square matrix, not %llu x %llu",
                  (unsigned long long)input->n_vertices, (unsigned long long)n_columns);
    text_end_line(text);
    return matrix;
}

static void read_entry(struct graph_input *input, const struct matrix *matrix)
{
    struct text *text = input->text;
    const uint64_t i = text_uint(text, "row", 1, input->n_vertices);
    const uint64_t j = text_uint(text, "column", 1, input->n_vertices);
    struct graph_edge edge = {.from = (uint32_t)i - 1, .to = (uint32_t)j - 1};
    if (matrix->is_symmetric && i < j)
        text_fail(text,
                  "entry %llu %llu is not in the lower triangle that a symmetric matrix stores",
                  (unsigned long long)i, (unsigned long long)j);
    if (matrix->field == INTEGER && !text_is_whole(text))
        text_fail(text, "weight '%s' is not a whole number", text_quote(text));
    if (matrix->field != PATTERN)
        edge.weight = graph_input_weight(input);
    text_end_line(text);
    graph_input_add(input, edge);
    if (matrix->is_symmetric && i != j)
        graph_input_add(input, (struct graph_edge){edge.to, edge.from, edge.weight});
}

void graph_read_matrix_market(struct graph_input *input)
{
    struct text *text = input->text;
    const struct matrix matrix = read_header(input);
    uint64_t n_read = 0;
    if (matrix.field == INTEGER)
        input->weights_are = GRAPH_UINT;
    for (; text_next_record(text, "%"); n_read++) {
        if (n_read == matrix.n_entries)
            text_fail(text, "more than the declared %llu entries",
                      (unsigned long long)matrix.n_entries);
        read_entry(input, &matrix);
    }
    if (n_read < matrix.n_entries)
        text_fail(text, "the file ends after %llu of %llu entries", (unsigned long long)n_read,
                  (unsigned long long)matrix.n_entries);
    if (matrix.field == REAL && input->weights_are == GRAPH_UNWEIGHTED)
        input->weights_are = GRAPH_FLOAT; /* no entry says more */
}
