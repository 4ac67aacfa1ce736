/* SPDX-License-Identifier: MIT */
/*
 * From options to the rows of one node.
 *
 * Path: part.h -> this -> read.c, generate.c, mesh.c
 * Owner: see part.h.
 * Threads: main's, and OpenMP's.
 */
#include "graph/part.h"
#include "frame/die.h"
#include "frame/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

#define SIZE(source, min, max) OPTION_NUMBER(struct graph_options, sizes[source], min, max)

const struct app_option options_of_graphs[] = {
    {"file", 'f', "FILE",
     "Read .graph .mtx, whose vertices count from 1, or .el .wel .txt .tsv, from 0 (from 1 if "
     "KONECT's); each also with .gz. Options and reports count from 0",
     OPTION_WORD(struct graph_options, file)},
    {"kronecker", 'g', "SCALE", "Generate a Kronecker graph of 2^SCALE vertices",
     SIZE(GRAPH_FROM_KRONECKER, 0, GENERATE_MAX_SCALE)},
    {"uniform", 'u', "SCALE", "Generate a uniform graph of 2^SCALE vertices",
     SIZE(GRAPH_FROM_UNIFORM, 0, GENERATE_MAX_SCALE)},
    {"degree", 'k', "DEGREE", "Generate this many undirected edges per vertex (16)",
     OPTION_NUMBER(struct graph_options, degree, 1, GENERATE_MAX_DEGREE)},
    {"mesh", 0, "VERTICES",
     "Generate an adaptive mesh of about so many vertices, of degree 2 and 3 (hugebubbles-00020 "
     "has 21198119)",
     SIZE(GRAPH_FROM_MESH, MESH_MIN_VERTICES, MESH_MAX_VERTICES)},
    {"band", 0, "VERTICES",
     "Generate a band graph of so many vertices, 19 edges each (cage15 has 5154859)",
     SIZE(GRAPH_FROM_BAND, BAND_MIN_VERTICES, BAND_MAX_VERTICES)},
    {0}};

/* ---- survey ---------------------------------------------------------------------------------- */

static void read_file(struct graph_part *part)
{
    struct graph_input *input = &part->input;
    const bool is_undirected = part->wish.is_undirected;
    graph_read(input, part->options.file, part->wish.refuse_negative);
    input->goes_both_ways = is_undirected && !input->is_symmetric;
    part->stream = graph_input_stream(input, !part->wish.no_weights && !is_undirected);
    part->survey = (struct graph_survey){input->n_vertices, input->n_edges, input->weights_are,
                                         input->is_symmetric, input->print};
}

static void generate(struct graph_part *part, uint64_t wanted, uint64_t seed)
{
    if (part->source == GRAPH_FROM_MESH)
        part->stream = mesh_stream(&part->mesh, wanted, seed);
    else if (part->source == GRAPH_FROM_BAND)
        part->stream = band_stream(&part->band, wanted, seed);
    else
        part->stream = edge_numbers_stream(&part->numbers, part->source == GRAPH_FROM_UNIFORM,
                                           (unsigned)wanted, part->options.degree, seed);
    part->survey = (struct graph_survey){.n_vertices = part->stream.n_vertices,
                                         .n_edges = part->stream.n_edges,
                                         .is_symmetric = true};
}

/* Returns what the options say of the graph, which is one thing; or dies. */
static enum graph_source choose_source(const struct graph_options *options)
{
    enum graph_source source = GRAPH_FROM_FILE;
    unsigned n_given = options->file != NULL;
    for (unsigned i = 0; i < GRAPH_N_GENERATED; i++)
        if (options->sizes[i] != GRAPH_NOT_GIVEN) {
            source = i;
            n_given++;
        }
    if (n_given != 1)
        die("%s: give %sone of -f FILE, -g SCALE, -u SCALE, --mesh VERTICES and --band VERTICES",
            n_given ? "more than one graph" : "no graph", n_given ? "only " : "");
    if (options->degree && source != GRAPH_FROM_KRONECKER && source != GRAPH_FROM_UNIFORM)
        die("-k: the degree is of graphs that -g and -u generate");
    return source;
}

void part_survey(struct graph_part *part, uint64_t seed, struct part_wish wish)
{
    const struct graph_options options = part->options;
    const enum graph_source source = choose_source(&options);
    *part = (struct graph_part){.options = options, .wish = wish, .source = source};
    if (part->options.degree == 0)
        part->options.degree = 16;
    if (source == GRAPH_FROM_FILE)
        read_file(part);
    else
        generate(part, options.sizes[source], seed);
}

void part_name(const struct graph_part *part, char *name, size_t name_bytes)
{
    static const char *const kinds[] = {"kronecker", "uniform", "mesh", "band"};
    if (part->source == GRAPH_FROM_FILE) {
        const char *slash = strrchr(part->options.file, '/');
        snprintf(name, name_bytes, "%s", slash ? slash + 1 : part->options.file);
    } else {
        snprintf(name, name_bytes, "%s-%llu", kinds[part->source],
                 (unsigned long long)part->options.sizes[part->source]);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void get_rows(struct graph *rows, const struct graph_part *part, struct block_range vertices)
{
    graph_build_rows(rows, vertices, &part->stream);
    if (part->wish.is_undirected)
        graph_make_simple(rows, vertices.first);
}

void part_open(struct graph_part *part, struct block_range vertices)
{
    part->first = vertices.first;
    get_rows(&part->rows, part, vertices);
}

void part_forget_edges(struct graph_part *part)
{
    free(part->rows.neighbours);
    free(part->rows.weights);
    part->rows.neighbours = NULL;
    part->rows.weights = NULL;
}

void part_whole(struct graph *whole, const struct graph_part *part)
{
    get_rows(whole, part, (struct block_range){0, part->survey.n_vertices});
}

void part_close(struct graph_part *part)
{
    mesh_close(&part->mesh);
    graph_input_free(&part->input);
    graph_free(&part->rows);
    *part = (struct graph_part){0};
}

void part_describe(const struct graph_part *part, uint64_t seed, uint64_t n_edges,
                   struct trials *trials)
{
    part_name(part, trials->input, sizeof trials->input);
    trials_add_number(trials, "vertices", part->survey.n_vertices);
    trials_add_number(trials, "edges", n_edges);
    if (part->source != GRAPH_FROM_FILE)
        trials_add_number(trials, "seed", seed);
    if (part->source == GRAPH_FROM_KRONECKER || part->source == GRAPH_FROM_UNIFORM) {
        trials_add_number(trials, "scale", part->options.sizes[part->source]);
        trials_add_number(trials, "edges_per_vertex", part->options.degree);
    }
}

uint32_t *graph_list_sources(const struct graph *rows, uint64_t first)
{
    uint32_t *from = app_array(rows->n_edges, sizeof *from, "edges");
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            from[e] = (uint32_t)(first + u);
    return from;
}

/* ---- the vertex where a search begins --------------------------------------------------------- */

uint64_t graph_draw_vertex(uint64_t n_vertices, uint64_t seed)
{
    return random_at(random_mix(random_key(seed)), 0) % n_vertices;
}

uint64_t part_steps_to_edges(const struct graph_part *part, uint64_t drawn)
{
    const uint64_t n = part->survey.n_vertices;
    uint64_t least = n;
    for (uint64_t i = 0; i < part->rows.n_vertices; i++) {
        const uint64_t v = part->first + i, steps = v < drawn ? v + n - drawn : v - drawn;
        least = graph_degree(&part->rows, i) && steps < least ? steps : least;
    }
    return least;
}

/* ---- weights for a graph that has none -------------------------------------------------------- */

static uint32_t drawn_weight(uint64_t key, uint32_t u, uint32_t v)
{
    uint64_t ends = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
    return 1 + (uint32_t)(random_at(key, ends) % GRAPH_MOST_DRAWN_WEIGHT);
}

void graph_draw_weights(struct graph *rows, uint64_t first, uint64_t seed)
{
    if (rows->weights_are != GRAPH_UNWEIGHTED)
        return;
    const uint64_t key = random_key(~seed); /* not the one that drew the edges */
    rows->weights = app_array(rows->n_edges, sizeof *rows->weights, "weights");
    rows->weights_are = GRAPH_UINT;
#pragma omp parallel for schedule(dynamic, 1024)
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            rows->weights[e].as_uint =
                drawn_weight(key, (uint32_t)(first + u), rows->neighbours[e]);
}
