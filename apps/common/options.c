/* SPDX-License-Identifier: MIT */
/*
 * The shared options' parsers.
 *
 * Path: an application's main -> argp -> this
 * Threads: main's.
 */
#include "options.h"
#include "graph_band.h"
#include "graph_generate.h"
#include "graph_mesh.h"
#include "partition_metis.h"
#include "turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { KEY_SEED = 0x1000, KEY_JSON, KEY_MESH, KEY_BAND, KEY_PARTITION };

#define MAX_TRIALS 1000000

/* JSON's integers, as jansson has them, are signed. */
#define MAX_SEED INT64_MAX

void options_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    if (!turn_is_first() && argp_parse(argp, argc, argv, ARGP_SILENT, NULL, input) == 0)
        return;
    turn_await();
    argp_parse(argp, argc, argv, 0, NULL, input);
}

static bool parse_digits(const char *s, uint64_t *number)
{
    uint64_t sum = 0;
    bool has_digits = *s != '\0';
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*s - '0'), &sum))
            return false;
    *number = sum;
    return has_digits && *s == '\0';
}

error_t options_number(struct argp_state *state, const char *option, const char *value,
                       uint64_t min, uint64_t max, uint64_t *number)
{
    uint64_t parsed;
    if (parse_digits(value, &parsed) && parsed >= min && parsed <= max) {
        *number = parsed;
        return 0;
    }
    argp_failure(state, EX_USAGE, 0, "%s: '%s' is not in %llu..%llu", option, value,
                 (unsigned long long)min, (unsigned long long)max);
    return EINVAL;
}

error_t options_real(struct argp_state *state, const char *option, const char *value,
                     double *number)
{
    char *end;
    *number = strtod(value, &end);
    if (end != value && *end == '\0' && isfinite(*number) && *number >= 0)
        return 0;
    argp_failure(state, EX_USAGE, 0, "%s: '%s' is not a number from 0 up", option, value);
    return EINVAL;
}

static error_t parse_count(struct argp_state *state, const char *option, const char *value,
                           unsigned min, unsigned max, unsigned *count)
{
    uint64_t number = 0;
    error_t error = options_number(state, option, value, min, max, &number);
    if (!error)
        *count = (unsigned)number;
    return error;
}

static error_t parse_run(int key, char *value, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'n':
        return parse_count(state, "-n", value, 1, MAX_TRIALS, &options->n_trials);
    case KEY_SEED:
        return options_number(state, "--seed", value, 0, MAX_SEED, &options->seed);
    case 'v':
        options->verify = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t choose_graph(struct argp_state *state, const char *option, const char *value,
                            enum graph_source source)
{
    struct options *options = state->input;
    if (options->has_graph_option && options->graph_source != source) {
        argp_failure(state, EX_USAGE, 0, "%s %s: give only one of -f, -g, -u, --mesh and --band",
                     option, value);
        return EINVAL;
    }
    options->has_graph_option = true;
    options->graph_source = source;
    return 0;
}

static error_t parse_partition(struct argp_state *state, const char *value)
{
    struct options *options = state->input;
    options->by_metis = strcmp(value, "metis") == 0;
    if (options->by_metis && !PARTITION_HAS_METIS)
        argp_failure(state, EX_USAGE, 0, "--partition metis: built without METIS (libmetis-dev)");
    else if (options->by_metis || strcmp(value, "block") == 0)
        return 0;
    else
        argp_failure(state, EX_USAGE, 0, "--partition: '%s' is neither block nor metis", value);
    return EINVAL;
}

static error_t parse_graph(int key, char *value, struct argp_state *state)
{
    struct options *options = state->input;
    error_t error;
    switch (key) {
    case 'f':
        options->graph_file = value;
        return choose_graph(state, "-f", value, GRAPH_FROM_FILE);
    case 'g':
        error = parse_count(state, "-g", value, 0, GENERATE_MAX_SCALE, &options->scale);
        return error ? error : choose_graph(state, "-g", value, GRAPH_FROM_KRONECKER);
    case 'u':
        error = parse_count(state, "-u", value, 0, GENERATE_MAX_SCALE, &options->scale);
        return error ? error : choose_graph(state, "-u", value, GRAPH_FROM_UNIFORM);
    case 'k':
        return parse_count(state, "-k", value, 1, GENERATE_MAX_DEGREE, &options->degree);
    case KEY_MESH:
        error = options_number(state, "--mesh", value, MESH_MIN_VERTICES, MESH_MAX_VERTICES,
                               &options->n_vertices);
        return error ? error : choose_graph(state, "--mesh", value, GRAPH_FROM_MESH);
    case KEY_BAND:
        error = options_number(state, "--band", value, BAND_MIN_VERTICES, BAND_MAX_VERTICES,
                               &options->n_vertices);
        return error ? error : choose_graph(state, "--band", value, GRAPH_FROM_BAND);
    case KEY_PARTITION:
        return parse_partition(state, value);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option run_options[] = {
    {NULL, 0, NULL, 0, "Run:", 10},
    {"trials", 'n', "TRIALS", 0, "Run and time this many trials", 0},
    {"verify", 'v', NULL, 0, "Check the result by another, serial method", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of everything random; same seed, same input", 0},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object a line", 0},
    {"quiet", 'q', NULL, 0, "Show no progress", 0},
    {0}};

static const struct argp_option graph_options[] = {
    {NULL, 0, NULL, 0, "Graph:", 20},
    {"file", 'f', "FILE", 0, "Read .graph .mtx .el .wel .txt .tsv .gr, each also with .gz", 0},
    {"kronecker", 'g', "SCALE", 0, "Generate a Kronecker graph of 2^SCALE vertices", 0},
    {"uniform", 'u', "SCALE", 0, "Generate a uniform graph of 2^SCALE vertices", 0},
    {"degree", 'k', "DEGREE", 0, "Generate this many undirected edges per vertex (16)", 0},
    {"mesh", KEY_MESH, "VERTICES", 0,
     "Generate an adaptive mesh of about so many vertices, of degree 2 and 3 (hugebubbles-00020 "
     "has "
     "21198119)",
     0},
    {"band", KEY_BAND, "VERTICES", 0,
     "Generate a band graph of so many vertices, 19 edges each (cage15 has 5154859)", 0},
    {"partition", KEY_PARTITION, "HOW", 0,
     "Spread vertices over nodes by block, or by metis so that few edges cross (block)", 0},
    {0}};

const struct argp options_run_argp = {.options = run_options, .parser = parse_run};
const struct argp options_graph_argp = {.options = graph_options, .parser = parse_graph};
