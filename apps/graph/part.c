/* SPDX-License-Identifier: MIT */
/*
 * From options to a graph.
 *
 * Path: part.h -> this -> read.c, generate.c, mesh.c -> build.c
 * Threads: main's, and OpenMP's.
 */
#include "graph/part.h"
#include "frame/die.h"
#include "frame/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

/* What generates a graph. */
static const struct graph_kind {
    const char *name;
    graph_generate *generate;
    bool has_degree;
} kronecker = {"kronecker", kronecker_stream, true}, uniform = {"uniform", uniform_stream, true},
  mesh = {"mesh", mesh_stream, false}, band = {"band", band_stream, false};

static void take_size(const struct app_option *option, const char *value, void *field)
{
    struct graph_options *options = field;
    const struct app_option number = {option->name, option->letter, .min = option->min,
                                      .max = option->max, .bytes = 8};
    option_number(&number, value, &options->size);
    options->kind = option->rows;
    options->n_given++;
}

#define SIZE(kind, least, most) .take = take_size, .rows = &kind, .min = least, .max = most

const struct app_option options_of_graphs[] = {
    {"file", 'f', "FILE",
     "Read a list of edges: from, to, and a weight or none; vertices count from 0",
     OPTION_WORD(struct graph_options, file)},
    {"kronecker", 'g', "SCALE", "Generate a Kronecker graph of 2^SCALE vertices",
     SIZE(kronecker, 0, GENERATE_MAX_SCALE)},
    {"uniform", 'u', "SCALE", "Generate a uniform graph of 2^SCALE vertices",
     SIZE(uniform, 0, GENERATE_MAX_SCALE)},
    {"degree", 'k', "DEGREE", "Generate this many undirected edges per vertex (16)",
     OPTION_NUMBER(struct graph_options, degree, 1, GENERATE_MAX_DEGREE)},
    {"mesh", 0, "VERTICES",
     "Generate an adaptive mesh of about so many vertices, of degree 2 and 3 (hugebubbles-00020 "
     "has 21198119)",
     SIZE(mesh, MESH_MIN_VERTICES, MESH_MAX_VERTICES)},
    {"band", 0, "VERTICES",
     "Generate a band graph of so many vertices, 19 edges each (cage15 has 5154859)",
     SIZE(band, BAND_MIN_VERTICES, BAND_MAX_VERTICES)},
    {0}};

/* ---- the whole graph ------------------------------------------------------------------------- */

/* Draws a weight for each edge, the same in both directions. */
static void draw_weights(struct graph *graph, uint64_t seed)
{
    const uint64_t key = random_key(~seed); /* not the one that drew the edges */
    graph->weights = app_array(graph->n_edges, sizeof *graph->weights, "weights");
#pragma omp parallel for schedule(dynamic, 1024)
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            const uint64_t v = graph->neighbours[e], ends = u < v ? u << 32 | v : v << 32 | u;
            graph->weights[e] = 1 + (uint32_t)(random_at(key, ends) % 255); /* as GAPBS does */
        }
}

void part_open(struct graph_part *part, uint64_t seed, struct part_wish wish)
{
    const struct graph_options options = part->options;
    const unsigned n_given = options.n_given + (options.file != NULL);
    struct graph_stream stream;
    if (n_given != 1)
        die("%s: give %sone of -f FILE, -g SCALE, -u SCALE, --mesh VERTICES and --band VERTICES",
            n_given ? "more than one graph" : "no graph", n_given ? "only " : "");
    if (options.degree && (options.file || !options.kind->has_degree))
        die("-k: the degree is of graphs that -g and -u generate");
    *part = (struct graph_part){.options = options};
    if (options.file)
        graph_read(&stream, options.file, wish.is_undirected);
    else
        stream = options.kind->generate(options.size, options.degree ? options.degree : 16, seed);
    if (stream.n_edges > GRAPH_MAX_EDGES)
        die("%llu edges are more than %llu", (unsigned long long)stream.n_edges,
            (unsigned long long)GRAPH_MAX_EDGES);
    part->print = stream.print;
    stream.has_weights = stream.has_weights && wish.has_weights;
    graph_build(&part->whole, &stream);
    graph_stream_free(&stream);
    if (wish.is_undirected)
        graph_make_simple(&part->whole);
    if (wish.has_weights && !part->whole.weights)
        draw_weights(&part->whole, seed);
}

void part_close(struct graph_part *part)
{
    free(part->rows.offsets);
    graph_free(&part->whole);
    *part = (struct graph_part){0};
}

/* ---- a node's part ------------------------------------------------------------------------------ */

void node_part(struct node *node, struct graph_part *part, struct block_range vertices)
{
    const struct graph *whole = &part->whole;
    const uint64_t n = vertices.last - vertices.first, start = whole->offsets[vertices.first];
    if (node->n_processes != node->n_nodes)
        die("loop-back nodes would have no part of the graph: unset GRAVEL_LOOPBACK");
    if (part->options.file)
        node_agree(node, part->options.file, part->print);
    part->first = vertices.first;
    part->rows = (struct graph){.n_vertices = n,
                                .n_edges = whole->offsets[vertices.last] - start,
                                .offsets = app_array(n + 1, sizeof(uint64_t), "rows"),
                                .neighbours = whole->neighbours + start,
                                .weights = whole->weights ? whole->weights + start : NULL};
    for (uint64_t i = 0; i <= n; i++)
        part->rows.offsets[i] = whole->offsets[vertices.first + i] - start;
}

cl_mem node_part_offsets(struct node *node, const struct graph_part *part)
{
    const uint64_t n = part->rows.n_vertices + 1;
    cl_uint *offsets = app_array(n, sizeof *offsets, "rows");
    for (uint64_t u = 0; u < n; u++)
        offsets[u] = (cl_uint)part->rows.offsets[u];
    return node_upload(node, n * sizeof *offsets, offsets);
}

/* ---- report and check ---------------------------------------------------------------------------- */

void part_name(const struct graph_part *part, char *name, size_t name_bytes)
{
    if (part->options.file) {
        const char *slash = strrchr(part->options.file, '/');
        snprintf(name, name_bytes, "%s", slash ? slash + 1 : part->options.file);
    } else {
        snprintf(name, name_bytes, "%s-%llu", part->options.kind->name,
                 (unsigned long long)part->options.size);
    }
}

void part_describe(const struct graph_part *part, struct trials *trials)
{
    part_name(part, trials->input, sizeof trials->input);
    trials->work = (double)part->whole.n_edges;
    trials_add_number(trials, "vertices", part->whole.n_vertices);
    trials_add_number(trials, "edges", part->whole.n_edges);
}

void part_describe_search(const struct graph_part *part, struct node *node, uint64_t source,
                          const uint32_t *found, struct trials *trials)
{
    uint64_t n_edges = 0, n_reached = 0;
    for (uint64_t i = 0; i < part->rows.n_vertices; i++) {
        n_edges += found[i] == UINT32_MAX ? 0 : graph_degree(&part->rows, i);
        n_reached += found[i] != UINT32_MAX;
    }
    n_edges = node_sum(node, n_edges);
    trials->work = (double)n_edges;
    trials_add_number(trials, "source", source);
    trials_add_number(trials, "reached_vertices", node_sum(node, n_reached));
    trials_add_number(trials, "reached_edges", n_edges);
}

uint64_t part_count_wrong(const struct graph_part *part, const uint32_t *found, uint32_t *right)
{
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < part->rows.n_vertices; i++)
        n_wrong += found[i] != right[part->first + i];
    free(right);
    return n_wrong;
}

uint64_t part_count_wrong_ranks(const struct graph_part *part, const float *found, double *right)
{
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < part->rows.n_vertices; i++) {
        const double wanted = right[part->first + i];
        n_wrong += !(fabs((double)found[i] - wanted) <= 1e-3 * wanted); /* a NaN is wrong */
    }
    free(right);
    return n_wrong;
}

uint64_t graph_draw_source(const struct graph *graph, uint64_t seed)
{
    const uint64_t n = graph->n_vertices, drawn = random_at(random_mix(random_key(seed)), 0) % n;
    for (uint64_t i = 0; i < n; i++)
        if (graph_degree(graph, (drawn + i) % n))
            return (drawn + i) % n;
    return 0;
}
