/* SPDX-License-Identifier: MIT */
/*
 * Options that ask for a graph, and the whole graph that they stand for.
 *
 * Path: test_graph_part.c, test_options.c -> this -> apps/graph/part.h
 */
#ifndef TEST_GENERATED_GRAPH_H
#define TEST_GENERATED_GRAPH_H

#include "graph/part.h"

static inline struct graph_options generated(enum graph_source source, unsigned size)
{
    return (struct graph_options){.source = source, .scale = size, .degree = 3, .n_vertices = size};
}

/* From seed 1. */
static inline struct graph whole_graph(const struct graph_options *options)
{
    struct graph whole;
    struct graph_part part = {.options = *options};
    part_survey(&part, 1, (struct part_wish){0});
    part_whole(&whole, &part);
    part_close(&part);
    return whole;
}

#endif
