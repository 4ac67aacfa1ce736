/* SPDX-License-Identifier: MIT */
/*
 * The options of graphs, one of which says where the graph comes from.
 *
 * Path: frame/options.c -> this -> part.c
 * Threads: main's.
 */
#include "graph/options.h"
#include "graph/generate.h"
#include "graph/mesh.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

static error_t choose(struct argp_state *state, const struct app_option *option, const char *value,
                      struct graph_options *options, enum graph_source source)
{
    char spelled[OPTION_SPELLED_BYTES];
    if (options->has_source && options->source != source) {
        argp_failure(state, EX_USAGE, 0, "%s %s: give only one of -f, -g, -u, --mesh and --band",
                     option_spell(option, spelled), value);
        return EINVAL;
    }
    options->has_source = true;
    options->source = source;
    return 0;
}

static error_t take_file(struct argp_state *state, const struct app_option *option,
                         const char *value, void *field)
{
    struct graph_options *options = field;
    options->file = value;
    return choose(state, option, value, options, GRAPH_FROM_FILE);
}

static error_t take_scale(struct argp_state *state, const struct app_option *option,
                          const char *value, void *field)
{
    struct graph_options *options = field;
    error_t error = option_count(state, option, value, &options->scale);
    return error ? error
                 : choose(state, option, value, options,
                          option->letter == 'g' ? GRAPH_FROM_KRONECKER : GRAPH_FROM_UNIFORM);
}

static error_t take_degree(struct argp_state *state, const struct app_option *option,
                           const char *value, void *field)
{
    struct graph_options *options = field;
    options->has_degree = true;
    return option_count(state, option, value, &options->degree);
}

static error_t take_vertices(struct argp_state *state, const struct app_option *option,
                             const char *value, void *field)
{
    struct graph_options *options = field;
    bool is_mesh = strcmp(option->name, "mesh") == 0;
    error_t error = option_number(state, option, value, &options->n_vertices);
    return error
               ? error
               : choose(state, option, value, options, is_mesh ? GRAPH_FROM_MESH : GRAPH_FROM_BAND);
}

const struct app_option options_of_graphs[] = {
    {"file", 'f', "FILE",
     "Read .graph .mtx .gr, whose vertices count from 1, or .el .wel .txt .tsv, from 0 (from 1 if "
     "KONECT's); each also with .gz. Options and reports count from 0",
     take_file, 0, 0, 0},
    {"kronecker", 'g', "SCALE", "Generate a Kronecker graph of 2^SCALE vertices", take_scale, 0, 0,
     GENERATE_MAX_SCALE},
    {"uniform", 'u', "SCALE", "Generate a uniform graph of 2^SCALE vertices", take_scale, 0, 0,
     GENERATE_MAX_SCALE},
    {"degree", 'k', "DEGREE", "Generate this many undirected edges per vertex (16)", take_degree, 0,
     1, GENERATE_MAX_DEGREE},
    {"mesh", 0, "VERTICES",
     "Generate an adaptive mesh of about so many vertices, of degree 2 and 3 (hugebubbles-00020 "
     "has 21198119)",
     take_vertices, 0, MESH_MIN_VERTICES, MESH_MAX_VERTICES},
    {"band", 0, "VERTICES",
     "Generate a band graph of so many vertices, 19 edges each (cage15 has 5154859)", take_vertices,
     0, BAND_MIN_VERTICES, BAND_MAX_VERTICES},
    {0}};

void graph_options_name(const struct graph_options *options, char *name, size_t name_bytes)
{
    static const char *const kinds[] = {[GRAPH_FROM_KRONECKER] = "kronecker",
                                        [GRAPH_FROM_UNIFORM] = "uniform",
                                        [GRAPH_FROM_MESH] = "mesh",
                                        [GRAPH_FROM_BAND] = "band"};
    if (options->source == GRAPH_FROM_FILE) {
        const char *slash = strrchr(options->file, '/');
        snprintf(name, name_bytes, "%s", slash ? slash + 1 : options->file);
        return;
    }
    bool has_scale = options->source <= GRAPH_FROM_UNIFORM;
    snprintf(name, name_bytes, "%s-%llu", kinds[options->source],
             has_scale ? (unsigned long long)options->scale
                       : (unsigned long long)options->n_vertices);
}
