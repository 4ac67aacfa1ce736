/* SPDX-License-Identifier: MIT */
/*
 * The command lines of benchmarks: what all have, and lists of numbers.
 *
 * Path:    bench_*.c -> bench.h -> this -> apps/frame/options.c
 * Memory:  strings are argv's.
 * Threads: the main thread.
 */
#include "bench.h"

#include "../apps/frame/die.h"

#include <stdio.h>
#include <string.h>

struct bench_given bench_given = {.runs = 5};

/* ---- values -------------------------------------------------------------------------------------- */

void bench_multiple(const struct app_option *option, const char *value, void *field)
{
    option_number(option, value, field);
    if (*(uint32_t *)field % option->min)
        option_refuse(option, "'%s' is not a multiple of %u", value, (unsigned)option->min);
}

void bench_list(const struct app_option *option, const char *value, void *field)
{
    uint32_t *values = field, *n_values = (uint32_t *)((char *)field + option->bytes);
    struct app_option of_one = *option;
    of_one.bytes = sizeof *values;
    *n_values = 0;
    for (const char *at = value; at;) {
        char number[16];
        const size_t n = strcspn(at, ",");
        if (*n_values == BENCH_MAX_LIST)
            option_refuse(option, "'%s' is more than %u numbers", value, BENCH_MAX_LIST);
        snprintf(number, sizeof number, "%.*s", (int)n, at);
        option_number(&of_one, number, &values[(*n_values)++]);
        at = at[n] ? at + n + 1 : NULL;
    }
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
static void take_given(const struct app_option *option, const char *value, void *field)
{
    (void)field;
    if (option->letter == 'j') {
        bench_given.json = true;
    } else if (option->letter == 'v') {
        bench_given.variants = value;
    } else {
        option_number(option, value, &bench_given.runs);
        if (bench_given.runs % 2 == 0)
            option_refuse(option, "'%s' is not odd", value);
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
