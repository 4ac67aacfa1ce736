/* SPDX-License-Identifier: MIT */
/*
 * The scaffold of every benchmark: rounds in which rivals take turns, medians, and one report a
 * result.
 *
 * On a machine that other work disturbs, absolute rates drift. So every round runs each variant
 * once, ratios are taken inside one round, and medians over the rounds are reported, with the
 * smallest and the largest.
 *
 * Path:    bench_*.c -> bench.h (bench.c, bench_options.c) -> a line of text or of JSON for each result.
 * Memory:  the caller owns everything; JSON objects made here are freed when printed.
 * Threads: the main thread.
 */
#ifndef GRAVEL_BENCH_H
#define GRAVEL_BENCH_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_MAX_RUNS 101u
#define BENCH_MAX_LIST 16u

/* ---- options that every benchmark has -------------------------------------------------------- */

struct bench_options {
    uint32_t runs;        /* rounds, odd, so that the median is a measured value */
    bool json;            /* one object a line instead of text */
    const char *variants; /* comma-separated names, or NULL for all */
};

/** The parser of --runs, --json and --variant, for argp's children of a benchmark whose own options are more than numbers;
 * its input is a struct bench_options. */
extern const struct argp bench_argp;
#define BENCH_OPTIONS_INIT                         \
    {                                              \
        .runs = 5, .json = false, .variants = NULL \
    }

/* An option of one benchmark, with a number or a list of numbers, in min..max. */
struct bench_option {
    const char *name; /* NULL behind the last */
    int letter;
    const char *help;
    uint32_t min, max;
    size_t values; /* offset of a uint32_t, or of BENCH_MAX_LIST, in the benchmark's struct */
    bool is_list;
    size_t n_values; /* offset of how many a list has */
};
#define BENCH_MAX_OPTIONS 8u

/* The last fields, for fields of a struct of type `in`. */
#define BENCH_COUNT_AT(in, field) \
    (offsetof(in, field) + 0 * sizeof(&((in *)0)->field == (uint32_t *)0))
#define BENCH_COUNT(in, field, min, max) min, max, BENCH_COUNT_AT(in, field), false, 0
#define BENCH_LIST(in, field, n_field, min, max) \
    min, max, BENCH_COUNT_AT(in, field[0]), true, BENCH_COUNT_AT(in, n_field)

/**
 * Parse a command line, or end the process as argp does.
 *
 * @param doc   what the program does, for --help, or NULL.
 * @param own   up to BENCH_MAX_OPTIONS.
 * @param self  the struct that they fill.
 */
void bench_parse(int argc, char **argv, const char *doc, const struct bench_option *own, void *self,
                 struct bench_options *options);

/**
 * Read a comma-separated list of counts.
 *
 * @param values  [out] [BENCH_MAX_LIST]
 * @return        counts read; 0 if the text is malformed, too long, or has a value outside [min,
 * max].
 */
uint32_t bench_list_parse(const char *text, uint32_t min, uint32_t max, uint32_t *values);

/** Read one count. @return whether the text is a number in [min, max]; else the value is as it was. */
bool bench_count_parse(const char *text, uint32_t min, uint32_t max, uint32_t *value);

/** True if --variant names the variant, or was not given. */
bool bench_variant_is_wanted(const struct bench_options *options, const char *variant);

/** The first name in --variant [NUL-terminated copy in `name`] that is not among `known`; false if
 * none. */
bool bench_variant_unknown(const struct bench_options *options, const char *const *known,
                           uint32_t n_known, char name[64]);

/* ---- rounds ---------------------------------------------------------------------------------- */

/** One rival: its name and what it reached in each round. */
struct bench_subject {
    const char *variant;
    double rates[BENCH_MAX_RUNS]; /* [runs], in the benchmark's unit */
    bool is_valid;                /* every run passed its check */
};

/**
 * One run of one rival.
 *
 * @param subject  its number.
 * @param rate     [out] in the benchmark's unit.
 * @return         true if the result was checked and right.
 */
typedef bool bench_run_function(void *context, uint32_t subject, double *rate);

/** Run every subject once a round, starting with another one each time. */
void bench_rounds(struct bench_subject *subjects, uint32_t n_subjects, uint32_t runs,
                  bench_run_function *run, void *context);

/** Middle of n values, n odd. */
double bench_median(const double *values, uint32_t n);

/* ---- reports --------------------------------------------------------------------------------- */

/**
 * Print a subject's median, smallest and largest rate.
 *
 * @param name    of the benchmark, e.g. "bench-queue".
 * @param fields  what was measured: an object whose members are printed too; the call takes it
 * over.
 */
void bench_report(const struct bench_options *options, const char *name, const char *unit,
                  const struct bench_subject *subject, json_t *fields);

/** Print the median over the rounds of a subject's rate divided by a rival's, as benchmark
 * NAME-ratio. */
void bench_report_ratio(const struct bench_options *options, const char *name,
                        const struct bench_subject *subject, const struct bench_subject *against,
                        json_t *fields);

#endif
