/* SPDX-License-Identifier: MIT */
/*
 * The command lines of benchmarks: what all have, and lists of numbers.
 *
 * Path:    bench_*.c -> bench.h -> this -> apps/frame/options.c
 * Memory:  strings are argv's.
 * Threads: the main thread.
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct bench_given bench_given = {.runs = 5};

/* ---- values -------------------------------------------------------------------------------------- */

error_t bench_multiple(struct argp_state *state, const struct app_option *option, const char *value,
                       void *field)
{
    const error_t error = option_number(state, option, value, field);
    return error || *(uint32_t *)field % option->min == 0
               ? error
               : option_refuse(state, option, "'%s' is not a multiple of %u", value,
                               (unsigned)option->min);
}

error_t bench_list(struct argp_state *state, const struct app_option *option, const char *value,
                   void *field)
{
    uint32_t *values = field, *n_values = (uint32_t *)((char *)field + option->bytes);
    struct app_option of_one = *option;
    of_one.bytes = sizeof *values;
    error_t error = 0;
    *n_values = 0;
    for (const char *at = value; at && !error;) {
        char number[16];
        const size_t n = strcspn(at, ",");
        if (*n_values == BENCH_MAX_LIST)
            return option_refuse(state, option, "'%s' is more than %u numbers", value,
                                 BENCH_MAX_LIST);
        snprintf(number, sizeof number, "%.*s", (int)n, at);
        error = option_number(state, &of_one, number, &values[(*n_values)++]);
        at = at[n] ? at + n + 1 : NULL;
    }
    return error;
}

bool bench_is_wanted(const char *variant)
{
    const char *name = bench_given.variants;
    while (name && *name) {
        const size_t length = strcspn(name, ",");
        if (length == strlen(variant) && !strncmp(name, variant, length))
            return true;
        name += length + (name[length] == ',');
    }
    return !bench_given.variants;
}

/* ---- command lines --------------------------------------------------------------------------------- */

/* Fills bench_given, not the benchmark's struct. */
static error_t take_given(struct argp_state *state, const struct app_option *option,
                          const char *value, void *field)
{
    error_t error;
    (void)field;
    switch (option->letter) {
    case 'j':
        return option_flag(state, option, value, &bench_given.json);
    case 'v':
        return option_word(state, option, value, &bench_given.variants);
    default:
        error = option_number(state, option, value, &bench_given.runs);
        return error || bench_given.runs % 2
                   ? error
                   : option_refuse(state, option, "'%s' is not odd", value);
    }
}

static const struct app_option common[] = {
    {"runs", 'r', "N", "rounds, an odd count (default 5)", .take = take_given, .min = 1,
     .max = BENCH_MAX_RUNS, .bytes = sizeof bench_given.runs},
    {"variant", 'v', "NAME,...", "run these only (default: all that were built)",
     .take = take_given},
    {"json", 'j', NULL, "print one JSON object a line", .take = take_given},
    {0}};

void bench_parse(int argc, char **argv, const char *doc, const struct app_option *own, void *self)
{
    const struct option_group groups[] = {{"Benchmark:", 1, own, 0}, {"Run:", 90, common, 0}};
    options_parse(groups, sizeof groups / sizeof *groups, doc, self, argc, argv);
}
