/* SPDX-License-Identifier: MIT */
/*
 * The growing list of edges that readers fill.
 *
 * Path: read_<format>.c -> this -> build.c
 * Owner: read.c.
 * Threads: one at a time.
 */
#include "graph/input.h"
#include "frame/random.h"

#include <stdlib.h>
#include <string.h>

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
    if (graph_input_weights(input) != GRAPH_UNWEIGHTED) {
        union graph_weight *weights = realloc(input->weights, capacity * sizeof *weights);
        if (!weights)
            return false;
        input->weights = weights;
    }
    input->capacity = capacity;
    return true;
}

static bool keep(struct graph_input *input, struct text *text, struct graph_edge edge)
{
    if (input->n_kept == input->capacity && !grow(input))
        return text_fail(text, "no memory for more than %llu edges",
                         (unsigned long long)input->n_kept);
    if (input->weights)
        input->weights[input->n_kept] = edge.weight;
    input->ends[input->n_kept++] = (struct graph_ends){edge.from, edge.to};
    return true;
}

/* A file that has grown between two readings may name vertices that no node owns. */
static bool is_wanted(const struct graph_filter *filter, uint32_t from)
{
    return filter->partition && from < filter->partition->n_vertices &&
           partition_has(filter->partition, filter->node, from);
}

/* Refuses an edge whose weight differs between the rows of its two vertices. */
static uint64_t edge_hash(const struct graph_input *input, uint32_t from, uint32_t to,
                          union graph_weight weight)
{
    const uint64_t hash = random_mix((uint64_t)from << 32 | to);
    return input->must_be_symmetric ? random_mix(hash ^ weight.as_uint) : hash;
}

bool graph_input_add(struct graph_input *input, struct text *text, struct graph_edge edge)
{
    const struct graph_filter *filter = input->filter;
    input->n_edges++;
    input->imbalance += edge_hash(input, edge.from, edge.to, edge.weight) -
                        edge_hash(input, edge.to, edge.from, edge.weight);
    if (is_wanted(filter, edge.from) && !keep(input, text, edge))
        return false;
    struct graph_edge turned = {edge.to, edge.from, edge.weight};
    return !filter->both_ways || !is_wanted(filter, edge.to) || keep(input, text, turned);
}

/* "12" and even "99999999999" are whole; "-1" and "1.5" need a float. */
static bool is_written_as_uint(struct text *text)
{
    size_t n = text_word(text);
    for (size_t i = 0; i < n; i++)
        if (!memchr("0123456789", text->at[i], 10))
            return false;
    return true;
}

static bool read_float(const struct graph_input *input, struct text *text,
                       union graph_weight *weight)
{
    return text_float(text, "weight", input->refuse_negative, &weight->as_float);
}

/* Whole, and too large if no float follows. */
static bool take_large(struct graph_input *input, struct text *text, union graph_weight *weight)
{
    if (input->large_line == 0) {
        input->large_line = text->line;
        strcpy(input->large_weight, text_quote(text));
    }
    return read_float(input, text, weight);
}

static bool read_uint(struct graph_input *input, struct text *text, union graph_weight *weight)
{
    uint64_t value = 0;
    bool was_read = text_uint(text, "weight", 0, UINT32_MAX, &value);
    weight->as_uint = (uint32_t)value;
    if (input->max_weight < weight->as_uint)
        input->max_weight = weight->as_uint;
    return was_read;
}

bool graph_input_weight(struct graph_input *input, struct text *text, union graph_weight *weight)
{
    if (input->weights_are == GRAPH_FLOAT || !is_written_as_uint(text)) {
        input->weights_are = GRAPH_FLOAT;
        return read_float(input, text, weight);
    }
    input->weights_are = GRAPH_UINT;
    const size_t n = text_word(text);
    uint64_t value = 0;
    for (size_t i = 0; i < n && value <= UINT32_MAX; i++)
        value = 10 * value + (uint64_t)(text->at[i] - '0');
    return value > UINT32_MAX ? take_large(input, text, weight) : read_uint(input, text, weight);
}

bool graph_input_end(const struct graph_input *input, struct text *text)
{
    if (input->weights_are != GRAPH_UINT || input->large_line == 0)
        return !text->has_failed;
    text->line = input->large_line;
    return text_fail(text, "weight %s is not in 0..%u", input->large_weight, UINT32_MAX);
}

void graph_input_free(struct graph_input *input)
{
    free(input->ends);
    free(input->weights);
    *input = (struct graph_input){0};
}
