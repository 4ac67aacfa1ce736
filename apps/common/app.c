/* SPDX-License-Identifier: MIT */
/*
 * Give up; read or generate the graph.
 *
 * Path: an application's main -> this -> graph_read.c, graph_generate.c
 * Owner: the graph is the caller's to free.
 * Threads: main's.
 */
#include "app.h"
#include "graph_generate.h"
#include "graph_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void die(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* One call, so that the lines of several nodes do not mix. */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    /* Not exit: what runs at exit (OpenCL, MPI) could wait for threads that are stuck, and the
     * job's launcher ends the other nodes as soon as it sees this one end. */
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

static void read_or_die(struct graph *graph, const char *path)
{
    char reason[GRAPH_REASON_BYTES];
    if (!graph_read(graph, path, reason))
        die("%s", reason);
}

static int generate(struct graph *graph, const struct options *options)
{
    if (options->graph_source == GRAPH_FROM_KRONECKER)
        return graph_generate_kronecker(graph, options->scale, options->degree, options->seed);
    return graph_generate_uniform(graph, options->scale, options->degree, options->seed);
}

void app_graph(struct graph *graph, const struct options *options)
{
    if (options->graph_source == GRAPH_FROM_NOTHING)
        die("no graph: give one of -f FILE, -g SCALE and -u SCALE");
    if (options->graph_source == GRAPH_FROM_FILE) {
        read_or_die(graph, options->graph_file);
        return;
    }
    int status = generate(graph, options);
    if (status)
        die("cannot generate 2^%u vertices with %u edges each: %s", options->scale, options->degree,
            strerror(-status));
}

void app_graph_name(char *name, size_t name_bytes, const struct options *options)
{
    if (options->graph_source == GRAPH_FROM_FILE) {
        const char *slash = strrchr(options->graph_file, '/');
        snprintf(name, name_bytes, "%s", slash ? slash + 1 : options->graph_file);
        return;
    }
    const char *kind = options->graph_source == GRAPH_FROM_KRONECKER ? "kronecker" : "uniform";
    snprintf(name, name_bytes, "%s-%u", kind, options->scale);
}

json_t *app_graph_parameters(const struct options *options, const struct graph *graph)
{
    json_int_t n_vertices = (json_int_t)graph->n_vertices, n_edges = (json_int_t)graph->n_edges;
    if (options->graph_source == GRAPH_FROM_FILE)
        return json_pack("{s:I, s:I}", "vertices", n_vertices, "edges", n_edges);
    return json_pack("{s:I, s:I, s:i, s:i, s:I}", "vertices", n_vertices, "edges", n_edges, "scale",
                     (int)options->scale, "edges_per_vertex", (int)options->degree, "seed",
                     (json_int_t)options->seed);
}
