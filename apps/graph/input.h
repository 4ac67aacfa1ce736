/* SPDX-License-Identifier: MIT */
/*
 * What every reader of a graph format fills, and the table of readers.
 *
 * Path: read.c -> read_<format>.c -> this -> build.h
 * Owner: read.c owns the input and frees it, however a reader ends.
 * Threads: one at a time.
 *
 * Memory grows with the edges really read, never with the counts that a file declares.
 */
#ifndef APPS_GRAPH_INPUT_H
#define APPS_GRAPH_INPUT_H

#include "graph/build.h"
#include "graph/read.h"
#include "graph/text.h"

struct graph_ends {
    uint32_t from, to;
};

struct graph_input {
    const struct graph_filter *filter;
    struct graph_ends *ends;     /* [n_kept] */
    union graph_weight *weights; /* [n_kept]; NULL if there are none, or none are kept */
    uint64_t n_kept;
    uint64_t capacity;    /* edges there is room for */
    uint64_t n_edges;     /* read, kept or not */
    uint64_t n_vertices;  /* set by the reader */
    uint64_t imbalance;   /* 0 if every edge was read as often as the same edge turned round; a
                             chance of 2^-64 says so wrongly */
    uint32_t max_weight;  /* of weights that are uint */
    bool refuse_negative; /* set by the caller: weights below 0 are errors */
    enum graph_weights weights_are; /* set by the caller if known; else the reader finds out */
    uint64_t large_line; /* of the first whole weight that a uint32 does not hold; 0: none */
    char large_weight[TEXT_QUOTED_BYTES];
    bool
        must_be_symmetric; /* the format says that it is, weights too, and leaves that to the body */
};

/**
 * Append an edge if it is to be kept; false, and the text has failed, without memory. weights_are
 * may change from unweighted before the first edge only.
 */
bool graph_input_add(struct graph_input *input, struct text *text, struct graph_edge edge);

/** Edge i of those kept. */
static inline struct graph_edge graph_input_edge(const struct graph_input *input, uint64_t i)
{
    return (struct graph_edge){input->ends[i].from, input->ends[i].to,
                               input->weights ? input->weights[i] : (union graph_weight){0}};
}

/** Weights of the edges kept. */
static inline enum graph_weights graph_input_weights(const struct graph_input *input)
{
    return input->filter->no_weights ? GRAPH_UNWEIGHTED : input->weights_are;
}

/**
 * Read a weight whose kind is not declared: all are uint32 if all are whole and none is negative,
 * else float. Which it is only the end shows: graph_input_end.
 */
bool graph_input_weight(struct graph_input *input, struct text *text, union graph_weight *weight);

/** At the end of the first reading; false, and the text has failed, if a uint32 does not hold a weight. */
bool graph_input_end(const struct graph_input *input, struct text *text);

void graph_input_free(struct graph_input *input);

/*
 * The readers: from the first line to the end of the text. False when the text has failed. All
 * check every vertex against the declared count, and the declared counts against the body.
 */
typedef bool graph_reader(struct text *text, struct graph_input *input);

graph_reader graph_read_metis;         /* .graph */
graph_reader graph_read_matrix_market; /* .mtx */
graph_reader graph_read_el;            /* .el: from to */
graph_reader graph_read_wel;           /* .wel: from to weight */
graph_reader graph_read_columns;       /* .txt .tsv: from to [weight [time]] */
graph_reader graph_read_dimacs;        /* .gr */

#endif
