/* SPDX-License-Identifier: MIT */
/*
 * Matrix Market .mtx: a square sparse matrix; entry (i, j) is the edge from i to j.
 *
 * Path: read.c -> this -> read.h
 * Threads: one at a time.
 * Source: R. Boisvert, R. Pozo, K. Remington, The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996.
 *
 * Symmetric and skew-symmetric matrices store the lower triangle; the upper one is added here, negated for skew. Real
 * weights are whole where all are written so.
 */
#include "graph/read.h"

#include <stdio.h>
#include <string.h>

enum symmetry { GENERAL, SYMMETRIC, SKEW };
enum field { PATTERN, INTEGER, REAL };

struct matrix {
    enum field field;
    enum symmetry symmetry;
    uint64_t n_rows, n_entries;
};

/* Steps over one of the words, which are separated by '|', and sets its number among them. */
static bool take_word(struct text *text, const char *what, const char *words, unsigned *number)
{
    char word[16];
    *number = 0;
    for (const char *at = words; *at; ++*number) {
        const size_t n = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (text_accept(text, word))
            return true;
        at += n + (at[n] == '|');
    }
    return text_fail(text, "%s '%s' is not %s", what, text_quote(text), words);
}

static bool read_banner(struct text *text, struct matrix *matrix)
{
    unsigned only, field, symmetry;
    if (!text_accept(text, "%%MatrixMarket"))
        return text_fail(text, "the first line does not start with %%%%MatrixMarket");
    if (!take_word(text, "object", "matrix", &only) ||
        !take_word(text, "format", "coordinate", &only) ||
        !take_word(text, "field", "pattern|integer|real|double", &field) ||
        !take_word(text, "symmetry", "general|symmetric|skew-symmetric", &symmetry))
        return false;
    matrix->field = field < REAL ? field : REAL;
    matrix->symmetry = symmetry;
    if (matrix->symmetry == SKEW && matrix->field == PATTERN)
        return text_fail(text, "a pattern has no sign and cannot be skew-symmetric");
    return text_end_line(text);
}

static bool read_sizes(struct text *text, struct matrix *matrix)
{
    uint64_t n_columns;
    if (!text_next_record(text, "%"))
        return text_fail(text, "the line \"rows columns entries\" is missing");
    if (!text_uint(text, "number of rows", 0, GRAPH_MAX_VERTICES, &matrix->n_rows) ||
        !text_uint(text, "number of columns", 0, GRAPH_MAX_VERTICES, &n_columns) ||
        !text_uint(text, "number of entries", 0, INT64_MAX, &matrix->n_entries))
        return false;
    if (matrix->n_rows != n_columns)
        return text_fail(text, "a graph needs a square matrix, not %llu x %llu",
                         (unsigned long long)matrix->n_rows, (unsigned long long)n_columns);
    return text_end_line(text);
}

static bool read_weight(struct text *text, const struct matrix *matrix, struct graph_input *input,
                        union graph_weight *weight)
{
    if (matrix->field == PATTERN)
        return true;
    if (matrix->field == INTEGER && !text_is_whole(text))
        return text_fail(text, "weight '%s' is not a whole number", text_quote(text));
    if (matrix->symmetry == SKEW && input->refuse_negative)
        return text_fail(text, "a skew-symmetric matrix has negative weights");
    return graph_input_weight(input, text, weight);
}

static bool check_triangle(struct text *text, const struct matrix *matrix, uint64_t i, uint64_t j)
{
    if (matrix->symmetry == GENERAL || i > j || (i == j && matrix->symmetry == SYMMETRIC))
        return true;
    return text_fail(text, "entry %llu %llu is not in the lower triangle that a %s matrix stores",
                     (unsigned long long)i, (unsigned long long)j,
                     matrix->symmetry == SKEW ? "skew-symmetric" : "symmetric");
}

static bool read_entry(struct text *text, const struct matrix *matrix, struct graph_input *input)
{
    uint64_t i, j;
    union graph_weight weight = {0};
    if (!text_uint(text, "row", 1, matrix->n_rows, &i) ||
        !text_uint(text, "column", 1, matrix->n_rows, &j) || !check_triangle(text, matrix, i, j) ||
        !read_weight(text, matrix, input, &weight) || !text_end_line(text))
        return false;
    struct graph_edge edge = {(uint32_t)i - 1, (uint32_t)j - 1, weight};
    if (!graph_input_add(input, text, edge))
        return false;
    if (matrix->symmetry == GENERAL || i == j)
        return true;
    if (matrix->symmetry == SKEW)
        edge.weight.as_float = 0 - edge.weight.as_float; /* of 0, 0 and not -0 */
    return graph_input_add(input, text, (struct graph_edge){edge.to, edge.from, edge.weight});
}

bool graph_read_matrix_market(struct text *text, struct graph_input *input)
{
    struct matrix matrix = {0};
    if (!read_banner(text, &matrix) || !read_sizes(text, &matrix))
        return false;
    input->n_vertices = matrix.n_rows;
    if (input->weights_are == GRAPH_UNWEIGHTED && matrix.symmetry == SKEW)
        input->weights_are = GRAPH_FLOAT;
    else if (input->weights_are == GRAPH_UNWEIGHTED && matrix.field == INTEGER)
        input->weights_are = GRAPH_UINT;
    uint64_t n_read = 0;
    for (; text_next_record(text, "%"); n_read++) {
        if (n_read == matrix.n_entries)
            return text_fail(text, "more than the declared %llu entries",
                             (unsigned long long)matrix.n_entries);
        if (!read_entry(text, &matrix, input))
            return false;
    }
    if (n_read < matrix.n_entries)
        return text_fail(text, "the file ends after %llu of %llu entries",
                         (unsigned long long)n_read, (unsigned long long)matrix.n_entries);
    if (matrix.field == REAL && input->weights_are == GRAPH_UNWEIGHTED)
        input->weights_are = GRAPH_FLOAT; /* no entry says more */
    return !text->has_failed;
}
