/* SPDX-License-Identifier: MIT */
/*
 * Where a graph comes from, in the flags of the GAP Benchmark Suite.
 *
 * Path: an application's table -> this -> part.h
 * Owner: strings are argv's.
 * Threads: main's.
 */
#ifndef APPS_GRAPH_OPTIONS_H
#define APPS_GRAPH_OPTIONS_H

#include "frame/options.h"

enum graph_source {
    GRAPH_FROM_NOTHING,
    GRAPH_FROM_FILE,
    GRAPH_FROM_KRONECKER,
    GRAPH_FROM_UNIFORM,
    GRAPH_FROM_MESH,
    GRAPH_FROM_BAND
};

struct graph_options {
    enum graph_source source; /* -f, -g, -u, --mesh or --band; the application may set a default */
    const char *file;
    uint32_t scale;              /* log2 of the vertices */
    uint32_t degree;             /* -k: edges drawn per vertex */
    uint64_t n_vertices;         /* of --mesh or --band */
    bool has_source, has_degree; /* one was given */
};

/* Start from this, then change what the application wants otherwise. */
#define GRAPH_OPTIONS_DEFAULT ((struct graph_options){.degree = 16})

/* -f -g -u -k --mesh --band; the offset is of a struct graph_options. */
extern const struct app_option options_of_graphs[];
#define GRAPH_OPTIONS_GROUP(at)             \
    {                                       \
        "Graph:", 20, options_of_graphs, at \
    }

/**
 * A short name of the input: "kronecker-20", "uniform-20", "mesh-1000", "band-1000", or the file's
 * name without folders.
 */
void graph_options_name(const struct graph_options *options, char *name, size_t name_bytes);

#endif
