/* SPDX-License-Identifier: MIT */
/*
 * Choose the reader by suffix, run it, and build rows from what it kept.
 *
 * Path: part.c -> this -> read_<format>.c -> build.c
 * Owner: the text and the list of edges live here, for the length of one call.
 * Threads: any; one at a time per graph.
 */
#include "graph/read.h"
#include "graph/input.h"

#include <string.h>
#include <strings.h>

_Static_assert(GRAPH_REASON_BYTES >= TEXT_REASON_BYTES, "a reason fits");

/*
 * Vertices without edges cost memory that nothing in the body stands for, so a file may have this
 * many, and VERTICES_PER_EDGE more for each edge. Lists with sparse numbers must be renumbered
 * first.
 */
#define SPARE_VERTICES (UINT64_C(1) << 20)
#define VERTICES_PER_EDGE 64

#define KNOWN_SUFFIXES ".graph .mtx .el .wel .txt .tsv .gr"

static const struct {
    const char *suffix;
    graph_reader *read;
} formats[GRAPH_N_FORMATS] = {
    [GRAPH_FORMAT_METIS] = {".graph", graph_read_metis},
    [GRAPH_FORMAT_MATRIX_MARKET] = {".mtx", graph_read_matrix_market},
    [GRAPH_FORMAT_EL] = {".el", graph_read_el},
    [GRAPH_FORMAT_WEL] = {".wel", graph_read_wel},
    [GRAPH_FORMAT_TXT] = {".txt", graph_read_columns},
    [GRAPH_FORMAT_TSV] = {".tsv", graph_read_columns},
    [GRAPH_FORMAT_DIMACS] = {".gr", graph_read_dimacs},
};

static bool ends_with(const char *s, size_t n, const char *suffix)
{
    size_t n_suffix = strlen(suffix);
    return n > n_suffix && strncasecmp(s + n - n_suffix, suffix, n_suffix) == 0;
}

static enum graph_format format_of(const char *path)
{
    size_t n = strlen(path);
    if (ends_with(path, n, ".gz"))
        n -= 3;
    enum graph_format format = 0;
    while (format < GRAPH_N_FORMATS && !ends_with(path, n, formats[format].suffix))
        format++;
    return format;
}

static bool check_density(struct text *text, const struct graph_input *input)
{
    if (input->n_vertices == 0)
        return text_fail(text, "the graph has no vertices");
    if (input->n_vertices <= SPARE_VERTICES ||
        (input->n_vertices - SPARE_VERTICES - 1) / VERTICES_PER_EDGE < input->n_edges)
        return true;
    return text_fail(text, "%llu vertices are too many for %llu edges: number them densely",
                     (unsigned long long)input->n_vertices, (unsigned long long)input->n_edges);
}

static bool check_symmetry(struct text *text, const struct graph_input *input)
{
    return !input->must_be_symmetric || input->imbalance == 0 ||
           text_fail(text,
                     "an edge is not in the rows of both its ends equally often, with the same "
                     "weight: METIS' graphchk says which");
}

/* Choose the reader, and open the file for it; NULL with the reason. */
static graph_reader *open_file(struct text *text, const char *path, char *reason)
{
    enum graph_format format = format_of(path);
    if (format < GRAPH_N_FORMATS)
        return text_open(text, path, reason) ? formats[format].read : NULL;
    text_refuse(path, reason, "unknown suffix; known, each also with .gz: %s", KNOWN_SUFFIXES);
    return NULL;
}

/* ---- the second reading: rows ---------------------------------------------------------------- */

static void list_input(const void *source, const struct graph_asked *asked, graph_visit *visit,
                       void *context)
{
    const struct graph_input *input = source;
    const struct block_range edges = graph_asked_share(asked, input->n_kept);
    for (uint64_t i = edges.first; i < edges.last; i++)
        visit(context, graph_input_edge(input, i));
}

static bool build_rows(struct graph *rows, struct text *text, const struct graph_input *input,
                       const struct graph_survey *survey)
{
    const struct graph_stream stream = {list_input, input, graph_input_weights(input), true};
    const struct graph_filter *filter = input->filter;
    if (text->file.print != survey->print)
        return text_fail(text, "the file has changed while it was read");
    if (graph_build_rows(rows, filter->partition, filter->node, &stream))
        return text_fail(text, "no memory for rows of %llu edges",
                         (unsigned long long)input->n_kept);
    return true;
}

bool graph_read_rows(struct graph *rows, const char *path, const struct graph_filter *filter,
                     const struct graph_survey *survey, char *reason)
{
    struct graph_input input = {.filter = filter, .weights_are = survey->weights_are};
    struct text text;
    *rows = (struct graph){0};
    graph_reader *read = open_file(&text, path, reason);
    if (!read)
        return false;
    const bool was_read = read(&text, &input) && build_rows(rows, &text, &input, survey);
    text_close(&text);
    graph_input_free(&input);
    return was_read;
}

/* ---- the first reading: a survey ------------------------------------------------------------- */

bool graph_read_survey(struct graph_survey *survey, const char *path, bool refuse_negative,
                       char *reason)
{
    const struct graph_filter nothing = {0};
    struct graph_input input = {.filter = &nothing, .refuse_negative = refuse_negative};
    struct text text;
    graph_reader *read = open_file(&text, path, reason);
    if (!read)
        return false;
    const bool was_read = read(&text, &input) && graph_input_end(&input, &text) &&
                          check_density(&text, &input) && check_symmetry(&text, &input);
    *survey = (struct graph_survey){.n_vertices = input.n_vertices,
                                    .n_edges = input.n_edges,
                                    .weights_are = input.weights_are,
                                    .max_weight = input.max_weight,
                                    .is_symmetric = input.imbalance == 0,
                                    .print = text.file.print};
    text_close(&text);
    return was_read;
}
