/* SPDX-License-Identifier: MIT */
/*
 * Choose the reader by suffix, run it, and keep the list of edges that it fills.
 *
 * Path: part.c -> this -> read_<format>.c
 * Owner: the text lives here, for the length of one call.
 * Threads: see read.h.
 */
#include "graph/read.h"
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
               {".el", graph_read_el},       {".wel", graph_read_wel},
               {".txt", graph_read_columns}, {".tsv", graph_read_columns},
               {".gr", graph_read_dimacs}};
#define KNOWN_SUFFIXES ".graph .mtx .el .wel .txt .tsv .gr"
#define N_FORMATS (sizeof formats / sizeof *formats)

/* ---- the list that readers fill ---------------------------------------------------------------- */

#define FIRST_CAPACITY 1024

/* Doubles the room: it takes no memory until it is written, only addresses. */
static bool grow(struct graph_input *input)
{
    uint64_t capacity = input->capacity ? 2 * input->capacity : FIRST_CAPACITY;
    if (capacity > SIZE_MAX / sizeof *input->ends)
        return false;
    struct graph_ends *ends = realloc(input->ends, capacity * sizeof *ends);
    if (!ends)
        return false;
    input->ends = ends;
    if (input->weights_are != GRAPH_UNWEIGHTED) {
        union graph_weight *weights = realloc(input->weights, capacity * sizeof *weights);
        if (!weights)
            return false;
        input->weights = weights;
    }
    input->capacity = capacity;
    return true;
}

/* A format that has each edge in two rows may not have another weight in the second. */
static uint64_t edge_hash(const struct graph_input *input, uint32_t from, uint32_t to,
                          union graph_weight weight)
{
    const uint64_t hash = random_mix((uint64_t)from << 32 | to);
    return input->must_be_symmetric ? random_mix(hash ^ weight.as_uint) : hash;
}

bool graph_input_add(struct graph_input *input, struct text *text, struct graph_edge edge)
{
    if (input->n_edges == input->capacity && !grow(input))
        return text_fail(text, "no memory for more than %llu edges",
                         (unsigned long long)input->n_edges);
    if (input->weights)
        input->weights[input->n_edges] = edge.weight;
    input->ends[input->n_edges++] = (struct graph_ends){edge.from, edge.to};
    input->imbalance += edge_hash(input, edge.from, edge.to, edge.weight) -
                        edge_hash(input, edge.to, edge.from, edge.weight);
    return true;
}

/* "12" is whole; "-1", "1.5" and "99999999999" need a float. */
bool graph_input_weight(struct graph_input *input, struct text *text, union graph_weight *weight)
{
    const size_t n = text_word(text);
    uint64_t value = 0;
    bool is_whole = n && input->weights_are != GRAPH_FLOAT;
    for (size_t i = 0; i < n && is_whole; i++) {
        value = 10 * value + (uint64_t)(text->at[i] - '0');
        is_whole = text->at[i] >= '0' && text->at[i] <= '9' && value <= UINT32_MAX;
    }
    if (is_whole) {
        input->weights_are = GRAPH_UINT;
        weight->as_uint = (uint32_t)value;
        text->at += n;
        return true;
    }
    for (uint64_t i = 0; input->weights_are == GRAPH_UINT && i < input->n_edges; i++)
        input->weights[i].as_float = (float)input->weights[i].as_uint;
    input->weights_are = GRAPH_FLOAT;
    return text_float(text, "weight", input->refuse_negative, &weight->as_float);
}

void graph_input_free(struct graph_input *input)
{
    free(input->ends);
    free(input->weights);
    *input = (struct graph_input){0};
}

/* ---- edges ------------------------------------------------------------------------------------- */

static void list_edges(const void *source, const struct graph_asked *asked, graph_visit *visit,
                       void *context)
{
    const struct graph_input *input = source;
    const struct block_range edges = graph_asked_share(asked, input->n_edges);
    for (uint64_t i = edges.first; i < edges.last; i++) {
        const struct graph_ends ends = input->ends[i];
        visit(context,
              (struct graph_edge){ends.from, ends.to,
                                  input->weights ? input->weights[i] : (union graph_weight){0}});
    }
}

static void list_both_ways(const void *source, const struct graph_asked *asked, graph_visit *visit,
                           void *context)
{
    const struct graph_input *input = source;
    const struct block_range edges = graph_asked_share(asked, input->n_edges);
    list_edges(source, asked, visit, context);
    for (uint64_t i = edges.first; i < edges.last; i++)
        visit(context, (struct graph_edge){.from = input->ends[i].to, .to = input->ends[i].from});
}

struct graph_stream graph_input_stream(const struct graph_input *input, bool has_weights,
                                       bool both_ways)
{
    return (struct graph_stream){both_ways ? list_both_ways : list_edges, input,
                                 has_weights ? input->weights_are : GRAPH_UNWEIGHTED, true};
}

/* ---- a file ------------------------------------------------------------------------------------ */

static bool ends_with(const char *s, size_t n, const char *suffix)
{
    size_t n_suffix = strlen(suffix);
    return n > n_suffix && strncasecmp(s + n - n_suffix, suffix, n_suffix) == 0;
}

/* @return  NULL: the suffix is none of the known */
static graph_reader *reader_of(const char *path)
{
    const size_t n_all = strlen(path), n = ends_with(path, n_all, ".gz") ? n_all - 3 : n_all;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (ends_with(path, n, formats[i].suffix))
            return formats[i].read;
    return NULL;
}

static bool check(struct text *text, const struct graph_input *input)
{
    if (input->n_vertices == 0)
        return text_fail(text, "the graph has no vertices");
    if (input->n_vertices > SPARE_VERTICES &&
        (input->n_vertices - SPARE_VERTICES - 1) / VERTICES_PER_EDGE >= input->n_edges)
        return text_fail(text, "%llu vertices are too many for %llu edges: number them densely",
                         (unsigned long long)input->n_vertices, (unsigned long long)input->n_edges);
    return !input->must_be_symmetric || input->imbalance == 0 ||
           text_fail(text,
                     "an edge is not in the rows of both its ends equally often, with the same "
                     "weight: METIS' graphchk says which");
}

bool graph_read(struct graph_input *input, const char *path, bool refuse_negative, char *reason)
{
    struct text text;
    graph_reader *const read = reader_of(path);
    *input = (struct graph_input){.refuse_negative = refuse_negative};
    if (!read)
        text_refuse(path, reason, "unknown suffix; known, each also with .gz: %s", KNOWN_SUFFIXES);
    if (!read || !text_open(&text, path, reason))
        return false;
    const bool was_read = read(&text, input) && check(&text, input);
    input->is_symmetric = input->imbalance == 0;
    input->print = text.file.print;
    text_close(&text);
    if (!was_read)
        graph_input_free(input);
    return was_read;
}
