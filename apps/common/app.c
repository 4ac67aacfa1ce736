/* SPDX-License-Identifier: MIT */
/*
 * Reads or generates the graph, and names it.
 *
 * Path: an application's main -> this -> graph_part.c
 * Owner: the graph is the caller's to free.
 * Threads: main's.
 */
#include "app.h"
#include "graph_part.h"

#include <stdio.h>
#include <string.h>

void app_graph(struct graph *graph, const struct options *options)
{
    struct graph_part part;
    part_survey(&part, options, (struct part_wish){0});
    part_whole(graph, &part);
    part_close(&part);
}

void app_graph_name(char *name, size_t name_bytes, const struct options *options)
{
    static const char *const kinds[] = {[GRAPH_FROM_KRONECKER] = "kronecker",
                                        [GRAPH_FROM_UNIFORM] = "uniform",
                                        [GRAPH_FROM_MESH] = "mesh",
                                        [GRAPH_FROM_BAND] = "band"};
    if (options->graph_source == GRAPH_FROM_FILE) {
        const char *slash = strrchr(options->graph_file, '/');
        snprintf(name, name_bytes, "%s", slash ? slash + 1 : options->graph_file);
        return;
    }
    bool has_scale = options->graph_source <= GRAPH_FROM_UNIFORM;
    snprintf(name, name_bytes, "%s-%llu", kinds[options->graph_source],
             has_scale ? (unsigned long long)options->scale
                       : (unsigned long long)options->n_vertices);
}

void app_add_number(json_t *object, const char *name, uint64_t number)
{
    json_object_set_new(object, name, json_integer((json_int_t)number));
}

json_t *app_graph_parameters(const struct options *options, uint64_t n_vertices, uint64_t n_edges)
{
    json_t *object = json_object();
    app_add_number(object, "vertices", n_vertices);
    app_add_number(object, "edges", n_edges);
    json_object_set_new(object, "partition", json_string(options->by_metis ? "metis" : "block"));
    if (options->graph_source != GRAPH_FROM_FILE)
        app_add_number(object, "seed", options->seed);
    if (options->graph_source == GRAPH_FROM_KRONECKER ||
        options->graph_source == GRAPH_FROM_UNIFORM) {
        app_add_number(object, "scale", options->scale);
        app_add_number(object, "edges_per_vertex", options->degree);
    }
    return object;
}
