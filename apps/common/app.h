/* SPDX-License-Identifier: MIT */
/*
 * What an application's main needs besides Gravel: to get its graph, and to give up (die.h).
 *
 * Path: an application's main -> this -> graph_part.h
 * Owner: the graph is the caller's to free.
 * Threads: main's.
 */
#ifndef APPS_APP_H
#define APPS_APP_H

#include "die.h"
#include "graph.h"
#include "options.h"

#include <jansson.h>

/** Give a JSON object a whole number. */
void app_add_number(json_t *object, const char *name, uint64_t number);

/** Read or generate the graph that the options ask for, or die. */
void app_graph(struct graph *graph, const struct options *options);

/**
 * A short name of the input: "kronecker-20", "uniform-20", "mesh-1000", "band-1000", or the file's
 * name without folders.
 */
void app_graph_name(char *name, size_t name_bytes, const struct options *options);

/**
 * The options that decide the input, and its size, as JSON, to which the application adds its own
 * parameters.
 *
 * @return  a new reference; NULL without memory.
 */
json_t *app_graph_parameters(const struct options *options, uint64_t n_vertices, uint64_t n_edges);

#endif
