/* SPDX-License-Identifier: MIT */
/*
 * Choose the reader by suffix, run it, and keep the list of edges that it fills.
 *
 * Path: part.c -> this -> read_<format>.c
 * Owner, threads: see read.h.
 */
#include "graph/read.h"
#include "frame/die.h"
#include "frame/random.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * Vertices without edges cost memory that nothing in the body stands for, so a file may have this
 * many, and VERTICES_PER_EDGE more for each edge. Lists with sparse numbers must be renumbered
 * first.
 */
#define SPARE_VERTICES (UINT64_C(1) << 20)
#define VERTICES_PER_EDGE 64

static const struct format {
    const char *suffix;
    graph_reader *read;
} formats[] = {{".graph", graph_read_metis}, {".mtx", graph_read_matrix_market},
               {".el", graph_read_list},     {".wel", graph_read_list},
               {".txt", graph_read_list},    {".tsv", graph_read_list}};
#define KNOWN_SUFFIXES ".graph .mtx .el .wel .txt .tsv"
#define N_FORMATS (sizeof formats / sizeof *formats)

/* ---- the list that readers fill ---------------------------------------------------------------- */

/* A format that has each edge in two rows may not have another weight in the second. */
static uint64_t edge_hash(const struct graph_input *input, uint32_t from, uint32_t to,
                          union graph_weight weight)
{
    const uint64_t hash = random_mix((uint64_t)from << 32 | to);
    return input->must_be_symmetric ? random_mix(hash ^ weight.as_uint) : hash;
}

void graph_input_add(struct graph_input *input, struct graph_edge edge)
{
    const uint64_t n = input->n_edges++;
    input->ends = app_room(input->ends, n, &input->room, sizeof *input->ends, "edges");
    input->ends[n] = (struct graph_ends){edge.from, edge.to};
    if (input->weights_are != GRAPH_UNWEIGHTED) {
        input->weights = app_room(input->weights, n, &input->weights_room, sizeof *input->weights,
                                  "weights of edges");
        input->weights[n] = edge.weight;
    }
    input->imbalance += edge_hash(input, edge.from, edge.to, edge.weight) -
                        edge_hash(input, edge.to, edge.from, edge.weight);
}

/* "12" is whole; "-1", "1.5" and "99999999999" need a float. */
union graph_weight graph_input_weight(struct graph_input *input)
{
    struct text *text = input->text;
    const size_t n = text_word(text);
    uint64_t value = 0;
    bool is_whole = n && input->weights_are != GRAPH_FLOAT;
    for (size_t i = 0; i < n && is_whole; i++) {
        value = 10 * value + (uint64_t)(text->at[i] - '0');
        is_whole = text->at[i] >= '0' && text->at[i] <= '9' && value <= UINT32_MAX;
    }
    if (is_whole) {
        input->weights_are = GRAPH_UINT;
        text->at += n;
        return (union graph_weight){(uint32_t)value};
    }
    for (uint64_t i = 0; input->weights_are == GRAPH_UINT && i < input->n_edges; i++)
        input->weights[i].as_float = (float)input->weights[i].as_uint;
    input->weights_are = GRAPH_FLOAT;
    return (union graph_weight){.as_float = text_float(text, "weight", input->refuse_negative)};
}

void graph_input_free(struct graph_input *input)
{
    text_close(input->text);
    free(input->ends);
    free(input->weights);
    *input = (struct graph_input){0};
}

/* ---- edges ------------------------------------------------------------------------------------- */

static void list_edges(const void *source, struct block_range edges, graph_visit *visit,
                       void *context)
{
    const struct graph_input *input = source;
    for (uint64_t i = edges.first; i < edges.last; i++) {
        const struct graph_ends ends = input->ends[i];
        const union graph_weight weight =
            input->weights ? input->weights[i] : (union graph_weight){0};
        visit(context, (struct graph_edge){ends.from, ends.to, weight});
        if (input->goes_both_ways)
            visit(context, (struct graph_edge){ends.to, ends.from, weight});
    }
}

struct graph_stream graph_input_stream(const struct graph_input *input, bool has_weights)
{
    return (struct graph_stream){.list = list_edges,
                                 .source = input,
                                 .n_items = input->n_edges,
                                 .n_vertices = input->n_vertices,
                                 .n_edges = input->n_edges,
                                 .weights_are =
                                     has_weights ? input->weights_are : GRAPH_UNWEIGHTED};
}

/* ---- a file ------------------------------------------------------------------------------------ */

static bool ends_with(const char *s, size_t n, const char *suffix)
{
    size_t n_suffix = strlen(suffix);
    return n > n_suffix && strncasecmp(s + n - n_suffix, suffix, n_suffix) == 0;
}

static graph_reader *reader_of(const char *path)
{
    const size_t n_all = strlen(path), n = ends_with(path, n_all, ".gz") ? n_all - 3 : n_all;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (ends_with(path, n, formats[i].suffix))
            return formats[i].read;
    text_fail(&(struct text){.path = path},
              "unknown suffix; known, each also with .gz: " KNOWN_SUFFIXES);
}

static void check(const struct graph_input *input)
{
    if (input->n_vertices == 0)
        text_fail(input->text, "the graph has no vertices");
    if (input->n_vertices > SPARE_VERTICES &&
        (input->n_vertices - SPARE_VERTICES - 1) / VERTICES_PER_EDGE >= input->n_edges)
        text_fail(input->text, "%llu vertices are too many for %llu edges: number them densely",
                  (unsigned long long)input->n_vertices, (unsigned long long)input->n_edges);
    if (input->must_be_symmetric && input->imbalance)
        text_fail(input->text, "an edge is not in the rows of both its ends equally often, with "
                               "the same weight: METIS' graphchk says which");
}

void graph_read(struct graph_input *input, const char *path, bool refuse_negative)
{
    graph_reader *const read = reader_of(path);
    *input = (struct graph_input){.refuse_negative = refuse_negative};
    input->text = text_open(path);
    read(input);
    check(input);
    input->is_symmetric = input->imbalance == 0;
    input->print = input->text->print;
    text_close(input->text);
    input->text = NULL;
}
