/* SPDX-License-Identifier: MIT */
/*
 * The command line that all applications share, in the flags of the GAP Benchmark Suite.
 *
 * Path: an application's main -> this -> app.c, trials.c
 * Owner: strings are argv's.
 * Threads: main's, before any other.
 *
 * An application lists the groups it wants as argp children and hands them its struct at
 * ARGP_KEY_INIT:
 *
 *     static const struct argp_child children[] = {
 *         {&options_run_argp, 0, NULL, 0}, {&options_graph_argp, 0, NULL, 0}, {0}};
 *
 *     case ARGP_KEY_INIT:
 *         state->child_inputs[0] = state->child_inputs[1] = &mine->common;
 */
#ifndef APPS_OPTIONS_H
#define APPS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

enum graph_source {
    GRAPH_FROM_NOTHING,
    GRAPH_FROM_FILE,
    GRAPH_FROM_KRONECKER,
    GRAPH_FROM_UNIFORM,
    GRAPH_FROM_MESH,
    GRAPH_FROM_BAND
};

struct options {
    /* options_run_argp */
    unsigned n_trials; /* -n */
    uint64_t seed;     /* --seed */
    bool verify;       /* -v */
    bool json;         /* --json */
    bool quiet;        /* -q: no progress */
    /* options_graph_argp */
    enum graph_source graph_source; /* -f, -g, -u, --mesh or --band; the application may
                                       set a default */
    const char *graph_file;
    unsigned scale;      /* log2 of the vertices */
    unsigned degree;     /* -k: edges drawn per vertex */
    uint64_t n_vertices; /* of --mesh or --band */
    bool by_metis;       /* --partition metis */
    bool has_graph_option;
};

/* Start from this, then change what the application wants otherwise. */
#define OPTIONS_DEFAULT ((struct options){.n_trials = 3, .seed = 1, .degree = 16})

/* -n -v -q --seed --json; input is struct options. */
extern const struct argp options_run_argp;

/* -f -g -u -k --mesh --band --partition; input is struct options. */
extern const struct argp options_graph_argp;

/** argp_parse, but of the processes of a job that are all given the same only the first complains;
 * see turn.h. */
void options_parse(const struct argp *argp, int argc, char **argv, void *input);

/**
 * Read the value of a numeric option, the application's own too: decimal digits only.
 *
 * @param option  as the user writes it, "-g" or "--seed".
 * @return        0; or EINVAL after argp_failure with one line "option: 'value' is not in min..max"
 * (which exits with status 64 unless ARGP_NO_EXIT is set).
 */
error_t options_number(struct argp_state *state, const char *option, const char *value,
                       uint64_t min, uint64_t max, uint64_t *number);

/** The same for a finite number that is not negative, in any notation of strtod. */
error_t options_real(struct argp_state *state, const char *option, const char *value,
                     double *number);

#endif
