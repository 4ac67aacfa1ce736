/* SPDX-License-Identifier: MIT */
/*
 * What all benchmarks share: a command line, variants that take turns, and a line of text or JSON for each result.
 *
 * Rates are medians over the runs. Ratios are taken inside a round, where all variants meet the same load, and then their
 * median; two medians divided by each other would compare different minutes.
 *
 * Path:    bench_*.c -> bench_options.c, bench.c -> standard output.
 * Memory:  the caller owns everything; JSON objects made here are freed when printed.
 * Threads: the main thread.
 */
#ifndef GRAVEL_BENCH_H
#define GRAVEL_BENCH_H

#include "../apps/frame/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_MAX_RUNS 101u
#define BENCH_MAX_LIST 16u
#define BENCH_MAX_VARIANTS 32u

/* ---- options ----------------------------------------------------------------------------------- */

/* What every benchmark is given: set by bench_parse. */
struct bench_given {
    uint32_t runs;        /* rounds, odd, so that the median is a measured value */
    bool json;            /* one object a line instead of text */
    const char *variants; /* comma-separated names, or NULL for all */
};
extern struct bench_given bench_given;

/* Options besides those of frame/options.h: a multiple of the least number; numbers with commas between them, in
 * uint32_t field[BENCH_MAX_LIST], n_field; such powers of two. */
option_take bench_multiple, bench_list;
#define BENCH_MULTIPLE(in, field, least, most) OPTION_SIZED(bench_multiple, in, field, least, most)
#define BENCH_LIST(in, field, n_field, least, most)                                             \
    .take = bench_list, .offset = OPTION_AT(in, field[0], uint32_t), .min = least, .max = most, \
    .bytes = offsetof(in, n_field) - offsetof(in, field)
#define BENCH_POWERS(in, field, n_field, least, most) \
    BENCH_LIST(in, field, n_field, least, most), .is_power = true

/**
 * Parse a command line, or end the process as argp does.
 *
 * @param doc   what the program does, for --help.
 * @param own   its options, or NULL.
 * @param self  the struct that they fill.
 */
void bench_parse(int argc, char **argv, const char *doc, const struct app_option *own, void *self);

/** Return whether --variant names the variant, or was not given. */
bool bench_is_wanted(const char *variant);

/* ---- contests ------------------------------------------------------------------------------------ */

struct bench_variant {
    const char *name, *unit;
};

/* Variants that take turns. Functions get the variant's number. */
struct bench_contest {
    const char *name; /* of the benchmark, e.g. "bench-queue" */
    const struct bench_variant *variants;
    uint32_t n_variants; /* at most BENCH_MAX_VARIANTS */

    /** Run it once. @param rate  [out] in its unit. @return whether the result was checked and right. */
    bool (*run)(void *context, uint32_t variant, double *rate);
    /** Return whether it takes part, if it is wanted; NULL: all do. */
    bool (*takes_part)(void *context, uint32_t variant);
    /** Return what was measured, an object whose members are printed too. @param median  its rate; 0 for a ratio. */
    json_t *(*fields)(void *context, uint32_t variant, double median);
    /** Return whether the ratio of one to another's rate is printed; NULL: none is. */
    bool (*has_ratio)(uint32_t variant, uint32_t against);

    bool is_warm; /* runs warm up by themselves; else each variant first runs once, untimed */
};

/** has_ratio: of the first to each other one, of each other one to the first. */
bool bench_of_first(uint32_t variant, uint32_t against);
bool bench_to_first(uint32_t variant, uint32_t against);

/**
 * Run the wanted variants, starting each round with another one, and print each one's median, smallest and largest rate, and
 * as benchmark NAME-ratio the ratios' median.
 *
 * @param prints  false where another process does.
 * @return  whether all results were right, and some variant ran; false, after a message, if --variant names an unknown one.
 */
bool bench_hold(const struct bench_contest *contest, void *context, bool prints);

#endif
