/* SPDX-License-Identifier: MIT */
/*
 * Options that ask for a generated graph.
 *
 * Path: test_graph_part.c, test_graph_statistics.c -> this -> apps/common/options.h
 */
#ifndef TEST_GENERATED_GRAPH_H
#define TEST_GENERATED_GRAPH_H

#include "options.h"

static inline struct options generated(enum graph_source source, unsigned size)
{
    struct options options = OPTIONS_DEFAULT;
    options.graph_source = source;
    options.scale = size;
    options.degree = 3;
    options.n_vertices = size;
    return options;
}

#endif
